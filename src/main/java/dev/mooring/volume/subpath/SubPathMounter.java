package dev.mooring.volume.subpath;

import dev.mooring.host.Descriptor;
import dev.mooring.host.FileReference;
import dev.mooring.host.FileStatus;
import dev.mooring.host.MountScope;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.Access;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.subpath.SubPathException.SubPathStage;
import dev.mooring.volume.subpath.SubPathJob.SubPathResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Opens a subPath of a volume, binds it to a path below Mooring's root and verifies the mount. Runs in the server
 * process, where it must not hang, or in a child process. Stateless; thread-safe for different targets.
 */
final class SubPathMounter {
    private final SystemCalls calls;
    private final BindMounter binder;
    private final MountScope reach;

    private SubPathMounter(SystemCalls calls, BindMounter binder, MountScope reach) {
        this.calls = calls;
        this.binder = binder;
        this.reach = reach;
    }

    /**
     * Returns a mounter that reports {@code MAY_HANG} instead of hanging, for volumes without a network mount on the
     * way to them.
     */
    static SubPathMounter refusingHangs(SystemCalls calls, BindMounter binder) {
        return new SubPathMounter(calls, binder, MountScope.SAME_MOUNT);
    }

    /** Returns a mounter that enters all mounts and may hang. */
    static SubPathMounter allowingHangs(SystemCalls calls, BindMounter binder) {
        return new SubPathMounter(calls, binder, MountScope.ANY_MOUNT);
    }

    SubPathResult perform(SubPathJob job) throws SubPathException, VolumeException {
        try {
            Path path = path(job);
            Optional<FileReference> root = root(path);
            if (root.isEmpty()) {
                return SubPathResult.MAY_HANG;
            }
            int permissions = permissions(root.get());
            try (SubPathResolver walk = new SubPathResolver(root.get(), path, reach, permissions)) {
                return bindTarget(walk.resolve(job.subPath()), job);
            }
        } catch (PathException e) {
            if (reach == MountScope.SAME_MOUNT && e.isOtherMount()) {
                return SubPathResult.MAY_HANG;
            }
            throw SubPathException.of(SubPathStage.PREPARING, e);
        }
    }

    /** Resolves links in the path of the volume, which only the machine's administrator controls. */
    private Path path(SubPathJob job) throws SubPathException {
        if (reach == MountScope.SAME_MOUNT) {
            return job.root();
        }
        try {
            return job.root().toRealPath();
        } catch (IOException e) {
            throw new SubPathException(
                    SubPathStage.PREPARING, "NotFound", "error resolving symlinks in \"" + job.root() + "\": " + e);
        }
    }

    /** Opens the root of the volume; empty if its path contains links, which may lead to a path that hangs. */
    private Optional<FileReference> root(Path path) throws PathException {
        try {
            return Optional.of(FileReference.open(calls, path));
        } catch (PathException e) {
            if (reach == MountScope.SAME_MOUNT && e.isThroughSymlink()) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private static int permissions(FileReference root) throws PathException {
        try {
            return root.status().permissions();
        } catch (PathException e) {
            root.close();
            throw e;
        }
    }

    private SubPathResult bindTarget(FileReference source, SubPathJob job)
            throws PathException, SubPathException, VolumeException {
        FileStatus status = source.status();
        String name = job.target().getFileName().toString();
        try (OpenDirectory parent = OpenDirectory.open(calls, job.target().getParent())) {
            if (isMounted(parent, name)) {
                return isShown(source, status, parent, name, job.access())
                        ? SubPathResult.DONE
                        : SubPathResult.OCCUPIED;
            }
            makeMountPoint(parent, name, status);
            binder.bind(source, job.target(), job.access());
            return isShown(source, status, parent, name, job.access()) ? SubPathResult.DONE : SubPathResult.OCCUPIED;
        }
    }

    private static boolean isMounted(OpenDirectory parent, String name) throws PathException {
        try (FileReference there = parent.reference(name, MountScope.SAME_MOUNT)) {
            return false;
        } catch (PathException e) {
            if (e.isOtherMount() || e.isStale()) {
                return true;
            }
            if (e.isMissing()) {
                return false;
            }
            throw e;
        }
    }

    /** Returns whether the target shows the same file with the requested access. */
    private static boolean isShown(
            FileReference source, FileStatus status, OpenDirectory parent, String name, Access access)
            throws PathException {
        try (FileReference there = parent.reference(name, MountScope.ANY_MOUNT)) {
            return there.status().location().isSameFileAs(status.location()) && isAsWritable(there, source, access);
        } catch (PathException e) {
            if (e.isStale() || e.isMissing()) {
                return false;
            }
            throw e;
        }
    }

    private static boolean isAsWritable(Descriptor there, Descriptor source, Access access) throws PathException {
        FileStatus.FileType type = there.status().type();
        if (type == FileStatus.FileType.OTHER) {
            // Access to sockets, pipes and devices does not depend on the file system that contains them.
            return true;
        }
        boolean readOnly = access == Access.READ_ONLY || source.isReadOnly();
        return there.isReadOnly() == readOnly;
    }

    /** Creates the mount point: a directory for a directory, a file for anything else. */
    private static void makeMountPoint(OpenDirectory parent, String name, FileStatus source)
            throws PathException, SubPathException {
        FileStatus there = parent.status(name).orElse(null);
        if (there != null && there.isDirectory() != source.isDirectory()) {
            MountPointCleanup.remove(parent, name, there);
            there = null;
        }
        if (there == null && source.isDirectory()) {
            parent.makeDirectory(name);
        } else if (there == null) {
            parent.createFile(name).close();
        }
    }
}
