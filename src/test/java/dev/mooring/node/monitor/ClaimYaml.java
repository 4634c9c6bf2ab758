package dev.mooring.node.monitor;

/** YAML of claims and their mounted volumes. */
public final class ClaimYaml {
    private ClaimYaml() {}

    /** Returns a claim of 100 Mi in {@code ns}, bound to a volume of the same name. */
    public static String claim(String name) {
        return """
            ---
            {kind: PersistentVolumeClaim, metadata: {name: NAME, namespace: ns}, spec: {volumeName: NAME},
             status: {phase: Bound, capacity: {storage: 100Mi}}}
            """.replace("NAME", name);
    }

    /** Returns the ActualVolume of a claim, mounted for the Pod {@code pod}. */
    public static String mounted(String claim, String plugin, String source, String path) {
        return """
            ---
            {kind: ActualVolume, apiVersion: mooring.dev/v1, metadata: {name: CLAIM.x},
             spec: {node: n1, volume: PLUGIN/CLAIM, plugin: PLUGIN, persistentVolume: CLAIM, source: {SOURCE},
                    claim: {namespace: ns, name: CLAIM, uid: uid-CLAIM}, volumeMode: Filesystem},
             status: {state: Mounted, mounts: [
               {path: PATH, pod: {namespace: ns, name: pod, uid: uid-pod}, volumeName: v, state: Mounted}]}}
            """.replace("CLAIM", claim)
                .replace("PLUGIN", plugin)
                .replace("SOURCE", source)
                .replace("PATH", path);
    }

    public static String local(String claim, String path) {
        return mounted(claim, "kubernetes.io/local-volume", "local: {path: /disk}", path);
    }

    public static String nfs(String claim, String server, String path) {
        return mounted(claim, "kubernetes.io/nfs", "nfs: {server: " + server + ", path: /x}", path);
    }
}
