package dev.mooring.volume.content;

import dev.mooring.volume.Ownership;
import dev.mooring.volume.path.Descriptor;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.PathException;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a Pod's {@code fsGroup} makes of permissions, as the kubelet does it for volumes that containers only read: the group may read
 * files, enter directories, and owns what is made in them. Which files are handed over when does not matter here, since all of them are
 * written anew. Without a group everything stays as it is. Immutable.
 */
record GroupAccess(OptionalLong gid) {
    static final GroupAccess UNCHANGED = new GroupAccess(OptionalLong.empty());

    private static final int KEEP = -1;
    private static final int READ_FILE = 0440;
    private static final int USE_DIRECTORY = 02550;

    static GroupAccess of(Optional<Ownership> ownership) {
        return ownership.isEmpty()
                ? UNCHANGED
                : new GroupAccess(OptionalLong.of(ownership.get().gid()));
    }

    int ofFile(int mode) {
        return gid.isPresent() ? mode | READ_FILE : mode;
    }

    int ofDirectory(int mode) {
        return gid.isPresent() ? mode | USE_DIRECTORY : mode;
    }

    /** Whether it has these permissions and the group. */
    boolean holdsFor(FileStatus status, int permissions) {
        return status.permissions() == permissions && (gid.isEmpty() || status.gid() == group());
    }

    void give(Descriptor to, int permissions) throws PathException {
        if (gid.isPresent()) {
            to.setOwner(KEEP, group());
        }
        to.setPermissions(permissions);
    }

    /** Leaves what is right alone, so that nobody is told of a change that is none. */
    void giveUnlessHeld(Descriptor to, int permissions) throws PathException {
        if (!holdsFor(to.status(), permissions)) {
            give(to, permissions);
        }
    }

    /** The kernel's are unsigned, so the cast loses nothing. */
    private int group() {
        return (int) gid.getAsLong();
    }
}
