package dev.mooring.volume.local;

import dev.mooring.volume.Access;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.Progress;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.block.FileSystems;
import dev.mooring.volume.host.FileKind;
import dev.mooring.volume.host.Sight;
import dev.mooring.volume.host.Sight.Answers;
import dev.mooring.volume.mount.MountCommand;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.mount.UnmountLimits;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.Reference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A block device with a file system, mounted once for all Pods of the node. Formatted if nothing at all is on it; if that is cut off, a
 * person has to empty the device, because a disk cannot be told from another that has taken its name. Any thread, but never two for one
 * volume.
 */
final class LocalDisk {
    private static final String USUAL_TYPE = "ext4";

    /** The one kind that cannot grow while it is not. */
    private static final String GROWS_MOUNTED = "xfs";

    private final PluginParts parts;
    private final Mounter mounter;
    private final FileSystems fileSystems;

    LocalDisk(PluginParts parts) {
        this.parts = parts;
        this.mounter = parts.mounter();
        this.fileSystems = new FileSystems(parts.commands());
    }

    Path place(VolumeSpec volume) {
        return parts.layout().shared(LocalPlugin.NAME, volume.name());
    }

    /** @param device its node, no link */
    DeviceState mount(VolumeSpec volume, Path device, Access access, Progress progress)
            throws VolumeException, InterruptedException {
        Path place = place(volume);
        DeviceState state = new DeviceState(device.toString(), Optional.of(place));
        if (mounter.isMountPoint(place)) {
            if (isMountOf(device, place)) {
                allowWriting(device, place, access);
                return state;
            }
            mounter.unmount(place, UnmountLimits.LOCAL, progress);
        }
        String type = prepare(volume, device.toString(), access, progress);
        mountAt(place, volume, device, type, access);
        if (access == Access.READ_WRITE
                && type.equals(GROWS_MOUNTED)
                && fileSystems.needsGrowth(device.toString(), type)) {
            grow(device.toString(), type, place);
        }
        return state;
    }

    private void mountAt(Path place, VolumeSpec volume, Path device, String type, Access access)
            throws VolumeException, InterruptedException {
        List<String> options = new ArrayList<>(volume.mountOptions());
        options.removeIf(each -> each.equals("rw") || each.equals("ro"));
        options.add(access == Access.READ_ONLY ? "ro" : "rw");
        mounter.makeDirectory(place);
        try {
            mounter.mount(new MountCommand(type, device.toString(), place, options, parts.deadline()));
        } catch (VolumeException e) {
            if (e.left() == VolumeException.Left.NOTHING) {
                mounter.removeDirectory(place);
            }
            throw e;
        }
        if (!mounter.isMountPoint(place) || !isMountOf(device, place)) {
            throw VolumeException.uncertain(
                    "NotMounted", "Expected " + device + " to be mounted at " + place + ", but it is not", "");
        }
    }

    private String prepare(VolumeSpec volume, String device, Access access, Progress progress)
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

    /** Where it is mounted. A directory on which nothing is mounted would take a Pod's data, and show it to nobody. */
    Sight mounted(VolumeSpec volume, Path device) throws VolumeException {
        Path place = place(volume);
        if (!mounter.isMountPoint(place) || !isMountOf(device, place)) {
            throw VolumeException.clean(
                    "NotMounted", "Expected " + device + " to be mounted at " + place + ", but it is not (yet)");
        }
        return new Sight(FileKind.DIRECTORY, place, Answers.AT_ONCE, FileKind.DIRECTORY.toString());
    }

    private boolean isMountOf(Path device, Path place) throws VolumeException {
        try (Reference mounted = Reference.open(parts.calls(), place)) {
            return DeviceNumber.of(device).holds(mounted.status());
        } catch (PathException e) {
            throw VolumeException.uncertain("Unreadable", "cannot look at " + place + ": " + e.getMessage(), "");
        }
    }

    /** An earlier Pod may have wanted to read only. Whoever wants only to read is kept from writing by the mount of its own. */
    private void allowWriting(Path device, Path place, Access access) throws VolumeException, InterruptedException {
        try (Reference mounted = Reference.open(parts.calls(), place)) {
            if (access == Access.READ_ONLY || !mounted.isReadOnly()) {
                return;
            }
        } catch (PathException e) {
            throw VolumeException.uncertain("Unreadable", "cannot look at " + place + ": " + e.getMessage(), "");
        }
        String type = mounter.table().at(place).map(MountTable.Mount::type).orElse(USUAL_TYPE);
        mounter.mount(new MountCommand(type, device.toString(), place, List.of("remount", "rw"), parts.deadline()));
    }

    /** Whatever is mounted there: only disks of this kind are. */
    void unmount(VolumeSpec volume, Progress progress) throws VolumeException, InterruptedException {
        Path place = place(volume);
        if (mounter.isMountPoint(place)) {
            nobodyHasIt(place);
            mounter.unmount(place, UnmountLimits.LOCAL, progress);
        }
        mounter.removeDirectory(place);
    }

    private void nobodyHasIt(Path place) throws VolumeException {
        MountTable table = mounter.table();
        String device = table.at(place).map(MountTable.Mount::device).orElse("");
        for (MountTable.Mount each : table.mounts()) {
            Path point = Path.of(each.point());
            if (each.device().equals(device) && point.startsWith(parts.layout().pods())) {
                throw VolumeException.uncertain(
                        "InUse",
                        place + " is not unmounted: it is still mounted at " + each.point() + " for a Pod",
                        "");
            }
        }
    }

    /** Nothing if it can only grow when it is mounted the next time. */
    Optional<Long> grow(String device, Path place) throws VolumeException, InterruptedException {
        return grow(device, fileSystems.typeOf(device).orElse(USUAL_TYPE), place);
    }

    private Optional<Long> grow(String device, String type, Path place) throws VolumeException, InterruptedException {
        try {
            return Optional.of(fileSystems.grow(device, type, place));
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
