package dev.mooring.volume.nfs;

import dev.mooring.volume.Access;
import dev.mooring.volume.Progress;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.mount.MemorySize;
import dev.mooring.volume.mount.MountCommand;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.mount.UnmountLimits;
import dev.mooring.volume.path.Descriptor;
import dev.mooring.volume.path.MountTable;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Writes down how long each unmount may take, and sees to it that mounts have the node's deadline.
 *
 * @param twist what is mounted in place of what was asked for
 */
record LimitsMounter(Mounter inner, List<UnmountLimits> limits, UnaryOperator<MountCommand> twist) implements Mounter {
    @Override
    public MountTable table() throws VolumeException {
        return inner.table();
    }

    @Override
    public boolean isMountPoint(Path target) {
        throw new AssertionError(
                "Expected nobody to touch what may be on a server, but " + target + " was asked about");
    }

    @Override
    public void makeDirectory(Path target) throws VolumeException {
        inner.makeDirectory(target);
    }

    @Override
    public void removeDirectory(Path target) throws VolumeException {
        inner.removeDirectory(target);
    }

    @Override
    public void bind(Path source, Path target, Access access) throws VolumeException {
        inner.bind(source, target, access);
    }

    @Override
    public void bind(Descriptor source, Path target, Access access) throws VolumeException {
        inner.bind(source, target, access);
    }

    @Override
    public void memory(Path target, MemorySize size) throws VolumeException {
        inner.memory(target, size);
    }

    @Override
    public void mount(MountCommand command) throws VolumeException, InterruptedException {
        if (!command.deadline().equals(NfsBench.DEADLINE)) {
            throw new AssertionError("Expected the node's deadline, but found " + command.deadline());
        }
        inner.mount(twist.apply(command));
    }

    @Override
    public void unmount(Path target, UnmountLimits given, Progress progress)
            throws VolumeException, InterruptedException {
        limits.add(given);
        inner.unmount(target, given, progress);
    }
}
