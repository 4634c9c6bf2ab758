package dev.mooring.volume.group;

import dev.mooring.volume.Access;
import dev.mooring.volume.Ownership;
import dev.mooring.volume.Ownership.When;
import dev.mooring.volume.Progress;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.path.Descriptor;
import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.path.Walk;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;

/**
 * Gives everything in a volume to a group and lets the group use it: files can be read and written, directories entered as well, and what
 * is made in them belongs to the group again. No link is followed and no other mount entered. The topmost directory is changed last, so
 * one that looks right says that all below it was done; cut off and begun again, what is right already is only looked at. Only for file
 * systems that answer. Stateless; any thread, but not two for one volume.
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
     * How it went.
     *
     * @param seen files and directories looked at; 0 if the topmost directory was right and that was enough
     * @param changed how many of them were not right before
     * @param remark if some could not be changed, which is no reason to keep the Pod waiting
     */
    public record Outcome(long seen, long changed, Optional<SetUpDone.Remark> remark) {}

    /** No link may be on the way to the root. */
    public Outcome apply(Path root, Ownership ownership, Access access, Progress progress)
            throws VolumeException, InterruptedException {
        try (Directory directory = Directory.open(calls, root)) {
            return apply(directory, ownership, access, progress);
        } catch (PathException e) {
            throw failed(root.toString(), e);
        }
    }

    public Outcome apply(Directory root, Ownership ownership, Access access, Progress progress)
            throws VolumeException, InterruptedException {
        try {
            if (ownership.when() == When.ON_ROOT_MISMATCH && isRight(root.status(), ownership, access)) {
                return new Outcome(0, 0, Optional.empty());
            }
            Handing handing = new Handing(ownership, access, new Telling(root.path(), ownership, clock, progress));
            Walk.below(root, handing);
            handing.visit(root, root.status());
            return handing.outcome();
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

    static boolean isRight(FileStatus root, Ownership ownership, Access access) {
        int needed = needed(root, access);
        return root.isDirectory() && root.gid() == gid(ownership) && (root.permissions() & needed) == needed;
    }

    private static int needed(FileStatus file, Access access) {
        int use = access == Access.READ_ONLY ? 0440 : 0660;
        return file.isDirectory() ? use | 0110 | SET_GROUP : use;
    }

    /** The kernel's are unsigned. */
    private static int gid(Ownership ownership) {
        return (int) ownership.gid();
    }

    /** Changes one after the other. */
    private static final class Handing implements Walk.Visitor {
        private final Ownership ownership;
        private final Access access;
        private final Telling telling;
        private long seen;
        private long changed;
        private long refused;
        private String firstRefusal = "";

        private Handing(Ownership ownership, Access access, Telling telling) {
            this.ownership = ownership;
            this.access = access;
            this.telling = telling;
        }

        @Override
        public void visit(Descriptor file, FileStatus status) throws PathException {
            seen++;
            telling.seen(seen);
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
            if (status.type() == FileStatus.Type.LINK) {
                return foreign;
            }
            int before = status.permissions();
            int after = before | needed(status, access);
            // Whoever is given a file does not get its set-id bits, unless told so.
            if (after != before || (foreign && (before & SET_IDS) != 0)) {
                file.setPermissions(after);
                return true;
            }
            return foreign;
        }

        private Outcome outcome() {
            return new Outcome(
                    seen,
                    changed,
                    refused == 0
                            ? Optional.empty()
                            : Optional.of(new SetUpDone.Remark(
                                    "VolumePermissionChangeIncomplete",
                                    "Setting volume ownership for " + telling.volume() + ": " + refused + " of " + seen
                                            + " files could not be given to group " + ownership.gid() + ", the first: "
                                            + firstRefusal)));
        }
    }
}
