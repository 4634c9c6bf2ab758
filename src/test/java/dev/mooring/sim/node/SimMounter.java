package dev.mooring.sim.node;

import dev.mooring.volume.Access;
import dev.mooring.volume.Progress;
import dev.mooring.volume.mount.MemorySize;
import dev.mooring.volume.mount.MountCommand;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.mount.UnmountLimits;
import dev.mooring.volume.path.Descriptor;
import dev.mooring.volume.path.MountTable;
import java.nio.file.Path;

/** Tells who makes containers what is mounted, and makes directories. The plugins of the simulation mount by themselves. */
record SimMounter(SimMachine machine) implements Mounter {
    @Override
    public MountTable table() {
        machine.lookedAtMounts();
        return machine.kernel().table();
    }

    @Override
    public boolean isMountPoint(Path target) {
        machine.lookedAtMounts();
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
        throw new UnsupportedOperationException("nobody binds here");
    }

    @Override
    public void bind(Descriptor source, Path target, Access access) {
        throw new UnsupportedOperationException("nobody binds here");
    }

    @Override
    public void memory(Path target, MemorySize size) {
        throw new UnsupportedOperationException("nobody mounts here");
    }

    @Override
    public void mount(MountCommand command) {
        throw new UnsupportedOperationException("nobody mounts here");
    }

    @Override
    public void unmount(Path target, UnmountLimits limits, Progress progress) {
        throw new UnsupportedOperationException("nobody unmounts here");
    }
}
