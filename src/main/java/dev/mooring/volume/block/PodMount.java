package dev.mooring.volume.block;

import dev.mooring.host.FileStatus;
import dev.mooring.host.MountTable.Mount;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import dev.mooring.volume.Access;
import dev.mooring.volume.BindSettings;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.UnmountTimeouts;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.subpath.GroupOwnership;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A Pod's mount of a block volume: a bind mount of the global mount or of the device. Reads the whole mount table only
 * if it finds something unexpected. Thread-safe for different volumes and Pods; blocks.
 */
final class PodMount {
    private final PluginContext context;
    private final Mounter mounter;
    private final GroupOwnership groups;

    PodMount(PluginContext pluginContext) {
        this.context = pluginContext;
        this.mounter = pluginContext.mounter();
        this.groups = new GroupOwnership(pluginContext.calls(), pluginContext.clock());
    }

    SetUpResult bindForPod(SetUpRequest request, DeviceState device, OperationProgress progress)
            throws VolumeException, InterruptedException {
        Path shared = device.deviceMountPath()
                .orElseThrow(() -> VolumeException.clean(
                        "NotMounted", request.volume().name() + " is not mounted on this node yet"));
        try (OpenDirectory source = OpenDirectory.open(context.calls(), shared)) {
            requireMountedFrom(device, source.status(), shared);
            mounter.bind(
                    source,
                    request.target(),
                    BindSettings.of(
                            request.access(),
                            BindSettings.restrictions(request.volume().mountOptions())));
        } catch (PathException e) {
            throw VolumeException.clean("NotMounted", e.getMessage());
        }
        List<SetUpResult.SetUpEvent> events = new ArrayList<>();
        if (request.fsGroup().isPresent() && request.access() == Access.READ_WRITE) {
            groups.apply(request.target(), request.fsGroup().get(), request.access(), progress)
                    .event()
                    .ifPresent(events::add);
        }
        List<String> options = BindSettings.restricted(request.volume().mountOptions());
        String access = options(request.access());
        if (!options.contains("ro") && !options.contains(access)) {
            options.add(0, access);
        }
        return new SetUpResult(request.target(), device.devicePath(), options, events);
    }

    /**
     * Requires that the global mount is mounted. Otherwise the Pod would write to the bare directory, and its data
     * would be hidden by the next mount.
     */
    private static void requireMountedFrom(DeviceState device, FileStatus directory, Path shared)
            throws VolumeException {
        String wanted = LoopDevices.numberOf(device.devicePath());
        String found = ImageFile.device(directory);
        if (!found.equals(wanted)) {
            throw VolumeException.clean(
                    "NotMounted",
                    shared + " must be a mount of " + device.devicePath() + " (" + wanted
                            + "), but is a directory of device " + found);
        }
    }

    /**
     * Binds the raw device. Read-only access must be enforced in the container configuration, because a device node has
     * no per-mount access mode.
     */
    SetUpResult bindDevice(SetUpRequest request, DeviceState device) throws VolumeException {
        mounter.bind(Path.of(device.devicePath()), request.target(), Access.READ_WRITE);
        return new SetUpResult(request.target(), device.devicePath(), List.of(options(request.access())), List.of());
    }

    private static String options(Access access) {
        return access == Access.READ_ONLY ? "ro" : "rw";
    }

    /** Returns whether the mount shows this device, identified by the name that the kernel reports in /dev. */
    static boolean isDevice(Mount mount, String device) {
        return mount.root().equals("/" + Path.of(device).getFileName())
                && (mount.type().equals("devtmpfs") || mount.type().equals("tmpfs"));
    }

    void unmountForPod(Path target, OperationProgress progress) throws VolumeException, InterruptedException {
        if (mounter.isMountPoint(target)) {
            mounter.unmount(target, UnmountTimeouts.LOCAL, progress);
        }
        mounter.removeDirectory(target);
    }
}
