package dev.mooring.volume.block;

import dev.mooring.host.FileStatus;
import dev.mooring.host.MountTable;
import dev.mooring.host.MountTable.Mount;
import dev.mooring.model.EventReasons;
import dev.mooring.volume.Access;
import dev.mooring.volume.BindSettings;
import dev.mooring.volume.MountCommand;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.UnmountTimeouts;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.block.LoopDevices.LoopDevice;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The global mount of an attached image, shared by all Pods of the node. Creates the file system if there is none,
 * checks it, and grows it to the size of the device. Thread-safe for different volumes; blocks.
 */
final class BlockGlobalMount {
    private static final String DEFAULT_TYPE = "ext4";

    private final PluginContext context;
    private final Mounter mounter;
    private final LoopDevices loops;
    private final FileSystems fileSystems;

    BlockGlobalMount(PluginContext pluginContext, LoopDevices loops, FileSystems fileSystems) {
        this.context = pluginContext;
        this.mounter = pluginContext.mounter();
        this.loops = loops;
        this.fileSystems = fileSystems;
    }

    /** Returns the path of the global mount. */
    Path target(VolumeSpec volume) {
        return context.layout().globalMount(BlockPlugin.NAME, volume.name());
    }

    /** Mounts the volume and returns the path. */
    Path mount(VolumeSpec volume, ImageFile image, LoopDevice loop, Access asked, OperationProgress progress)
            throws VolumeException, InterruptedException {
        BlockOptions.requireSupported(volume.mountOptions());
        Access access = volume.mountOptions().contains("ro") ? Access.READ_ONLY : asked;
        Path target = target(volume);
        MountTable table = mounter.table();
        Optional<Mount> existing = table.at(target);
        if (existing.isPresent()) {
            if (matches(existing.get(), loop, access)) {
                return target;
            }
            mounter.unmount(target, UnmountTimeouts.LOCAL, progress);
            table = mounter.table();
        }
        String type = wantedType(volume, loop);
        if (access == Access.READ_ONLY) {
            requireFormatted(loop);
        } else if (!isMounted(table, loop)) {
            prepare(image, loop, type, progress);
        }
        mounter.makeDirectory(target);
        mount(new MountCommand(type, loop.path(), target, options(volume, access), context.deadline()), loop, access);
        if (access == Access.READ_WRITE && !type.startsWith("ext") && fileSystems.needsGrowth(loop.path(), type)) {
            fileSystems.grow(loop.path(), type, target);
        }
        return target;
    }

    /**
     * Returns the requested file system type; if none is requested, the existing one; if there is none, the default.
     */
    private String wantedType(VolumeSpec volume, LoopDevice loop) throws VolumeException, InterruptedException {
        String asked = volume.source().path("csi").path("fsType").asText("");
        if (!asked.isEmpty()) {
            return asked;
        }
        return fileSystems.typeOf(loop.path()).filter(FileSystems::isSupported).orElse(DEFAULT_TYPE);
    }

    private void requireFormatted(LoopDevice loop) throws VolumeException, InterruptedException {
        if (fileSystems.typeOf(loop.path()).isEmpty()) {
            throw VolumeException.clean(
                    "Unformatted",
                    "cannot mount unformatted disk " + loop.path() + " as we are manipulating it in read-only mode");
        }
    }

    static boolean isMounted(MountTable table, LoopDevice loop) {
        return table.mounts().stream().anyMatch(each -> each.device().equals(loop.number()));
    }

    private void prepare(ImageFile image, LoopDevice loop, String type, OperationProgress progress)
            throws VolumeException, InterruptedException {
        FileStatus status = image.requireStatus();
        loops.updateCapacity(loop, status);
        fileSystems.formatIfEmpty(loop.path(), type, image.formatMarker(status), progress);
        fileSystems.check(loop.path(), type);
        if (type.startsWith("ext") && fileSystems.needsGrowth(loop.path(), type)) {
            progress.report(
                    EventReasons.GROWING_FILE_SYSTEM,
                    "expanding the " + type + " on " + loop.path() + " before mounting it");
            fileSystems.growUnmounted(loop.path(), type);
        }
    }

    /** Grows the file system while it is mounted; empty if it is not mounted, or can only be grown while unmounted. */
    Optional<Long> grow(LoopDevice loop, Path target, OperationProgress progress)
            throws VolumeException, InterruptedException {
        Optional<Mount> existing = mounter.table().at(target);
        if (existing.isEmpty() || !existing.get().device().equals(loop.number())) {
            return Optional.empty();
        }
        try {
            return Optional.of(fileSystems.grow(loop.path(), existing.get().type(), target));
        } catch (VolumeException e) {
            if (!e.reason().equals(FileSystems.NOT_PERMITTED)) {
                throw e;
            }
            progress.report(e.reason(), e.getMessage());
            return Optional.empty();
        }
    }

    private static List<String> options(VolumeSpec volume, Access access) {
        List<String> options = BindSettings.restricted(volume.mountOptions());
        if (access == Access.READ_ONLY) {
            options.removeIf(each -> each.equals("rw") || each.equals("ro"));
            options.add("ro");
        }
        return options;
    }

    /** Mounts and then checks the mount table, because the exit code of mount(8) is not reliable. */
    private void mount(MountCommand command, LoopDevice loop, Access access)
            throws VolumeException, InterruptedException {
        VolumeException failure = null;
        try {
            mounter.mount(command);
        } catch (VolumeException e) {
            failure = e;
        }
        Optional<Mount> existing = mounter.table().at(command.target());
        if (existing.isPresent() && matches(existing.get(), loop, access)) {
            return;
        }
        if (failure != null) {
            if (existing.isEmpty() && failure.failureState() == FailureState.CLEAN) {
                mounter.removeDirectory(command.target());
            }
            throw failure;
        }
        throw VolumeException.uncertain(
                "NotMounted",
                loop.path() + " is not mounted at " + command.target() + ", but "
                        + existing.map(BlockGlobalMount::describe).orElse("nothing")
                        + " is: see the kernel log of " + loop.path() + " (dmesg)",
                existing.map(Mount::toString).orElse(""));
    }

    private static String describe(Mount mount) {
        return mount.source() + " (" + mount.type() + ", " + (mount.isReadOnly() ? "read-only" : "read-write") + ')';
    }

    private static boolean matches(Mount existing, LoopDevice loop, Access access) {
        return existing.device().equals(loop.number())
                && existing.root().equals("/")
                && (access == Access.READ_ONLY || !existing.isReadOnly());
    }
}
