package dev.mooring.api.rules;

import java.util.Map;
import java.util.Optional;

/**
 * The built-in storage classes, under the names that Minik8s uses.
 *
 * <p>Minik8s has neither access modes nor required sizes. Kubernetes requires both, and its error messages must not
 * change for Kubernetes manifests. A claim or volume is therefore treated as Minik8s style, with defaults for missing
 * fields, only if it names one of these classes; no Kubernetes manifest does.
 */
enum BuiltInStorageClass {
    HOST_PATH("hostPath", "ReadWriteOnce"),
    LOCAL("local", "ReadWriteOnce"),
    BLOCK("block", "ReadWriteOnce"),
    NFS("nfs", "ReadWriteMany");

    /** Default size of a claim or volume in Minik8s style. */
    static final String DEFAULT_SIZE = "1Gi";

    private static final Map<String, BuiltInStorageClass> BY_NAME = Map.of(
            HOST_PATH.name, HOST_PATH,
            LOCAL.name, LOCAL,
            BLOCK.name, BLOCK,
            NFS.name, NFS);

    private final String name;
    private final String defaultAccessMode;

    BuiltInStorageClass(String name, String defaultAccessMode) {
        this.name = name;
        this.defaultAccessMode = defaultAccessMode;
    }

    static Optional<BuiltInStorageClass> byName(String name) {
        return Optional.ofNullable(BY_NAME.get(name));
    }

    String defaultAccessMode() {
        return defaultAccessMode;
    }
}
