package dev.mooring.volume;

import dev.mooring.host.CommandRunner;
import dev.mooring.host.Descriptor;
import dev.mooring.host.MountSystemCalls;
import dev.mooring.host.MountTable;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import dev.mooring.host.PathHandle;
import dev.mooring.host.SystemCalls;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Mounts and unmounts on this machine. Local mounts use system calls on descriptors; their cost is independent of the
 * number of mounts, except for {@link #unmount} and {@link #table}. Mounts that may hang use child processes.
 *
 * <p>In addition to the interface's contract: {@link #bind} creates the mount point (an empty file for anything but a
 * directory), keeps a correct existing mount and replaces a wrong local one; {@link #mountTmpfs} creates its directory
 * and keeps an existing tmpfs; {@link #isMountPoint} does not access the mounted file system, so it does not hang.
 * {@link #removeDirectory} also removes the empty file that a bind mount used as mount point. Thread-safe for different
 * targets.
 */
public final class LinuxMounter implements Mounter {
    private final SystemCalls calls;
    private final MountTableReader tables;
    private final NodeRootDirectories directories;
    private final LocalMounts local;
    private final MountProgram program;
    private final Unmounter unmounts;

    public LinuxMounter(NodeLayout layout, SystemCalls calls, CommandRunner commands) {
        this(layout, calls, commands, MountTableReader.REAL);
    }

    LinuxMounter(NodeLayout layout, SystemCalls calls, CommandRunner commands, MountTableReader tables) {
        this.calls = calls;
        this.tables = tables;
        MountSystemCalls mounting = new MountSystemCalls(calls);
        this.directories = new NodeRootDirectories(layout, calls, mounting, tables);
        this.local = new LocalMounts(directories, mounting, tables);
        this.unmounts = new Unmounter(local, tables, commands);
        this.program = new MountProgram(unmounts, tables, commands);
    }

    @Override
    public MountTable table() throws VolumeException {
        return tables.read();
    }

    @Override
    public boolean isMountPoint(Path target) throws VolumeException {
        Optional<OpenDirectory> parent = directories.parentIfThere(target);
        if (parent.isEmpty()) {
            return false;
        }
        try (OpenDirectory opened = parent.get()) {
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

    /** Binds the source, following symbolic links in it: an administrator chose the path. */
    @Override
    public void bind(Path source, Path target, Access access) throws VolumeException {
        PathHandle held;
        try {
            held = PathHandle.open(calls, source);
        } catch (PathException e) {
            throw MountFailures.clean("open " + source + " to bind it at " + target, e);
        }
        try (held) {
            local.bind(held, target, BindSettings.of(access));
        }
    }

    @Override
    public void bind(Descriptor source, Path target, BindSettings settings) throws VolumeException {
        local.bind(source, target, settings);
    }

    @Override
    public void mountTmpfs(Path target, TmpfsOptions size) throws VolumeException {
        local.mountTmpfs(target, size);
    }

    @Override
    public void mount(MountCommand command) throws VolumeException, InterruptedException {
        directories.requireBelowRoot(command.target());
        program.mount(command);
    }

    @Override
    public void unmount(Path target, UnmountTimeouts limits, OperationProgress progress)
            throws VolumeException, InterruptedException {
        directories.requireBelowRoot(target);
        unmounts.unmount(target, limits, progress);
    }

    @Override
    public void unmountBind(Path target, UnmountTimeouts limits, OperationProgress progress)
            throws VolumeException, InterruptedException {
        if (!tables.read().below(target).isEmpty()) {
            local.detach(target);
        }
        unmount(target, limits, progress);
    }
}
