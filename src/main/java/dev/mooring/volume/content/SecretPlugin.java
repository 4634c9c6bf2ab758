package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePluginProvider;

/** The entries of a Secret as files, in memory. Any thread. */
public final class SecretPlugin extends ContentPlugin {
    /** For the service loader. */
    public static final class Provider implements VolumePluginProvider {
        @Override
        public VolumePlugin create(PluginParts parts) {
            return new SecretPlugin(parts);
        }
    }

    public SecretPlugin(PluginParts parts) {
        super(parts, Keeping.IN_MEMORY);
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
        return KeyedSource.volume(KeyedSource.Kind.SECRET, "secretName", source);
    }
}
