package dev.mooring.volume.local;

import dev.mooring.volume.Access;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.Progress;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.mount.MountCommand;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.mount.UnmountLimits;
import dev.mooring.volume.path.MountTable;
import java.nio.file.Path;
import java.util.List;

/**
 * Binds directories that may hang, and changes the options of single mounts, by mount(8) in a child process with a deadline. What came of
 * it is read from the mount table; nothing of it is touched. Any thread, but never two for one target.
 */
final class FarBinding {
    /** For mounts of which mount(8) needs to know no type and no device. */
    private static final String NONE = "none";

    private final PluginParts parts;
    private final Mounter mounter;

    FarBinding(PluginParts parts) {
        this.parts = parts;
        this.mounter = parts.mounter();
    }

    void bind(Path source, Path target, Access access, List<String> asked, Progress progress)
            throws VolumeException, InterruptedException {
        if (mounter.isMountPoint(target) && !isThere(source, target)) {
            mounter.unmount(target, UnmountLimits.REMOTE, progress);
        }
        if (!mounter.isMountPoint(target)) {
            mounter.makeDirectory(target);
            mount(source.toString(), target, List.of("bind"));
        }
        change(target, access, asked);
        if (!isThere(source, target)) {
            throw VolumeException.uncertain(
                    "NotMounted",
                    "Expected " + source + " at " + target + ", but the mount table shows something else",
                    mounter.table().at(target).map(MountTable.Mount::toString).orElse(""));
        }
        boolean readOnly =
                mounter.table().at(target).filter(MountTable.Mount::isReadOnly).isPresent();
        if (access == Access.READ_ONLY && !readOnly) {
            throw VolumeException.uncertain(
                    "WrongAccess", "Expected " + target + " to be read-only, but it can be written to", "");
        }
    }

    /** By the words of the table alone: the same file system, and the same directory of it. */
    private boolean isThere(Path source, Path target) throws VolumeException {
        MountTable table = mounter.table();
        MountTable.Mount from = table.of(source);
        Path root = Path.of(from.root())
                .resolve(Path.of(from.point()).relativize(source))
                .normalize();
        return table.at(target)
                .filter(each ->
                        each.device().equals(from.device()) && each.root().equals(root.toString()))
                .isPresent();
    }

    /** Exactly these options hold for the mount afterwards; other mounts of the same file system keep theirs. */
    void change(Path target, Access access, List<String> asked) throws VolumeException, InterruptedException {
        mount(NONE, target, BindOptions.remount(access, asked));
    }

    private void mount(String source, Path target, List<String> options) throws VolumeException, InterruptedException {
        mounter.mount(new MountCommand(NONE, source, target, options, parts.deadline()));
    }
}
