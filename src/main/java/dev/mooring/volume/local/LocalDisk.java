package dev.mooring.volume.local;

import dev.mooring.host.FileReference;
import dev.mooring.host.MountTable;
import dev.mooring.host.PathException;
import dev.mooring.volume.Access;
import dev.mooring.volume.BindSettings;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.MountCommand;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.UnmountTimeouts;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.block.FileSystems;
import dev.mooring.volume.hostpath.FileKind;
import dev.mooring.volume.hostpath.ObservedPath;
import dev.mooring.volume.hostpath.ObservedPath.Responsiveness;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A block device with a file system, mounted once for all Pods of the node. Formats an empty device. If formatting is
 * interrupted, a person must wipe the device, because a device name may refer to another disk after a restart.
 * Thread-safe for different volumes.
 */
final class LocalDisk {
    private static final String USUAL_TYPE = "ext4";

    /** The only supported type that can only grow while mounted. */
    private static final String GROWS_MOUNTED = "xfs";

    private final PluginContext context;
    private final Mounter mounter;
    private final FileSystems fileSystems;

    LocalDisk(PluginContext pluginContext) {
        this.context = pluginContext;
        this.mounter = pluginContext.mounter();
        this.fileSystems = new FileSystems(pluginContext.commands());
    }

    Path mountPath(VolumeSpec volume) {
        return context.layout().globalMount(LocalPlugin.NAME, volume.name());
    }

    /**
     * Mounts the device.
     *
     * @param device path of the device node, not a link
     */
    DeviceState mount(VolumeSpec volume, Path device, Access access, OperationProgress progress)
            throws VolumeException, InterruptedException {
        Path mountPath = mountPath(volume);
        DeviceState state = new DeviceState(device.toString(), Optional.of(mountPath));
        if (mounter.isMountPoint(mountPath)) {
            if (isMountOf(device, mountPath)) {
                allowWriting(volume, device, mountPath, access);
                return state;
            }
            mounter.unmount(mountPath, UnmountTimeouts.LOCAL, progress);
        }
        String type = prepare(volume, device.toString(), access, progress);
        mountAt(mountPath, volume, device, type, access);
        if (access == Access.READ_WRITE
                && type.equals(GROWS_MOUNTED)
                && fileSystems.needsGrowth(device.toString(), type)) {
            grow(device.toString(), type, mountPath);
        }
        return state;
    }

    private void mountAt(Path mountPath, VolumeSpec volume, Path device, String type, Access access)
            throws VolumeException, InterruptedException {
        mounter.makeDirectory(mountPath);
        try {
            mounter.mount(
                    new MountCommand(type, device.toString(), mountPath, options(volume, access), context.deadline()));
        } catch (VolumeException e) {
            if (e.failureState() == VolumeException.FailureState.CLEAN) {
                mounter.removeDirectory(mountPath);
            }
            throw e;
        }
        if (!mounter.isMountPoint(mountPath) || !isMountOf(device, mountPath)) {
            throw VolumeException.uncertain("NotMounted", device + " is not mounted at " + mountPath, "");
        }
    }

    private static List<String> options(VolumeSpec volume, Access access) {
        List<String> options = BindSettings.restricted(volume.mountOptions());
        options.removeIf(each -> each.equals("rw") || each.equals("ro"));
        options.add(access == Access.READ_ONLY ? "ro" : "rw");
        return options;
    }

    private String prepare(VolumeSpec volume, String device, Access access, OperationProgress progress)
            throws VolumeException, InterruptedException {
        String asked = volume.source().path("local").path("fsType").asText("");
        Optional<String> found = fileSystems.typeOf(device);
        String type = asked.isEmpty() ? found.orElse(USUAL_TYPE) : asked;
        if (access == Access.READ_ONLY) {
            if (found.isEmpty()) {
                throw VolumeException.clean(
                        "NotFormatted",
                        "cannot mount unformatted disk " + device
                                + " as we are manipulating it in read-only mode: let a Pod that writes use it first");
            }
            return found.get();
        }
        fileSystems.formatIfEmpty(device, type, progress);
        fileSystems.check(device, type);
        if (fileSystems.needsGrowth(device, type)) {
            fileSystems.growUnmounted(device, type);
        }
        return type;
    }

