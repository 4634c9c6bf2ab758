package dev.mooring.volume.work;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Paths and limits for the workers of a node. All paths are absolute, normalized and without symbolic links. Immutable.
 *
 * @param allowedBases directories that a {@code basePath} of a class may be at or below; created by the administrator
 * @param defaultBase base for all other volumes, with one directory per provisioner; created on demand
 * @param dataDirectory Mooring's data directory, which is never emptied
 * @param mountDirectory for temporary mounts; on a local file system
 * @param nfs NFS settings of this node
 * @param deadline of jobs in a child process, which are killed and can be continued later
 */
public record WorkerSettings(
        List<Path> allowedBases,
        Path defaultBase,
        Path dataDirectory,
        Path mountDirectory,
        NfsSettings nfs,
        Duration deadline) {
    private static final Duration DEADLINE = Duration.ofMinutes(10);

    public WorkerSettings {
        allowedBases = List.copyOf(allowedBases);
        for (Path each : allowedBases) {
            mustBeAbsolute(each);
        }
        mustBeAbsolute(defaultBase);
        mustBeAbsolute(dataDirectory);
        mustBeAbsolute(mountDirectory);
    }

    /** Returns settings with the default directories below Mooring's data directory. */
    public static WorkerSettings below(Path dataDirectory, List<Path> allowedBases, NfsSettings nfs) {
        return new WorkerSettings(
                allowedBases,
                dataDirectory.resolve("volumes"),
                dataDirectory,
                dataDirectory.resolve("mounts"),
                nfs,
                DEADLINE);
    }

    private static void mustBeAbsolute(Path path) {
        if (!path.isAbsolute() || !path.normalize().equals(path)) {
            throw new IllegalArgumentException("path must be absolute and normalized, got " + path);
        }
    }
}
