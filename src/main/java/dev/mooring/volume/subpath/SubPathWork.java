package dev.mooring.volume.subpath;

import dev.mooring.volume.Access;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.path.Descriptor;
import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.Reach;
import dev.mooring.volume.path.Reference;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.subpath.SubPathException.Stage;
import dev.mooring.volume.subpath.SubPathJob.End;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Opens a part of a volume, binds it to a path of Mooring's own and looks whether it is there. Does so in a process that must not hang, or in
 * one that may. Stateless; any thread, but not two for one target.
 */
final class SubPathWork {
    private final SystemCalls calls;
    private final Binder binder;
    private final Reach reach;

    private SubPathWork(SystemCalls calls, Binder binder, Reach reach) {
        this.calls = calls;
        this.binder = binder;
        this.reach = reach;
    }

    /** Says so where it might hang; where the mount table has nothing remote on the way to the volume. */
    static SubPathWork careful(SystemCalls calls, Binder binder) {
        return new SubPathWork(calls, binder, Reach.SAME_MOUNT);
    }

    /** Goes where a container could go, and waits for whatever is there. */
    static SubPathWork patient(SystemCalls calls, Binder binder) {
        return new SubPathWork(calls, binder, Reach.ANY_MOUNT);
    }

    End perform(SubPathJob job) throws SubPathException, VolumeException {
        try {
            Path path = path(job);
            Optional<Reference> root = root(path);
            if (root.isEmpty()) {
                return End.TOO_FAR;
            }
            int permissions = permissions(root.get());
            try (VolumeWalk walk = new VolumeWalk(root.get(), path, reach, permissions)) {
                return show(walk.to(job.subPath()), job);
            }
        } catch (PathException e) {
            if (reach == Reach.SAME_MOUNT && e.isElsewhere()) {
                return End.TOO_FAR;
            }
            throw SubPathException.of(Stage.PREPARING, e);
        }
    }

    /** Links on the way to the volume are the machine's own, not its users'. */
    private Path path(SubPathJob job) throws SubPathException {
        if (reach == Reach.SAME_MOUNT) {
            return job.root();
        }
        try {
            return job.root().toRealPath();
        } catch (IOException e) {
            throw new SubPathException(
                    Stage.PREPARING, "NotFound", "error resolving symlinks in \"" + job.root() + "\": " + e);
        }
    }

    /** Nothing if links lead to it, and perhaps to where it hangs. */
    private Optional<Reference> root(Path path) throws PathException {
        try {
            return Optional.of(Reference.open(calls, path));
        } catch (PathException e) {
            if (reach == Reach.SAME_MOUNT && e.isDiverted()) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private static int permissions(Reference root) throws PathException {
        try {
            return root.status().permissions();
        } catch (PathException e) {
            root.close();
            throw e;
        }
    }

    private End show(Reference source, SubPathJob job) throws PathException, SubPathException, VolumeException {
        FileStatus status = source.status();
        String name = job.target().getFileName().toString();
        try (Directory parent = Directory.open(calls, job.target().getParent())) {
            if (isMounted(parent, name)) {
                return isShown(source, status, parent, name, job.access()) ? End.DONE : End.OCCUPIED;
            }
            makePoint(parent, name, status);
            binder.bind(source, job.target(), job.access());
            return isShown(source, status, parent, name, job.access()) ? End.DONE : End.OCCUPIED;
        }
    }

    private static boolean isMounted(Directory parent, String name) throws PathException {
        try (Reference there = parent.refer(name, Reach.SAME_MOUNT)) {
            return false;
        } catch (PathException e) {
            if (e.isElsewhere() || e.isStale()) {
                return true;
            }
            if (e.isMissing()) {
                return false;
            }
            throw e;
        }
    }

    /** The same file, and writable if it was to be. */
    private static boolean isShown(Reference source, FileStatus status, Directory parent, String name, Access access)
            throws PathException {
        try (Reference there = parent.refer(name, Reach.ANY_MOUNT)) {
            return there.status().place().isSameFileAs(status.place()) && isAsWritable(there, source, access);
        } catch (PathException e) {
            if (e.isStale() || e.isMissing()) {
                return false;
            }
            throw e;
        }
    }

    private static boolean isAsWritable(Descriptor there, Descriptor source, Access access) throws PathException {
        FileStatus.Type type = there.status().type();
        if (type == FileStatus.Type.OTHER) {
            // Sockets, pipes and devices do not belong to the file system they are in.
            return true;
        }
        boolean readOnly = access == Access.READ_ONLY || source.isReadOnly();
        return there.isReadOnly() == readOnly;
    }

    /** A directory can be mounted on a directory only, anything else on anything else. */
    private static void makePoint(Directory parent, String name, FileStatus source)
            throws PathException, SubPathException {
        FileStatus there = parent.status(name).orElse(null);
        if (there != null && there.isDirectory() != source.isDirectory()) {
            MountPoints.remove(parent, name, there);
            there = null;
        }
        if (there == null && source.isDirectory()) {
            parent.makeDirectory(name);
        } else if (there == null) {
            parent.createFile(name).close();
        }
    }
}
