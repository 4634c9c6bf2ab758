package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePluginProvider;

/** Plugin for {@code downwardAPI} volumes: fields of the Pod as files in a tmpfs. Thread-safe. */
public final class DownwardApiPlugin extends ContentPlugin {
    /** For the service loader. */
    public static final class Provider implements VolumePluginProvider {
        @Override
        public VolumePlugin create(PluginContext context) {
            return new DownwardApiPlugin(context);
        }
    }

    public DownwardApiPlugin(PluginContext context) {
        super(context, ContentMedium.IN_MEMORY);
    }

    @Override
    public String name() {
        return "kubernetes.io/downward-api";
    }

    @Override
    String field() {
        return "downwardAPI";
    }

    @Override
    ContentSource contentOf(JsonNode source) {
        return DownwardSource.volume(source);
    }
}
