package dev.mooring.volume.nfs;

import dev.mooring.host.Descriptor;
import dev.mooring.host.MountTable;
import dev.mooring.volume.Access;
import dev.mooring.volume.BindSettings;
import dev.mooring.volume.MountCommand;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.TmpfsOptions;
import dev.mooring.volume.UnmountTimeouts;
import dev.mooring.volume.VolumeException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Mounter that records the timeouts of unmounts and requires that mounts have the node's deadline.
 *
 * @param substitution replaces the requested mounts
 */
record TimeoutRecordingMounter(Mounter inner, List<UnmountTimeouts> timeouts, UnaryOperator<MountCommand> substitution)
        implements Mounter {
    @Override
    public MountTable table() throws VolumeException {
        return inner.table();
    }

    @Override
    public boolean isMountPoint(Path target) {
        throw new AssertionError("isMountPoint must not be called for a path that may be remote: " + target);
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
    public void bind(Descriptor source, Path target, BindSettings settings) throws VolumeException {
        inner.bind(source, target, settings);
    }

    @Override
    public void mountTmpfs(Path target, TmpfsOptions size) throws VolumeException {
        inner.mountTmpfs(target, size);
    }

    @Override
    public void mount(MountCommand command) throws VolumeException, InterruptedException {
        if (!command.deadline().equals(NfsPluginFixture.DEADLINE)) {
            throw new AssertionError("Expected the node's deadline but was " + command.deadline());
        }
        inner.mount(substitution.apply(command));
    }

    @Override
    public void unmount(Path target, UnmountTimeouts given, OperationProgress progress)
            throws VolumeException, InterruptedException {
        timeouts.add(given);
        inner.unmount(target, given, progress);
    }
}
