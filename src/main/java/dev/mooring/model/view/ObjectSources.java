package dev.mooring.model.view;

/**
 * The source types whose content the node writes from objects. Containers get them read-only: a symbolic link planted
 * by a container would be followed by root.
 */
public final class ObjectSources {
    private ObjectSources() {}

    private abstract static class ObjectSource implements SourceType {
        private final String field;
        private final String plugin;

        ObjectSource(String field, String plugin) {
            this.field = field;
            this.plugin = plugin;
        }

        @Override
        public String field() {
            return field;
        }

        @Override
        public String plugin() {
            return plugin;
        }

        @Override
        public boolean isReadOnly() {
            return true;
        }
    }

    /** The source type {@code configMap}. */
    public static final class ConfigMap extends ObjectSource {
        public ConfigMap() {
            super("configMap", "kubernetes.io/configmap");
        }
    }

    /** The source type {@code secret}. */
    public static final class Secret extends ObjectSource {
        public Secret() {
            super("secret", "kubernetes.io/secret");
        }
    }

    /** The source type {@code downwardAPI}. */
    public static final class DownwardApi extends ObjectSource {
        public DownwardApi() {
            super("downwardAPI", "kubernetes.io/downward-api");
        }
    }

    /** The source type {@code projected}. */
    public static final class Projected extends ObjectSource {
        public Projected() {
            super("projected", "kubernetes.io/projected");
        }
    }
}
