package dev.mooring.volume.mount;

import dev.mooring.volume.Access;
import dev.mooring.volume.Progress;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.path.Descriptor;
import dev.mooring.volume.path.MountTable;
import java.nio.file.Path;

/**
 * Mounts and unmounts. Targets are always below Mooring's own root, whose directories are made and removed here too: one at a time, by
 * name, no link followed, no file ever deleted. A port, so that a test can play the kernel. Several threads at once; blocks.
 */
public interface Mounter {
    /** What is mounted, read without touching any of it. Its cost grows with the number of mounts. */
    MountTable table() throws VolumeException;

    /**
     * Whether something is mounted exactly at a path below the own root. Asks about this one path, so its cost does not grow; not for
     * what may be on a server, see {@link #table}.
     */
    boolean isMountPoint(Path target) throws VolumeException;

    /** Makes a directory below the own root and those above it, readable by their owner only; what is there already stays. */
    void makeDirectory(Path target) throws VolumeException;

    /**
     * Removes an empty directory below the own root, and those above it that are empty thereby, up to but not including the Pod's own.
     * One that is not there has been removed. Refuses one that is not empty or on which something is mounted.
     */
    void removeDirectory(Path target) throws VolumeException;

    /** Makes a directory, or file, of the machine appear at the target too. The source is opened once and not looked up again. */
    void bind(Path source, Path target, Access access) throws VolumeException;

    /** The same for what has been opened already, so that nobody can put another in its place. */
    void bind(Descriptor source, Path target, Access access) throws VolumeException;

    /** An empty file system in memory. */
    void memory(Path target, MemorySize size) throws VolumeException;

    /**
     * What {@code mount -t type -o options source target} does, as a child process with a deadline, killed when it passes. Whether it is
     * then mounted, the caller reads from {@link #table}.
     */
    void mount(MountCommand command) throws VolumeException, InterruptedException;

    /**
     * Unmounts everything that is mounted at the target: plainly; if that hangs, by force; if that does not help, lazily. Each step after the
     * first is told. Returns when the mount table no longer has it.
     */
    void unmount(Path target, UnmountLimits limits, Progress progress) throws VolumeException, InterruptedException;
}
