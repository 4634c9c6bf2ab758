package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePluginProvider;

/** Several sources, of which some may be secret, together in one directory, in memory. Any thread. */
public final class ProjectedPlugin extends ContentPlugin {
    /** For the service loader. */
    public static final class Provider implements VolumePluginProvider {
        @Override
        public VolumePlugin create(PluginParts parts) {
            return new ProjectedPlugin(parts);
        }
    }

    public ProjectedPlugin(PluginParts parts) {
        super(parts, Keeping.IN_MEMORY);
    }

    @Override
    public String name() {
        return "kubernetes.io/projected";
    }

    @Override
    String field() {
        return "projected";
    }

    @Override
    ContentSource contentOf(JsonNode source) {
        return ProjectedSource.volume(source);
    }
}
