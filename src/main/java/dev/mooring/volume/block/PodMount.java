package dev.mooring.volume.block;

import dev.mooring.volume.Access;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.Progress;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.group.GroupOwnership;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.mount.UnmountLimits;
import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.MountTable.Mount;
import dev.mooring.volume.path.PathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What one Pod sees of a block volume: the mount that all share, or the device, bound to the Pod's own place. Without a look at the whole
 * mount table as long as nothing unexpected is found. Any thread, but never two for one volume and Pod; blocks.
 */
final class PodMount {
    private final PluginParts parts;
    private final Mounter mounter;
    private final GroupOwnership groups;

    PodMount(PluginParts parts) {
        this.parts = parts;
        this.mounter = parts.mounter();
        this.groups = new GroupOwnership(parts.calls(), parts.clock());
    }

    SetUpDone show(SetUp what, DeviceState device, Progress progress) throws VolumeException, InterruptedException {
        Path shared = device.mounted()
                .orElseThrow(() ->
                        VolumeException.clean("NotMounted", what.volume().name() + " is not mounted on this node yet"));
        try (Directory source = Directory.open(parts.calls(), shared)) {
            mustBeOn(device, source.status(), shared);
            mounter.bind(source, what.target(), what.access());
        } catch (PathException e) {
            throw VolumeException.clean("NotMounted", e.getMessage());
        }
        List<SetUpDone.Remark> remarks = new ArrayList<>();
        if (what.ownership().isPresent() && what.access() == Access.READ_WRITE) {
            groups.apply(what.target(), what.ownership().get(), what.access(), progress)
                    .remark()
                    .ifPresent(remarks::add);
        }
        List<String> options = new ArrayList<>(what.volume().mountOptions());
        String access = options(what.access());
        if (!options.contains("ro") && !options.contains(access)) {
            options.add(0, access);
        }
        return new SetUpDone(what.target(), device.path(), options, remarks);
    }

    /** A directory on which nothing is mounted any more would take a Pod's data, and show it to nobody. */
    private static void mustBeOn(DeviceState device, FileStatus directory, Path shared) throws VolumeException {
        String wanted = LoopDevices.numberOf(device.path());
        String found = ImageFile.device(directory);
        if (!found.equals(wanted)) {
            throw VolumeException.clean(
                    "NotMounted",
                    "Expected " + device.path() + " (" + wanted + ") at " + shared
                            + ", but found a directory of device " + found);
        }
    }

    /**
     * That a Pod may only read a device is for whoever hands it to a container to enforce: on the node a device has one access for all.
     */
    SetUpDone showDevice(SetUp what, DeviceState device) throws VolumeException {
        mounter.bind(Path.of(device.path()), what.target(), Access.READ_WRITE);
        return new SetUpDone(what.target(), device.path(), List.of(options(what.access())), List.of());
    }

    private static String options(Access access) {
        return access == Access.READ_ONLY ? "ro" : "rw";
    }

    /** Whether this device is what is seen there. The kernel tells the name it has in /dev. */
    static boolean isDevice(Mount mount, String device) {
        return mount.root().equals("/" + Path.of(device).getFileName())
                && (mount.type().equals("devtmpfs") || mount.type().equals("tmpfs"));
    }

    void hide(Path target, Progress progress) throws VolumeException, InterruptedException {
        if (mounter.isMountPoint(target)) {
            mounter.unmount(target, UnmountLimits.LOCAL, progress);
        }
        mounter.removeDirectory(target);
    }
}
