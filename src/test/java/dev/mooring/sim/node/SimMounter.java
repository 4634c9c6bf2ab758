package dev.mooring.sim.node;

import dev.mooring.host.Descriptor;
import dev.mooring.host.MountTable;
import dev.mooring.volume.Access;
import dev.mooring.volume.BindSettings;
import dev.mooring.volume.MountCommand;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.TmpfsOptions;
import dev.mooring.volume.UnmountTimeouts;
import java.nio.file.Path;

/**
 * Mounter of the simulation: shows the mount table and creates directories. The simulated plugins mount by themselves.
 */
record SimMounter(SimMachine machine) implements Mounter {
    @Override
    public MountTable table() {
        machine.recordMountCheck();
        return machine.kernel().table();
    }

    @Override
    public boolean isMountPoint(Path target) {
        machine.recordMountCheck();
        return machine.kernel().top(target.toString()).isPresent();
    }

    @Override
    public void makeDirectory(Path target) {
        machine.kernel().makeDirectory(target.toString());
    }

    @Override
    public void removeDirectory(Path target) {
        machine.kernel().removeDirectory(target.toString());
    }

    @Override
    public void bind(Path source, Path target, Access access) {
        throw new UnsupportedOperationException("not simulated");
    }

    @Override
    public void bind(Descriptor source, Path target, BindSettings settings) {
        throw new UnsupportedOperationException("not simulated");
    }

    @Override
    public void mountTmpfs(Path target, TmpfsOptions size) {
        throw new UnsupportedOperationException("not simulated");
    }

    @Override
    public void mount(MountCommand command) {
        throw new UnsupportedOperationException("not simulated");
    }

    @Override
    public void unmount(Path target, UnmountTimeouts limits, OperationProgress progress) {
        throw new UnsupportedOperationException("not simulated");
    }
}
