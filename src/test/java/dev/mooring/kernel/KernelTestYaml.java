package dev.mooring.kernel;

/** Manifests for tests. A claim and its volume have the same name. */
final class KernelTestYaml {
    private KernelTestYaml() {}

    /** Returns a claim and an NFS volume. */
    static String nfs(String name, String server, String path, String... options) {
        return claim(
                name,
                "ReadWriteMany",
                "64Mi",
                "nfs: {server: \"" + server + "\", path: " + path + "}, mountOptions: [" + String.join(", ", options)
                        + ']');
    }

    /** Returns a claim and a volume with a filesystem in an image. */
    static String block(String name, String image, String fsType, String size) {
        return claim(
                name,
                "ReadWriteOnce",
                size,
                "csi: {driver: block.mooring.dev, volumeHandle: " + name + ", fsType: " + fsType
                        + ", volumeAttributes: {image: " + image + "}}");
    }

    private static String claim(String name, String mode, String size, String source) {
        return """
            ---
            {kind: PersistentVolumeClaim, metadata: {name: NAME, namespace: ns},
             spec: {volumeName: NAME, accessModes: [MODE]}, status: {phase: Bound, capacity: {storage: SIZE}}}
            ---
            {kind: PersistentVolume, metadata: {name: NAME},
             spec: {capacity: {storage: SIZE}, accessModes: [MODE], SOURCE,
                    claimRef: {namespace: ns, name: NAME, uid: uid-NAME}}, status: {phase: Bound}}
            """.replace("NAME", name)
                .replace("MODE", mode)
                .replace("SIZE", size)
                .replace("SOURCE", source);
    }

    /** Returns a Pod that uses a claim. */
    static String pod(String name, String claim) {
        return podWith(name, "persistentVolumeClaim: {claimName: " + claim + '}');
    }

    static String readOnlyPod(String name, String claim) {
        return podWith(name, "persistentVolumeClaim: {claimName: " + claim + ", readOnly: true}");
    }

    /** Returns a Pod with an emptyDir in memory. */
    static String memoryPod(String name) {
        return podWith(name, "emptyDir: {medium: Memory, sizeLimit: 1Mi}");
    }

    private static String podWith(String name, String volume) {
        return """
            ---
            {kind: Pod, metadata: {name: NAME, namespace: ns, uid: NAME},
             spec: {nodeName: n1, containers: [{name: c, volumeMounts: [{name: v, mountPath: /v}]}], volumes: [{name: v, VOLUME}]}}
            """.replace("NAME", name).replace("VOLUME", volume);
    }

    /** Returns the Pod with a deletion timestamp. */
    static String deleted(String pod) {
        return pod.replace(
                "metadata: {",
                "metadata: {deletionTimestamp: \"2026-01-01T00:00:00Z\", deletionGracePeriodSeconds: 30, ");
    }
}
