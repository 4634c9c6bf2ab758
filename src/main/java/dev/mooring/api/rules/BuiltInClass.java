package dev.mooring.api.rules;

import java.util.Map;
import java.util.Optional;

/**
 * The storage classes that exist from the first start, by the names Minik8s uses for them.
 *
 * <p>Minik8s knows neither access modes nor required sizes. Kubernetes requires both, and its messages must stay what they are for
 * Kubernetes' manifests. So a claim or volume is taken to be in Minik8s' style, and gets what it leaves out, only when it names one of
 * these classes: no manifest written for Kubernetes does.
 */
enum BuiltInClass {
    HOST_PATH("hostPath", "ReadWriteOnce"),
    LOCAL("local", "ReadWriteOnce"),
    BLOCK("block", "ReadWriteOnce"),
    NFS("nfs", "ReadWriteMany");

    /** What a claim or volume in Minik8s' style holds when it does not say. */
    static final String USUAL_SIZE = "1Gi";

    private static final Map<String, BuiltInClass> BY_NAME = Map.of(
            HOST_PATH.name, HOST_PATH,
            LOCAL.name, LOCAL,
            BLOCK.name, BLOCK,
            NFS.name, NFS);

    private final String name;
    private final String usualAccessMode;

    BuiltInClass(String name, String usualAccessMode) {
        this.name = name;
        this.usualAccessMode = usualAccessMode;
    }

    static Optional<BuiltInClass> named(String name) {
        return Optional.ofNullable(BY_NAME.get(name));
    }

    String usualAccessMode() {
        return usualAccessMode;
    }
}
