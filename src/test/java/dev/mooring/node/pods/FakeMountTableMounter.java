package dev.mooring.node.pods;

import dev.mooring.host.Descriptor;
import dev.mooring.host.MountTable;
import dev.mooring.volume.Access;
import dev.mooring.volume.BindSettings;
import dev.mooring.volume.MountCommand;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.TmpfsOptions;
import dev.mooring.volume.UnmountTimeouts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Supplier;

/** A mounter that reports the mounts of a kernel in memory and mounts nothing. */
record FakeMountTableMounter(Supplier<Set<String>> mounted) implements Mounter {
    @Override
    public MountTable table() {
        StringBuilder table = new StringBuilder("1 0 8:1 / / rw - ext4 /dev/root rw\n");
        int id = 2;
        for (String path : mounted.get()) {
            table.append(id++).append(" 1 0:9 / ").append(path).append(" rw - nfs4 nas:/x rw\n");
        }
        return MountTable.parse(table.toString());
    }

    @Override
    public boolean isMountPoint(Path target) {
        return mounted.get().contains(target.toString());
    }

    @Override
    public void makeDirectory(Path target) {
        try {
            Files.createDirectories(target);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void removeDirectory(Path target) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void bind(Path source, Path target, Access access) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void bind(Descriptor source, Path target, BindSettings settings) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void mountTmpfs(Path target, TmpfsOptions size) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void mount(MountCommand command) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void unmount(Path target, UnmountTimeouts limits, OperationProgress progress) {
        throw new UnsupportedOperationException();
    }
}
