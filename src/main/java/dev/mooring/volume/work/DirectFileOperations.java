package dev.mooring.volume.work;

import dev.mooring.host.FileStatus;
import dev.mooring.host.MountTable;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import dev.mooring.host.SystemCalls;
import dev.mooring.host.TreeRemover;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Runs jobs on directories in this process. For file systems that do not hang; see {@link IsolatedFileOperations}.
 * Stateless and thread-safe.
 */
final class DirectFileOperations implements FileOperations {
    /** Entries that belong to the file system itself. */
    private static final Set<String> FILE_SYSTEMS_OWN = Set.of("lost+found");

    private final SystemCalls calls;
    private final MountTableSupplier mounts;

    DirectFileOperations(SystemCalls calls, MountTableSupplier mounts) {
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
            throw VolumeWorkException.of(describe(job), e);
        }
    }

    private static String describe(DirectoryJob job) {
        String verb = switch (job.action()) {
            case MAKE -> "create ";
            case REMOVE, REMOVE_UNFINISHED -> "delete ";
            case EMPTY -> "empty ";
        };
        return verb + job.target();
    }

    private Optional<String> make(DirectoryJob job) throws VolumeWorkException, IOException, InterruptedException {
        Path base = job.bases().get(0);
        Marker marker = job.markerBelow(base);
        try (VolumeBaseDirectory marked = VolumeBaseDirectory.of(BaseDirectory.make(calls, base, job.creationRoot()))) {
            return marked.create(marker, job.creator());
        }
    }

    private Optional<String> removeUnfinished(DirectoryJob job)
            throws VolumeWorkException, IOException, InterruptedException {
        Optional<Path> base =
                BaseDirectory.findHolding(calls, job.bases(), job.owner().uid());
        if (base.isEmpty()) {
            return Optional.empty();
        }
        return remove(job, base.get(), VolumeBaseDirectory.UnmarkedPolicy.IGNORE);
    }

    private Optional<String> remove(DirectoryJob job) throws VolumeWorkException, IOException, InterruptedException {
        Optional<Path> base =
                BaseDirectory.findHolding(calls, job.bases(), job.owner().uid());
        if (base.isEmpty()) {
            throw BaseDirectory.missing(job.target(), job.bases());
        }
        return remove(job, base.get(), VolumeBaseDirectory.UnmarkedPolicy.REFUSE);
    }

    private Optional<String> remove(DirectoryJob job, Path base, VolumeBaseDirectory.UnmarkedPolicy unmarked)
            throws VolumeWorkException, IOException, InterruptedException {
        Marker marker = job.markerBelow(base);
        MountTable table = mounts.read();
        if (table.isMountPoint(job.target())) {
            throw mountedBelow(job.target(), List.of(job.target().toString()));
        }
        mustHoldNoMounts(table, job.target());
        try (VolumeBaseDirectory marked = VolumeBaseDirectory.of(OpenDirectory.open(calls, base))) {
            return marked.remove(marker, FileStatus.FileType.DIRECTORY, unmarked);
        }
    }

    private Optional<String> empty(Path target) throws VolumeWorkException, IOException, InterruptedException {
        MountTable table = mounts.read();
        mustHoldNoMounts(table, target);
        try (OpenDirectory directory = OpenDirectory.open(calls, target)) {
            if (directory.status(VolumeBaseDirectory.AREA).isPresent()) {
                throw new VolumeWorkException(
                        VolumeWorkException.REFUSED,
                        target + " contains volumes (it has a directory " + VolumeBaseDirectory.AREA
                                + ") and is not the directory of one volume: it was not emptied");
            }
            TreeRemover.empty(directory, table.isMountPoint(target) ? FILE_SYSTEMS_OWN : Set.of());
            directory.sync();
            return Optional.empty();
        } catch (PathException e) {
            if (e.isMissing()) {
                throw new VolumeWorkException(
                        VolumeWorkException.MISSING,
                        "Cannot empty " + target + ": the directory does not exist; check that its disk is mounted",
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
                "Found mounts in " + target + " at " + String.join(", ", points)
                        + ": nothing was deleted; unmount them, the deletion is retried");
    }
}
