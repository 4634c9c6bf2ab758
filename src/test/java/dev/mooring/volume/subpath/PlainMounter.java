package dev.mooring.volume.subpath;

import com.sun.jna.Native;
import dev.mooring.volume.Access;
import dev.mooring.volume.Progress;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.mount.MemorySize;
import dev.mooring.volume.mount.MountCommand;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.mount.UnmountLimits;
import dev.mooring.volume.path.Descriptor;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.SystemCalls;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The real kernel's mounts by plain system calls, with a word to the test before each bind, and a table that may lie. */
final class PlainMounter implements Mounter {
    private static final int NOT_MOUNTED = 22;

    private final SystemCalls calls = SystemCalls.real();
    final List<String> unmounted = new ArrayList<>();
    Runnable beforeBind = () -> {};
    List<MountTable.Mount> pretended = List.of();

    @Override
    public MountTable table() throws VolumeException {
        try {
            List<MountTable.Mount> all = new ArrayList<>(MountTable.read().mounts());
            all.addAll(pretended);
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
    public void bind(Descriptor source, Path target, Access access) throws VolumeException {
        beforeBind.run();
        new KernelBinder(calls).bind(source, target, access);
    }

    @Override
    public void unmount(Path target, UnmountLimits limits, Progress progress) throws VolumeException {
        unmounted.add(target.getFileName().toString());
        byte[] path = (target + "\0").getBytes(StandardCharsets.UTF_8);
        while (calls.umount2(path, 0) == 0) {
            progress.step("Unmounted", target.toString());
        }
        if (Native.getLastError() != NOT_MOUNTED) {
            throw VolumeException.uncertain("Unmount", target.toString(), "errno " + Native.getLastError());
        }
    }

    @Override
    public void bind(Path source, Path target, Access access) {
        throw new UnsupportedOperationException("by path");
    }

    @Override
    public void removeDirectory(Path target) {
        throw new UnsupportedOperationException("removing " + target);
    }

    @Override
    public void memory(Path target, MemorySize size) {
        throw new UnsupportedOperationException("memory at " + target);
    }

    @Override
    public void mount(MountCommand command) {
        throw new UnsupportedOperationException(command.toString());
    }
}
