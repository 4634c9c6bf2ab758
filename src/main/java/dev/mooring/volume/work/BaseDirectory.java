package dev.mooring.volume.work;

import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import dev.mooring.host.SystemCalls;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Finds and creates directories that hold volumes. Only those below Mooring's default directory are created: elsewhere
 * a missing directory usually means that its disk is not mounted, and the disk would later hide volumes created in the
 * bare mount point.
 */
final class BaseDirectory {
    private BaseDirectory() {}

    /** Opens a base directory, creating it where that is allowed. */
    static OpenDirectory make(SystemCalls calls, Path base, Optional<Path> creationRoot)
            throws PathException, VolumeWorkException {
        if (creationRoot.isEmpty()) {
            return existing(calls, base);
        }
        OpenDirectory at = existing(calls, creationRoot.get().getParent());
        for (Path name : creationRoot.get().getParent().relativize(base)) {
            try (OpenDirectory above = at) {
                at = child(above, name.toString());
            }
        }
        return at;
    }

    private static OpenDirectory existing(SystemCalls calls, Path path) throws PathException, VolumeWorkException {
        try {
            return OpenDirectory.open(calls, path);
        } catch (PathException e) {
            if (e.isMissing()) {
                throw new VolumeWorkException(
                        VolumeWorkException.BASE_MISSING,
                        "Base directory " + path + " does not exist: mount its disk, or create the directory",
                        e.getMessage());
            }
            throw e;
        }
    }

    /**
     * Opens or creates a child. Created ones are accessible by root only, because containers access volumes through
     * bind mounts.
     */
    private static OpenDirectory child(OpenDirectory above, String name) throws PathException {
        if (above.status(name).isEmpty()) {
            try {
                above.makeDirectory(name);
                above.sync();
            } catch (PathException e) {
                if (!e.isExisting()) {
                    throw e;
                }
            }
        }
        return above.open(name);
    }

    /**
     * Returns the innermost directory that has a marker of the volume, or else the innermost that holds any volumes.
     */
    static Optional<Path> findHolding(SystemCalls calls, List<Path> bases, String uid) throws PathException {
        Optional<Path> first = Optional.empty();
        for (Path each : bases) {
            try (OpenDirectory base = OpenDirectory.open(calls, each);
                    OpenDirectory area = base.open(VolumeBaseDirectory.AREA)) {
                if (area.status(uid).isPresent()) {
                    return Optional.of(each);
                }
                first = first.or(() -> Optional.of(each));
            } catch (PathException e) {
                if (!e.isMissing()) {
                    throw e;
                }
            }
        }
        return first;
    }

    static VolumeWorkException missing(Path target, List<Path> bases) {
        return new VolumeWorkException(
                VolumeWorkException.BASE_MISSING,
                "No directory " + VolumeBaseDirectory.AREA + " above " + target + " in any of " + bases
                        + ": nothing was deleted; check that the disk of the volume is mounted");
    }
}
