package dev.mooring.volume.work;

import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.RelativePath;
import dev.mooring.volume.path.Tree;
import java.util.List;
import java.util.Optional;

/**
 * The directories between a base and its volumes, where the pathPattern has more than one name. Those that were made here carry an
 * attribute and go when they are empty; those that an administrator has made stay.
 */
final class Parents {
    /** Whoever knows the name of a volume can get at it, as far as its own permissions allow; nobody can list or change the others. */
    static final int PERMISSIONS = 0711;

    private static final String ATTRIBUTE = "user.mooring.parent";

    private final Directory base;
    private final Directory area;

    Parents(Directory base, Directory area) {
        this.base = base;
        this.area = area;
    }

    /** The directory a path lies in; nothing if it is not there. To be closed. */
    Optional<Directory> find(RelativePath path) throws PathException {
        try {
            return Optional.of(base.open(path.parents()));
        } catch (PathException e) {
            if (e.isMissing()) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** The same, made where it is missing. To be closed. */
    Directory make(Marker marker) throws PathException, VolumeWorkException {
        Directory at = base.open(List.of());
        for (String name : marker.path().parents()) {
            try (Directory above = at) {
                if (above.status(name).isEmpty()) {
                    make(above, name, marker.uid());
                }
                at = above.open(name);
            }
            mustNotBeAVolume(at, marker);
        }
        return at;
    }

    /** Whoever may write into the other volume could bend the way to this one. */
    private static void mustNotBeAVolume(Directory directory, Marker marker) throws PathException, VolumeWorkException {
        boolean plain = false;
        try {
            plain = directory.attribute(MarkedBase.ATTRIBUTE).isEmpty();
        } finally {
            if (!plain) {
                directory.close();
            }
        }
        if (!plain) {
            throw new VolumeWorkException(
                    VolumeWorkException.OCCUPIED,
                    "Expected plain directories above " + marker.path() + ", but " + directory.path()
                            + " is itself a volume, and volumes do not lie in each other: choose another pathPattern");
        }
    }

    /** Made aside and moved, so that nobody sees one without its permissions, not even after a crash. */
    private void make(Directory above, String name, String uid) throws PathException {
        String aside = uid + ".parent";
        area.makeDirectory(aside);
        try (Directory made = area.open(aside)) {
            made.setAttribute(ATTRIBUTE, "1");
            made.setPermissions(PERMISSIONS);
            made.sync();
        }
        try {
            area.move(aside, above, name);
        } catch (PathException e) {
            if (!e.isTaken()) {
                throw e;
            }
            area.removeDirectory(aside);
        }
        above.sync();
    }

    /** Removes what a crash may have left of {@link #make}. */
    void forget(Marker marker) throws PathException, InterruptedException {
        Tree.remove(area, marker.uid() + ".parent");
    }

    /** From the innermost outwards, until one is not empty or not ours. */
    void removeEmpty(RelativePath path) throws PathException {
        List<String> names = path.parents();
        for (int depth = names.size(); depth > 0; depth--) {
            String name = names.get(depth - 1);
            try (Directory above = base.open(names.subList(0, depth - 1))) {
                if (!isOurs(above, name)) {
                    return;
                }
                above.removeDirectory(name);
                above.sync();
            } catch (PathException e) {
                if (e.isTaken()) {
                    return;
                }
                if (!e.isMissing()) {
                    throw e;
                }
            }
        }
    }

    private static boolean isOurs(Directory above, String name) throws PathException {
        try (Directory there = above.open(name)) {
            return there.attribute(ATTRIBUTE).isPresent();
        }
    }
}
