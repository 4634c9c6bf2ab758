package dev.mooring.volume.work;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Directories that are never emptied, because a PersistentVolume with the policy Recycle can name any path of the
 * machine. Compares path names only; links and mounts are checked when the directory is emptied.
 */
final class ScrubRules {
    /** System directories, which contain no volumes. */
    private static final List<Path> SYSTEM = paths(
            "/bin",
            "/boot",
            "/dev",
            "/etc",
            "/lib",
            "/lib32",
            "/lib64",
            "/libx32",
            "/proc",
            "/root",
            "/run",
            "/sbin",
            "/sys",
            "/usr",
            "/var/lib/dpkg",
            "/var/lib/apt",
            "/var/lib/systemd",
            "/var/lib/docker",
            "/var/lib/containerd",
            "/var/lib/kubelet",
            "/var/lib/etcd",
            "/var/spool",
            "/var/log",
            "/var/cache");

    /** Directories that may contain volumes, but are not volumes themselves. */
    private static final List<Path> CROWDED =
            paths("/var/lib", "/var/tmp", "/var/opt", "/var/local", "/var/mail", "/var/www", "/var/backups");

    private final WorkerSettings settings;

    ScrubRules(WorkerSettings settings) {
        this.settings = settings;
    }

    private static List<Path> paths(String... texts) {
        return List.of(texts).stream().map(Path::of).toList();
    }

    void check(Path path) throws VolumeWorkException {
        Optional<String> why = refusalReason(path);
        if (why.isPresent()) {
            throw new VolumeWorkException(
                    VolumeWorkException.REFUSED,
                    "Cannot scrub " + path + ": it " + why.get()
                            + "; nothing was removed; set the reclaim policy of the volume to Retain and clean up"
                            + " manually");
        }
    }

    private Optional<String> refusalReason(Path path) {
        if (path.getNameCount() < 2) {
            return Optional.of("is / or a directory directly below it");
        }
        if (SYSTEM.stream().anyMatch(path::startsWith) || CROWDED.contains(path)) {
            return Optional.of("belongs to the system");
        }
        Path data = settings.dataDirectory();
        boolean volume = path.startsWith(settings.defaultBase())
                && path.getNameCount() >= settings.defaultBase().getNameCount() + 2;
        if (data.startsWith(path) || (path.startsWith(data) && !volume)) {
            return Optional.of("is or contains Mooring's own data (" + data + ")");
        }
        for (Path base : settings.allowedBases()) {
            if (base.startsWith(path)) {
                return Optional.of("is or contains a base directory of volumes (" + base + ")");
            }
        }
        for (Path name : path) {
            if (name.toString().startsWith(VolumeBaseDirectory.AREA)) {
                return Optional.of("is a directory of Mooring's markers");
            }
        }
        return Optional.empty();
    }
}
