package dev.mooring.api.table;

/** The versions of {@code meta.k8s.io} for Tables and metadata-only objects. Their JSON is otherwise the same. */
public enum MetaVersion {
    V1("v1"),
    V1BETA1("v1beta1");

    private final String version;

    MetaVersion(String version) {
        this.version = version;
    }

    public String version() {
        return version;
    }

    public String apiVersion() {
        return "meta.k8s.io/" + version;
    }
}
