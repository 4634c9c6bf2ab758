package dev.mooring.volume;

import java.nio.file.Path;

/**
 * Paths of the node's Pod directories, in the kubelet's layout.
 *
 * @param root absolute, normalized, without symbolic links, on a local file system, used by Mooring only
 * @param data Mooring's directory for everything else, such as its log and keys; may be the same
 */
public record NodeLayout(Path root, Path data) {
    public NodeLayout(Path root) {
        this(root, root);
    }

    public NodeLayout {
        if (!root.isAbsolute() || !root.normalize().equals(root)) {
            throw new IllegalArgumentException("root must be absolute and normalized, got " + root);
        }
    }

    public Path pods() {
        return root.resolve("pods");
    }

    public Path pod(String uid) {
        return pods().resolve(name(uid));
    }

    /** {@code pods/<uid>/volumes/kubernetes.io~nfs/<name>}: a directory or mount point. */
    public Path volume(String podUid, String plugin, String name) {
        return pod(podUid).resolve("volumes").resolve(name(escaped(plugin))).resolve(name(name));
    }

    /** {@code pods/<uid>/volumeDevices/kubernetes.io~local-volume/<name>}: a device. */
    public Path device(String podUid, String plugin, String name) {
        return pod(podUid)
                .resolve("volumeDevices")
                .resolve(name(escaped(plugin)))
                .resolve(name(name));
    }

    /** {@code pods/<uid>/plugins/kubernetes.io~empty-dir/<name>}: a plugin's own state. */
    public Path podPlugin(String podUid, String plugin, String name) {
        return pod(podUid).resolve("plugins").resolve(name(escaped(plugin))).resolve(name(name));
    }

    /** {@code pods/<uid>/volume-subpaths/<volume>/<container>/<index>}: a subPath mount. */
    public Path subPath(String podUid, String volume, String container, int index) {
        return pod(podUid)
                .resolve("volume-subpaths")
                .resolve(name(volume))
                .resolve(name(container))
                .resolve(Integer.toString(index));
    }

    /** {@code plugins/kubernetes.io/csi/mounts/<name>}: the global mount that all Pods share. */
    public Path globalMount(String plugin, String name) {
        return root.resolve("plugins").resolve(plugin).resolve("mounts").resolve(name(name));
    }

    public static String escaped(String plugin) {
        return plugin.replace('/', '~');
    }

    public static String unescaped(String directory) {
        return directory.replace('~', '/');
    }

    private static String name(String text) {
        if (text.isEmpty()
                || text.equals(".")
                || text.equals("..")
                || text.indexOf('/') >= 0
                || text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("invalid directory name \"" + text + '"');
        }
        return text;
    }
}
