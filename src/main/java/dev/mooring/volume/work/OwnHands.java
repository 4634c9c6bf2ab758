package dev.mooring.volume.work;

import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.path.Tree;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Does jobs on directories in this process. For file systems that answer; see {@link CarefulHands}. Stateless; any thread. */
final class OwnHands implements Hands {
    /** What a file system keeps in its topmost directory for its own repair. */
    private static final Set<String> FILE_SYSTEMS_OWN = Set.of("lost+found");

    private final SystemCalls calls;
    private final Mounts mounts;

    OwnHands(SystemCalls calls, Mounts mounts) {
        this.calls = calls;
        this.mounts = mounts;
    }

    @Override
    public Optional<String> perform(DirectoryJob job) throws VolumeWorkException, InterruptedException {
        try {
            return switch (job.action()) {
                case MAKE -> make(job);
                case REMOVE -> remove(job);
                case REMOVE_UNFINISHED -> removeUnfinished(job);
                case EMPTY -> empty(job.target());
            };
        } catch (IOException e) {
            throw VolumeWorkException.of(words(job), e);
        }
    }

    private static String words(DirectoryJob job) {
        String doing = switch (job.action()) {
            case MAKE -> "making ";
            case REMOVE, REMOVE_UNFINISHED -> "deleting ";
            case EMPTY -> "emptying ";
        };
        return doing + job.target();
    }

    private Optional<String> make(DirectoryJob job) throws VolumeWorkException, IOException, InterruptedException {
        Path base = job.bases().get(0);
        Marker marker = job.markerBelow(base);
        try (MarkedBase marked = MarkedBase.of(BaseDirectory.make(calls, base, job.home()))) {
            return marked.place(marker, job.making());
        }
    }

    private Optional<String> removeUnfinished(DirectoryJob job)
            throws VolumeWorkException, IOException, InterruptedException {
        Optional<Path> base =
                BaseDirectory.holding(calls, job.bases(), job.owner().uid());
        if (base.isEmpty()) {
            return Optional.empty();
        }
        return remove(job, base.get(), MarkedBase.Unmarked.LET_ALONE);
    }

    private Optional<String> remove(DirectoryJob job) throws VolumeWorkException, IOException, InterruptedException {
        Optional<Path> base =
                BaseDirectory.holding(calls, job.bases(), job.owner().uid());
        if (base.isEmpty()) {
            throw BaseDirectory.missing(job.target(), job.bases());
        }
        return remove(job, base.get(), MarkedBase.Unmarked.REFUSE);
    }

    private Optional<String> remove(DirectoryJob job, Path base, MarkedBase.Unmarked unmarked)
            throws VolumeWorkException, IOException, InterruptedException {
        Marker marker = job.markerBelow(base);
        MountTable table = mounts.read();
        if (table.isMountPoint(job.target())) {
            throw mountedBelow(job.target(), List.of(job.target().toString()));
        }
        mustHoldNoMounts(table, job.target());
        try (MarkedBase marked = MarkedBase.of(Directory.open(calls, base))) {
            return marked.remove(marker, FileStatus.Type.DIRECTORY, unmarked);
        }
    }

    private Optional<String> empty(Path target) throws VolumeWorkException, IOException, InterruptedException {
        MountTable table = mounts.read();
        mustHoldNoMounts(table, target);
        try (Directory directory = Directory.open(calls, target)) {
            if (directory.status(MarkedBase.AREA).isPresent()) {
                throw new VolumeWorkException(
                        VolumeWorkException.REFUSED,
                        "Expected the directory of one volume, but " + target + " holds volumes itself ("
                                + MarkedBase.AREA + " is in it): it was not emptied");
            }
            Tree.empty(directory, table.isMountPoint(target) ? FILE_SYSTEMS_OWN : Set.of());
            directory.sync();
            return Optional.empty();
        } catch (PathException e) {
            if (e.isMissing()) {
                throw new VolumeWorkException(
                        VolumeWorkException.MISSING,
                        "Expected the directory " + target
                                + " to empty it, but it is not there: is the disk that holds it mounted?",
                        e.getMessage());
            }
            throw e;
        }
    }

    private static void mustHoldNoMounts(MountTable table, Path target) throws VolumeWorkException {
        List<MountTable.Mount> below = table.below(target);
        if (!below.isEmpty()) {
            throw mountedBelow(
                    target, below.stream().map(MountTable.Mount::point).toList());
        }
    }

    private static VolumeWorkException mountedBelow(Path target, List<String> points) {
        return new VolumeWorkException(
                VolumeWorkException.MOUNTED_BELOW,
                "Expected nothing to be mounted in " + target + ", but found mounts at " + String.join(", ", points)
                        + ": nothing was deleted; unmount them, then this is tried again");
    }
}
