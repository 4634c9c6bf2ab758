package dev.mooring.volume.work;

import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import dev.mooring.host.RelativePath;
import dev.mooring.host.TreeRemover;
import java.util.List;
import java.util.Optional;

/**
 * The directories between a base and its volumes, for a pathPattern with several names. Directories created here carry
 * an attribute and are removed when empty; those of an administrator stay.
 */
final class ParentDirectories {
    /**
     * Directories can be entered but not listed or changed by other users; access to a volume depends on its own
     * permissions.
     */
    private static final int PERMISSIONS = 0711;

    private static final String ATTRIBUTE = "user.mooring.parent";

    private final OpenDirectory base;
    private final OpenDirectory area;

    ParentDirectories(OpenDirectory base, OpenDirectory area) {
        this.base = base;
        this.area = area;
    }

    /** Opens the parent directory of a path; empty if it does not exist. The caller closes it. */
    Optional<OpenDirectory> find(RelativePath path) throws PathException {
        try {
            return Optional.of(base.open(path.parents()));
        } catch (PathException e) {
            if (e.isMissing()) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Opens the parent directory of a path, creating missing ones. The caller closes it. */
    OpenDirectory make(Marker marker) throws PathException, VolumeWorkException {
        OpenDirectory at = base.open(List.of());
        for (String name : marker.path().parents()) {
            try (OpenDirectory above = at) {
                if (above.status(name).isEmpty()) {
                    make(above, name, marker.uid());
                }
                at = above.open(name);
            }
            mustNotBeAVolume(at, marker);
        }
        return at;
    }

    /** Requires that the directory is not a volume, whose users could redirect the path to this one. */
    private static void mustNotBeAVolume(OpenDirectory directory, Marker marker)
            throws PathException, VolumeWorkException {
        boolean plain = false;
        try {
            plain = directory.attribute(VolumeBaseDirectory.ATTRIBUTE).isEmpty();
        } finally {
            if (!plain) {
                directory.close();
            }
        }
        if (!plain) {
            throw new VolumeWorkException(
                    VolumeWorkException.OCCUPIED,
                    "Path " + marker.path() + " is inside another volume, " + directory.path()
                            + ", and volumes cannot be nested: choose another pathPattern");
        }
    }

    /**
     * Creates a directory under a temporary name and moves it, so that it is never visible without its permissions,
     * even after a crash.
     */
    private void make(OpenDirectory above, String name, String uid) throws PathException {
        String aside = uid + ".parent";
        area.makeDirectory(aside);
        try (OpenDirectory made = area.open(aside)) {
            made.setAttribute(ATTRIBUTE, "1");
            made.setPermissions(PERMISSIONS);
            made.sync();
        }
        try {
            area.move(aside, above, name);
        } catch (PathException e) {
            if (!e.isExisting()) {
                throw e;
            }
            area.removeDirectory(aside);
        }
        above.sync();
    }

    /** Removes what an interrupted {@link #make} left. */
    void removeLeftover(Marker marker) throws PathException, InterruptedException {
        TreeRemover.remove(area, marker.uid() + ".parent");
    }

    /** Removes empty parents, innermost first, until one is not empty or was not created here. */
    void removeEmpty(RelativePath path) throws PathException {
        List<String> names = path.parents();
        for (int depth = names.size(); depth > 0; depth--) {
            String name = names.get(depth - 1);
            try (OpenDirectory above = base.open(names.subList(0, depth - 1))) {
                if (!isOurs(above, name)) {
                    return;
                }
                above.removeDirectory(name);
                above.sync();
            } catch (PathException e) {
                if (e.isExisting()) {
                    return;
                }
                if (!e.isMissing()) {
                    throw e;
                }
            }
        }
    }

    private static boolean isOurs(OpenDirectory above, String name) throws PathException {
        try (OpenDirectory there = above.open(name)) {
            return there.attribute(ATTRIBUTE).isPresent();
        }
    }
}
