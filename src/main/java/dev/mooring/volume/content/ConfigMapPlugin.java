package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePluginProvider;

/** Plugin for {@code configMap} volumes: entries of a ConfigMap as files in a directory of the node. Thread-safe. */
public final class ConfigMapPlugin extends ContentPlugin {
    /** For the service loader. */
    public static final class Provider implements VolumePluginProvider {
        @Override
        public VolumePlugin create(PluginContext context) {
            return new ConfigMapPlugin(context);
        }
    }

    public ConfigMapPlugin(PluginContext context) {
        super(context, ContentMedium.ON_DISK);
    }

    @Override
    public String name() {
        return "kubernetes.io/configmap";
    }

    @Override
    String field() {
        return "configMap";
    }

    @Override
    ContentSource contentOf(JsonNode source) {
        return KeyedSource.volume(KeyedSource.KeyedObjectKind.CONFIG_MAP, "name", source);
    }
}
