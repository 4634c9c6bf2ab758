package dev.mooring.volume.block;

import dev.mooring.volume.Access;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.Progress;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.block.LoopDevices.Loop;
import dev.mooring.volume.mount.MountCommand;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.mount.UnmountLimits;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.MountTable.Mount;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The file system of an attached image, mounted in one place for all Pods: made if there is none, checked, grown to the size of its device.
 * Any thread, but never two for one volume; blocks.
 */
final class SharedMount {
    private static final String DEFAULT_TYPE = "ext4";

    private final PluginParts parts;
    private final Mounter mounter;
    private final LoopDevices loops;
    private final FileSystems fileSystems;

    SharedMount(PluginParts parts, LoopDevices loops, FileSystems fileSystems) {
        this.parts = parts;
        this.mounter = parts.mounter();
        this.loops = loops;
        this.fileSystems = fileSystems;
    }

    /** Where. */
    Path target(VolumeSpec volume) {
        return parts.layout().shared(BlockPlugin.NAME, volume.name());
    }

    /** Afterwards it is mounted there, and answers with the path. */
    Path mount(VolumeSpec volume, ImageFile image, Loop loop, Access asked, Progress progress)
            throws VolumeException, InterruptedException {
        BlockOptions.mustBeTaken(volume.mountOptions());
        Access access = volume.mountOptions().contains("ro") ? Access.READ_ONLY : asked;
        Path target = target(volume);
        MountTable table = mounter.table();
        Optional<Mount> there = table.at(target);
        if (there.isPresent()) {
            if (isRight(there.get(), loop, access)) {
                return target;
            }
            mounter.unmount(target, UnmountLimits.LOCAL, progress);
            table = mounter.table();
        }
        String type = wantedType(volume, loop);
        if (access == Access.READ_ONLY) {
            mustBeFormatted(loop);
        } else if (!isMounted(table, loop)) {
            prepare(image, loop, type, progress);
        }
        mounter.makeDirectory(target);
        mount(new MountCommand(type, loop.path(), target, options(volume, access), parts.deadline()), loop, access);
        if (access == Access.READ_WRITE && !type.startsWith("ext") && fileSystems.needsGrowth(loop.path(), type)) {
            fileSystems.grow(loop.path(), type, target);
        }
        return target;
    }

    /** Whoever does not say what he wants gets what is there. */
    private String wantedType(VolumeSpec volume, Loop loop) throws VolumeException, InterruptedException {
        String asked = volume.source().path("csi").path("fsType").asText("");
        if (!asked.isEmpty()) {
            return asked;
        }
        return fileSystems.typeOf(loop.path()).filter(FileSystems::knows).orElse(DEFAULT_TYPE);
    }

    private void mustBeFormatted(Loop loop) throws VolumeException, InterruptedException {
        if (fileSystems.typeOf(loop.path()).isEmpty()) {
            throw VolumeException.clean(
                    "Unformatted",
                    "cannot mount unformatted disk " + loop.path() + " as we are manipulating it in read-only mode");
        }
    }

    static boolean isMounted(MountTable table, Loop loop) {
        return table.mounts().stream().anyMatch(each -> each.device().equals(loop.number()));
    }

    private void prepare(ImageFile image, Loop loop, String type, Progress progress)
            throws VolumeException, InterruptedException {
        FileStatus status = image.mustBeThere();
        loops.adoptSize(loop, status);
        fileSystems.formatIfEmpty(loop.path(), type, image.mark(status), progress);
        fileSystems.check(loop.path(), type);
        if (type.startsWith("ext") && fileSystems.needsGrowth(loop.path(), type)) {
            progress.step("GrowingFileSystem", "growing the " + type + " on " + loop.path() + " before it is mounted");
            fileSystems.growUnmounted(loop.path(), type);
        }
    }

    /** Grows it while it is used; nothing if it is not mounted, or only whoever has it unmounted may grow it. */
    Optional<Long> grow(Loop loop, Path target, Progress progress) throws VolumeException, InterruptedException {
        Optional<Mount> there = mounter.table().at(target);
        if (there.isEmpty() || !there.get().device().equals(loop.number())) {
            return Optional.empty();
        }
        try {
            return Optional.of(fileSystems.grow(loop.path(), there.get().type(), target));
        } catch (VolumeException e) {
            if (!e.reason().equals(FileSystems.NOT_PERMITTED)) {
                throw e;
            }
            progress.step(e.reason(), e.getMessage());
            return Optional.empty();
        }
    }

    private static List<String> options(VolumeSpec volume, Access access) {
        List<String> options = new ArrayList<>(volume.mountOptions());
        if (access == Access.READ_ONLY) {
            options.removeIf(each -> each.equals("rw") || each.equals("ro"));
            options.add("ro");
        }
        return options;
    }

    /** mount(8) may say one thing and the kernel have done another, so the kernel is asked. */
    private void mount(MountCommand command, Loop loop, Access access) throws VolumeException, InterruptedException {
        VolumeException failure = null;
        try {
            mounter.mount(command);
        } catch (VolumeException e) {
            failure = e;
        }
        Optional<Mount> there = mounter.table().at(command.target());
        if (there.isPresent() && isRight(there.get(), loop, access)) {
            return;
        }
        if (failure != null) {
            if (there.isEmpty() && failure.left() == Left.NOTHING) {
                mounter.removeDirectory(command.target());
            }
            throw failure;
        }
        throw VolumeException.uncertain(
                "NotMounted",
                "Expected " + loop.path() + " at " + command.target() + ", but "
                        + there.map(SharedMount::words).orElse("nothing")
                        + " is mounted there: see dmesg for what the kernel says of " + loop.path(),
                there.map(Mount::toString).orElse(""));
    }

    private static String words(Mount mount) {
        return mount.source() + " (" + mount.type() + ", " + (mount.isReadOnly() ? "read-only" : "read-write") + ')';
    }

    private static boolean isRight(Mount there, Loop loop, Access access) {
        return there.device().equals(loop.number())
                && there.root().equals("/")
                && (access == Access.READ_ONLY || !there.isReadOnly());
    }
}
