package dev.mooring.volume.content;

import dev.mooring.host.Descriptor;
import dev.mooring.host.FileStatus;
import dev.mooring.host.PathException;
import dev.mooring.volume.FsGroup;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Applies a Pod's {@code fsGroup} to read-only volumes as the kubelet does: the group can read files and enter
 * directories, and directories have the setgid bit. {@code fsGroupChangePolicy} does not matter, since all files are
 * written anew. Without a group, permissions stay unchanged. Immutable.
 */
record FsGroupPermissions(OptionalLong gid) {
    static final FsGroupPermissions UNCHANGED = new FsGroupPermissions(OptionalLong.empty());

    private static final int KEEP = -1;
    private static final int READ_FILE = 0440;
    private static final int USE_DIRECTORY = 02550;

    static FsGroupPermissions of(Optional<FsGroup> ownership) {
        return ownership.isEmpty()
                ? UNCHANGED
                : new FsGroupPermissions(OptionalLong.of(ownership.get().gid()));
    }

    int filePermissions(int mode) {
        return gid.isPresent() ? mode | READ_FILE : mode;
    }

    int directoryPermissions(int mode) {
        return gid.isPresent() ? mode | USE_DIRECTORY : mode;
    }

    /** Returns whether the file has these permissions and the group. */
    boolean matches(FileStatus status, int permissions) {
        return status.permissions() == permissions && (gid.isEmpty() || status.gid() == group());
    }

    void apply(Descriptor to, int permissions) throws PathException {
        if (gid.isPresent()) {
            to.setOwner(KEEP, group());
        }
        to.setPermissions(permissions);
    }

    /** Sets permissions and group only if they differ, to avoid needless inotify events. */
    void applyIfDifferent(Descriptor to, int permissions) throws PathException {
        if (!matches(to.status(), permissions)) {
            apply(to, permissions);
        }
    }

    /** Returns the gid as an int; the kernel treats it as unsigned, so the cast loses nothing. */
    private int group() {
        return (int) gid.getAsLong();
    }
}
