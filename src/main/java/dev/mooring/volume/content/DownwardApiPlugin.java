package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePluginProvider;

/** Facts about the Pod as files, in memory. Any thread. */
public final class DownwardApiPlugin extends ContentPlugin {
    /** For the service loader. */
    public static final class Provider implements VolumePluginProvider {
        @Override
        public VolumePlugin create(PluginParts parts) {
            return new DownwardApiPlugin(parts);
        }
    }

    public DownwardApiPlugin(PluginParts parts) {
        super(parts, Keeping.IN_MEMORY);
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
