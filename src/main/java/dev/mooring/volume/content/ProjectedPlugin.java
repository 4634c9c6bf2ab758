package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePluginProvider;
import java.time.Duration;
import java.util.Optional;

/** Plugin for {@code projected} volumes: several sources, some possibly secret, in one tmpfs directory. Thread-safe. */
public final class ProjectedPlugin extends ContentPlugin {
    /** For the service loader. */
    public static final class Provider implements VolumePluginProvider {
        @Override
        public VolumePlugin create(PluginContext context) {
            return new ProjectedPlugin(context);
        }
    }

    public ProjectedPlugin(PluginContext context) {
        super(context, ContentMedium.IN_MEMORY);
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
    public Optional<Duration> contentRenewal(JsonNode source) {
        return ProjectedSource.volume(source.path(field())).renewal();
    }

    @Override
    ContentSource contentOf(JsonNode source) {
        return ProjectedSource.volume(source);
    }
}
