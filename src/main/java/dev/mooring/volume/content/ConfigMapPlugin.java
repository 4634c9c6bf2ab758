package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePluginProvider;

/** The entries of a ConfigMap as files, in a directory of the node. Any thread. */
public final class ConfigMapPlugin extends ContentPlugin {
    /** For the service loader. */
    public static final class Provider implements VolumePluginProvider {
        @Override
        public VolumePlugin create(PluginParts parts) {
            return new ConfigMapPlugin(parts);
        }
    }

    public ConfigMapPlugin(PluginParts parts) {
        super(parts, Keeping.ON_DISK);
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
        return KeyedSource.volume(KeyedSource.Kind.CONFIG_MAP, "name", source);
    }
}
