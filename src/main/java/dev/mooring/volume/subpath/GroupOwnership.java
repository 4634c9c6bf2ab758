package dev.mooring.volume.subpath;

import dev.mooring.host.Descriptor;
import dev.mooring.host.FileStatus;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import dev.mooring.host.SystemCalls;
import dev.mooring.host.TreeWalk;
import dev.mooring.model.EventReasons;
import dev.mooring.volume.Access;
import dev.mooring.volume.FsGroup;
import dev.mooring.volume.FsGroup.FsGroupChangePolicy;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.VolumeException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;

/**
 * Applies an {@code fsGroup} to all files of a volume: the group can read and write files and enter directories, and
 * new files inherit the group. Follows no links and enters no other mounts. The top directory is changed last, so a
 * correct top directory means that everything below is done; a repeated run changes only what is not correct yet. Only
 * for file systems that do not hang. Stateless; thread-safe for different volumes.
 */
public final class GroupOwnership {
    private static final int SET_GROUP = 02000;
    private static final int SET_IDS = 06000;

    private final SystemCalls calls;
    private final Clock clock;

    public GroupOwnership(SystemCalls calls, Clock clock) {
        this.calls = calls;
        this.clock = clock;
    }

    /**
     * Result of applying ownership.
     *
     * @param seen number of files and directories visited; 0 if the top directory was already correct and the policy
     *     allows to skip the rest
     * @param changed number of files and directories changed
     * @param event set if some files could not be changed, which does not fail the set-up
     */
    public record OwnershipResult(long seen, long changed, Optional<SetUpResult.SetUpEvent> event) {}

    /** Applies the group. The path of the root must not contain symbolic links. */
    public OwnershipResult apply(Path root, FsGroup ownership, Access access, OperationProgress progress)
            throws VolumeException, InterruptedException {
        try (OpenDirectory directory = OpenDirectory.open(calls, root)) {
            return apply(directory, ownership, access, progress);
        } catch (PathException e) {
            throw failed(root.toString(), e);
        }
    }

    public OwnershipResult apply(OpenDirectory root, FsGroup ownership, Access access, OperationProgress progress)
            throws VolumeException, InterruptedException {
        try {
            if (ownership.changePolicy() == FsGroupChangePolicy.ON_ROOT_MISMATCH
                    && isCorrect(root.status(), ownership, access)) {
                return new OwnershipResult(0, 0, Optional.empty());
            }
            OwnershipVisitor visitor = new OwnershipVisitor(
                    ownership, access, new OwnershipProgress(root.path(), ownership, clock, progress));
            TreeWalk.below(root, visitor);
            visitor.visit(root, root.status());
            return visitor.outcome();
        } catch (PathException e) {
            throw failed(root.path(), e);
        }
    }

    private static VolumeException failed(String root, PathException e) {
        return VolumeException.uncertain(
                "OwnershipNotSet",
                "applyFSGroup failed for vol " + Path.of(root).getFileName() + ": " + e.getMessage(),
                e.getMessage());
    }

    static boolean isCorrect(FileStatus root, FsGroup ownership, Access access) {
        int needed = needed(root, access);
        return root.isDirectory() && root.gid() == gid(ownership) && (root.permissions() & needed) == needed;
    }

    private static int needed(FileStatus file, Access access) {
        int use = access == Access.READ_ONLY ? 0440 : 0660;
        return file.isDirectory() ? use | 0110 | SET_GROUP : use;
    }

    /** Returns the gid as an int; the kernel treats it as unsigned. */
    private static int gid(FsGroup ownership) {
        return (int) ownership.gid();
    }

    /** Changes one file at a time. */
    private static final class OwnershipVisitor implements TreeWalk.TreeVisitor {
        private final FsGroup ownership;
        private final Access access;
        private final OwnershipProgress ownershipProgress;
        private long seen;
        private long changed;
        private long refused;
        private String firstRefusal = "";

        private OwnershipVisitor(FsGroup ownership, Access access, OwnershipProgress ownershipProgress) {
            this.ownership = ownership;
            this.access = access;
            this.ownershipProgress = ownershipProgress;
        }

        @Override
        public void visit(Descriptor file, FileStatus status) throws PathException {
            seen++;
            ownershipProgress.filesSeen(seen);
            try {
                if (change(file, status)) {
                    changed++;
                }
            } catch (PathException e) {
                if (!e.isForbidden()) {
                    throw e;
                }
                firstRefusal = refused == 0 ? e.getMessage() : firstRefusal;
                refused++;
            }
        }

        private boolean change(Descriptor file, FileStatus status) throws PathException {
            boolean foreign = status.gid() != gid(ownership);
            if (foreign) {
                file.setOwner(-1, gid(ownership));
            }
            if (status.type() == FileStatus.FileType.LINK) {
                return foreign;
            }
            int before = status.permissions();
            int after = before | needed(status, access);
            // chown clears set-id bits, so the mode is set again.
            if (after != before || (foreign && (before & SET_IDS) != 0)) {
                file.setPermissions(after);
                return true;
            }
            return foreign;
        }

        private OwnershipResult outcome() {
            return new OwnershipResult(
                    seen,
                    changed,
                    refused == 0
                            ? Optional.empty()
                            : Optional.of(new SetUpResult.SetUpEvent(
                                    EventReasons.VOLUME_PERMISSION_CHANGE_INCOMPLETE,
                                    "Setting volume ownership for " + ownershipProgress.volume() + ": " + refused
                                            + " of " + seen
                                            + " files could not be given to group " + ownership.gid() + ", the first: "
                                            + firstRefusal)));
        }
    }
}
