package dev.mooring.volume.work;

import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.SystemCalls;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Finds and makes directories that hold volumes. Only those in Mooring's own place are made: elsewhere a missing one mostly means that
 * its disk is not mounted, and volumes made in the bare mount point would vanish under it later.
 */
final class BaseDirectory {
    private BaseDirectory() {}

    /** Opens a base, made where that is allowed. */
    static Directory make(SystemCalls calls, Path base, Optional<Path> home) throws PathException, VolumeWorkException {
        if (home.isEmpty()) {
            return existing(calls, base);
        }
        Directory at = existing(calls, home.get().getParent());
        for (Path name : home.get().getParent().relativize(base)) {
            try (Directory above = at) {
                at = child(above, name.toString());
            }
        }
        return at;
    }

    private static Directory existing(SystemCalls calls, Path path) throws PathException, VolumeWorkException {
        try {
            return Directory.open(calls, path);
        } catch (PathException e) {
            if (e.isMissing()) {
                throw new VolumeWorkException(
                        VolumeWorkException.BASE_MISSING,
                        "Expected the directory " + path
                                + " to make volumes in it, but it is not there: mount its disk, or make the directory",
                        e.getMessage());
            }
            throw e;
        }
    }

    /** Permissions are set again each time: a crash may have come between making and setting. */
    private static Directory child(Directory above, String name) throws PathException {
        boolean there = above.status(name).isPresent();
        if (!there) {
            try {
                above.makeDirectory(name);
            } catch (PathException e) {
                if (!e.isTaken()) {
                    throw e;
                }
            }
        }
        Directory child = above.open(name);
        try {
            if (child.status().permissions() == 0700) {
                child.setPermissions(Parents.PERMISSIONS);
                above.sync();
            }
            return child;
        } catch (PathException e) {
            child.close();
            throw e;
        }
    }

    /** The innermost of these directories that has a marker of the volume, or else the innermost that holds volumes at all. */
    static Optional<Path> holding(SystemCalls calls, List<Path> bases, String uid) throws PathException {
        Optional<Path> first = Optional.empty();
        for (Path each : bases) {
            try (Directory base = Directory.open(calls, each);
                    Directory area = base.open(MarkedBase.AREA)) {
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
                "Expected a directory " + MarkedBase.AREA + " above " + target + " in one of " + bases
                        + ", but there is none: nothing was deleted; is the disk that holds the volume mounted?");
    }
}
