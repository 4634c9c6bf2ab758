package dev.mooring.volume;

import dev.mooring.host.Descriptor;
import dev.mooring.host.MountTable;
import java.nio.file.Path;

/**
 * Mounts and unmounts file systems. Targets are always below Mooring's root, whose directories are also created and
 * removed here: by name, without following links, and without deleting files. An interface, so that tests can replace
 * the kernel. Thread-safe; blocks.
 */
public interface Mounter {
    /** Returns the mount table, without accessing any mounted file system. The cost grows with the number of mounts. */
    MountTable table() throws VolumeException;

    /**
     * Returns whether something is mounted at exactly this path below Mooring's root. The cost is independent of the
     * number of mounts; not for mounts that may be on a server, see {@link #table}.
     */
    boolean isMountPoint(Path target) throws VolumeException;

    /**
     * Creates a directory below Mooring's root, and its parents, accessible by the owner only; existing directories
     * stay unchanged.
     */
    void makeDirectory(Path target) throws VolumeException;

    /**
     * Removes an empty directory below Mooring's root, and parents that become empty, up to but excluding the Pod's
     * directory. A missing directory is success. Refuses a directory that is not empty or is a mount point.
     */
    void removeDirectory(Path target) throws VolumeException;

    /** Bind-mounts a directory or file to the target. The source is opened once and not looked up again. */
    void bind(Path source, Path target, Access access) throws VolumeException;

    /** Bind-mounts an open file, so that its path cannot be replaced concurrently. */
    default void bind(Descriptor source, Path target, Access access) throws VolumeException {
        bind(source, target, BindSettings.of(access));
    }

    /** Bind-mounts an open file with the given settings, which the kernel has confirmed on return. */
    void bind(Descriptor source, Path target, BindSettings settings) throws VolumeException;

    /** Mounts an empty tmpfs. */
    void mountTmpfs(Path target, TmpfsOptions size) throws VolumeException;

    /**
     * Runs {@code mount -t type -o options source target} as a child process, killed at its deadline. After a timeout
     * the caller must check {@link #table}.
     */
    void mount(MountCommand command) throws VolumeException, InterruptedException;

    /**
     * Unmounts everything at the target: first a plain umount; if that hangs, a forced one; if that fails, a lazy one.
     * Reports each step after the first. On return the mount table no longer contains the target.
     */
    void unmount(Path target, UnmountTimeouts limits, OperationProgress progress)
            throws VolumeException, InterruptedException;

    /** Unmounts a bind mount, including mounts below it. */
    default void unmountBind(Path target, UnmountTimeouts limits, OperationProgress progress)
            throws VolumeException, InterruptedException {
        unmount(target, limits, progress);
    }
}
