package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePluginProvider;

/** Plugin for {@code secret} volumes: entries of a Secret as files in a tmpfs. Thread-safe. */
public final class SecretPlugin extends ContentPlugin {
    /** For the service loader. */
    public static final class Provider implements VolumePluginProvider {
        @Override
        public VolumePlugin create(PluginContext context) {
            return new SecretPlugin(context);
        }
    }

    public SecretPlugin(PluginContext context) {
        super(context, ContentMedium.IN_MEMORY);
    }

    @Override
    public String name() {
        return "kubernetes.io/secret";
    }

    @Override
    String field() {
        return "secret";
    }

    @Override
    ContentSource contentOf(JsonNode source) {
        return KeyedSource.volume(KeyedSource.KeyedObjectKind.SECRET, "secretName", source);
    }
}
