package dev.mooring.volume.work;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What a node allows and where it keeps things. All paths absolute, normalized and without symbolic links. Immutable.
 *
 * @param allowedBases directories in (or below) which classes may keep volumes by their {@code basePath}; made by the administrator
 * @param defaultBase where volumes go otherwise, in a directory per provisioner; made when needed
 * @param dataDirectory of Mooring itself, which no work ever empties
 * @param mountDirectory for mounts that last a moment; on a local file system
 * @param nfs of this node
 * @param deadline after which work in a child process is killed (and later goes on where it was)
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

    /** The usual places below Mooring's data directory. */
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
            throw new IllegalArgumentException("Expected an absolute, normalized path, but found " + path);
        }
    }
}
