package dev.mooring.volume.mount;

import dev.mooring.volume.Access;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.Progress;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.path.Descriptor;
import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.Held;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.Mounting;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.CommandRunner;
import java.nio.file.Path;
import java.util.Optional;

/**
 * This machine's mounts. What is local is done by system calls on descriptors, and its cost does not grow with the number of mounts except
 * for {@link #unmount} and {@link #table}; what may hang is done by child processes.
 *
 * <p>Beyond the port: {@link #bind} makes what it binds onto (an empty file for anything but a directory), is content with the right
 * thing already there, and replaces a wrong local one; {@link #memory} makes its directory, and leaves a file system in memory that is
 * already there; {@link #isMountPoint} does not touch what is mounted, so it does not hang. {@link #removeDirectory} also removes the
 * empty file that something was bound onto. Any thread, one at a time per target.
 */
public final class LinuxMounter implements Mounter {
    private final SystemCalls calls;
    private final Tables tables;
    private final OwnDirectories directories;
    private final LocalMounts local;
    private final MountProgram program;
    private final Unmounts unmounts;

    public LinuxMounter(NodeLayout layout, SystemCalls calls, CommandRunner commands) {
        this(layout, calls, commands, Tables.REAL);
    }

    LinuxMounter(NodeLayout layout, SystemCalls calls, CommandRunner commands, Tables tables) {
        this.calls = calls;
        this.tables = tables;
        Mounting mounting = new Mounting(calls);
        this.directories = new OwnDirectories(layout, calls, mounting, tables);
        this.local = new LocalMounts(directories, mounting, tables);
        this.unmounts = new Unmounts(local, tables, commands);
        this.program = new MountProgram(unmounts, tables, commands);
    }

    @Override
    public MountTable table() throws VolumeException {
        return tables.read();
    }

    @Override
    public boolean isMountPoint(Path target) throws VolumeException {
        Optional<Directory> parent = directories.parentIfThere(target);
        if (parent.isEmpty()) {
            return false;
        }
        try (Directory opened = parent.get()) {
            return directories.isMountPoint(opened, target);
        }
    }

    @Override
    public void makeDirectory(Path target) throws VolumeException {
        directories.make(target);
    }

    @Override
    public void removeDirectory(Path target) throws VolumeException {
        directories.remove(target);
    }

    /** Links in the source are followed: it is the path of an administrator. */
    @Override
    public void bind(Path source, Path target, Access access) throws VolumeException {
        Held held;
        try {
            held = Held.open(calls, source);
        } catch (PathException e) {
            throw Failures.clean("open " + source + ", which is to be bound at " + target, e);
        }
        try (held) {
            local.bind(held, target, access);
        }
    }

    @Override
    public void bind(Descriptor source, Path target, Access access) throws VolumeException {
        local.bind(source, target, access);
    }

    @Override
    public void memory(Path target, MemorySize size) throws VolumeException {
        local.memory(target, size);
    }

    @Override
    public void mount(MountCommand command) throws VolumeException, InterruptedException {
        directories.mustBeOwn(command.target());
        program.mount(command);
    }

    @Override
    public void unmount(Path target, UnmountLimits limits, Progress progress)
            throws VolumeException, InterruptedException {
        directories.mustBeOwn(target);
        unmounts.unmount(target, limits, progress);
    }
}
