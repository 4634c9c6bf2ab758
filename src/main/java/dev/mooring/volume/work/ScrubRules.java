package dev.mooring.volume.work;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Which directories are never emptied, whoever asks for it: a PersistentVolume with the policy Recycle can name any path of the machine.
 * By the words of paths alone; that no link is on the way, and nothing mounted below, is looked at when it is done.
 */
final class ScrubRules {
    /** Nothing in these is anybody's volume. */
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

    /** What is in these may be somebody's volume, they themselves are not. */
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
        Optional<String> why = why(path);
        if (why.isPresent()) {
            throw new VolumeWorkException(
                    VolumeWorkException.REFUSED,
                    "Expected a directory that can be emptied, but " + path + " " + why.get()
                            + ": nothing was removed; set the reclaim policy of the volume to Retain and clean up by"
                            + " hand");
        }
    }

    private Optional<String> why(Path path) {
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
            return Optional.of("is or holds Mooring's own data (" + data + ")");
        }
        for (Path base : settings.allowedBases()) {
            if (base.startsWith(path)) {
                return Optional.of("is or holds a directory for volumes (" + base + ")");
            }
        }
        for (Path name : path) {
            if (name.toString().startsWith(MarkedBase.AREA)) {
                return Optional.of("is a directory in which Mooring keeps its markers");
            }
        }
        return Optional.empty();
    }
}
