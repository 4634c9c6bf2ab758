package dev.mooring.volume.subpath;

import com.sun.jna.Native;
import dev.mooring.host.Descriptor;
import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.Access;
import dev.mooring.volume.BindSettings;
import dev.mooring.volume.MountCommand;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.TmpfsOptions;
import dev.mooring.volume.UnmountTimeouts;
import dev.mooring.volume.VolumeException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Mounter with plain system calls on the real kernel, a hook before each bind, and additional fake entries in the
 * table.
 */
final class SystemCallMounter implements Mounter {
    private static final int NOT_MOUNTED = 22;

    private final SystemCalls calls = SystemCalls.real();
    final List<String> unmounted = new ArrayList<>();
    Runnable beforeBind = () -> {};
    List<MountTable.Mount> fakeMounts = List.of();

    @Override
    public MountTable table() throws VolumeException {
        try {
            List<MountTable.Mount> all = new ArrayList<>(MountTable.read().mounts());
            all.addAll(fakeMounts);
            return new MountTable(all);
        } catch (IOException e) {
            throw VolumeException.clean("Table", e.toString());
        }
    }

    @Override
    public boolean isMountPoint(Path target) throws VolumeException {
        return table().isMountPoint(target);
    }

    @Override
    public void makeDirectory(Path target) throws VolumeException {
        try {
            Files.createDirectories(target);
        } catch (IOException e) {
            throw VolumeException.clean("Directory", e.toString());
        }
    }

    @Override
    public void bind(Descriptor source, Path target, BindSettings settings) throws VolumeException {
        beforeBind.run();
        new KernelBindMounter(calls).bind(source, target, settings.access());
    }

    @Override
    public void unmount(Path target, UnmountTimeouts limits, OperationProgress progress) throws VolumeException {
        unmounted.add(target.getFileName().toString());
        byte[] path = (target + "\0").getBytes(StandardCharsets.UTF_8);
        while (calls.umount2(path, 0) == 0) {
            progress.report("Unmounted", target.toString());
        }
        if (Native.getLastError() != NOT_MOUNTED) {
            throw VolumeException.uncertain("Unmount", target.toString(), "errno " + Native.getLastError());
        }
    }

    @Override
    public void bind(Path source, Path target, Access access) {
        throw new UnsupportedOperationException("bind by path");
    }

    @Override
    public void removeDirectory(Path target) {
        throw new UnsupportedOperationException("removeDirectory " + target);
    }

    @Override
    public void mountTmpfs(Path target, TmpfsOptions size) {
        throw new UnsupportedOperationException("mountTmpfs " + target);
    }

    @Override
    public void mount(MountCommand command) {
        throw new UnsupportedOperationException(command.toString());
    }
}