    /**
     * Returns the global mount. Fails if nothing is mounted there, because a Pod would write to the bare directory and
     * the next mount would hide its data.
     */
    ObservedPath mounted(VolumeSpec volume, Path device) throws VolumeException {
        Path mountPath = mountPath(volume);
        if (!mounter.isMountPoint(mountPath) || !isMountOf(device, mountPath)) {
            throw VolumeException.clean("NotMounted", device + " is not mounted at " + mountPath + " yet");
        }
        return new ObservedPath(FileKind.DIRECTORY, mountPath, Responsiveness.IMMEDIATE, FileKind.DIRECTORY.toString());
    }

    private boolean isMountOf(Path device, Path mountPath) throws VolumeException {
        try (FileReference mounted = FileReference.open(context.calls(), mountPath)) {
            return DeviceNumber.of(device).holds(mounted.status());
        } catch (PathException e) {
            throw VolumeException.uncertain("Unreadable", "cannot inspect " + mountPath + ": " + e.getMessage(), "");
        }
    }

    /**
     * Remounts read-write if an earlier Pod mounted read-only. Read-only Pods are restricted by their own bind mount.
     */
    private void allowWriting(VolumeSpec volume, Path device, Path mountPath, Access access)
            throws VolumeException, InterruptedException {
        try (FileReference mounted = FileReference.open(context.calls(), mountPath)) {
            if (access == Access.READ_ONLY || !mounted.isReadOnly()) {
                return;
            }
        } catch (PathException e) {
            throw VolumeException.uncertain("Unreadable", "cannot inspect " + mountPath + ": " + e.getMessage(), "");
        }
        String type = mounter.table().at(mountPath).map(MountTable.Mount::type).orElse(USUAL_TYPE);
        // A remount drops all options that are not given again.
        List<String> options = options(volume, access);
        options.add(0, "remount");
        mounter.mount(new MountCommand(type, device.toString(), mountPath, options, context.deadline()));
    }

    /** Unmounts whatever is mounted at the path, which is used only for disks of this plugin. */
    void unmount(VolumeSpec volume, OperationProgress progress) throws VolumeException, InterruptedException {
        Path mountPath = mountPath(volume);
        if (mounter.isMountPoint(mountPath)) {
            requireUnused(mountPath);
            mounter.unmount(mountPath, UnmountTimeouts.LOCAL, progress);
        }
        mounter.removeDirectory(mountPath);
    }

    private void requireUnused(Path mountPath) throws VolumeException {
        MountTable table = mounter.table();
        String device = table.at(mountPath).map(MountTable.Mount::device).orElse("");
        for (MountTable.Mount each : table.mounts()) {
            Path point = Path.of(each.point());
            if (each.device().equals(device)
                    && point.startsWith(context.layout().pods())) {
                throw VolumeException.uncertain(
                        "InUse",
                        mountPath + " is not unmounted: it is still mounted at " + each.point() + " for a Pod",
                        "");
            }
        }
    }

    /** Grows the file system; empty if it can only grow on the next mount. */
    Optional<Long> grow(String device, Path mountPath) throws VolumeException, InterruptedException {
        return grow(device, fileSystems.typeOf(device).orElse(USUAL_TYPE), mountPath);
    }

    private Optional<Long> grow(String device, String type, Path mountPath)
            throws VolumeException, InterruptedException {
        try {
            return Optional.of(fileSystems.grow(device, type, mountPath));
        } catch (VolumeException e) {
            if (e.reason().equals(FileSystems.NOT_PERMITTED)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    long size(String device) throws VolumeException, InterruptedException {
        return fileSystems.sizeOf(device);
    }
}
