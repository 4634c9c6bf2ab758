package dev.mooring.volume.emptydir;

import dev.mooring.host.MountTable;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import dev.mooring.host.TreeRemover;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.VolumeException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * Deletes the content of a directory that containers wrote to. Links are removed, never followed; if anything is
 * mounted below the directory, nothing is deleted. An interrupted deletion can be continued. Thread-safe for different
 * directories.
 */
final class EmptyDirContent {
    private final PluginContext context;

    EmptyDirContent(PluginContext pluginContext) {
        this.context = pluginContext;
    }

    /** Deletes the content; the directory itself stays. A missing directory is success. */
    void delete(Path target) throws VolumeException, InterruptedException {
        try (OpenDirectory parent = OpenDirectory.open(context.calls(), target.getParent())) {
            delete(parent, target);
        } catch (PathException e) {
            if (e.isOtherMount()) {
                throw mounted(target, target + " or something in it is a mount point");
            }
            if (!e.isMissing()) {
                throw VolumeException.uncertain("NotDeleted", "cannot delete " + target + ": " + e.getMessage(), "");
            }
        }
    }

    private void delete(OpenDirectory parent, Path target) throws PathException, VolumeException, InterruptedException {
        String name = target.getFileName().toString();
        OpenDirectory top;
        try {
            top = parent.open(name);
        } catch (PathException e) {
            if (!e.isThroughSymlink()) {
                throw e;
            }
            // Not a directory created here. Remove the file or link itself.
            parent.removeFile(name);
            return;
        }
        try (top) {
            // Nothing can be mounted below an empty directory, so the mount table need not be read.
            if (top.entries().next().isEmpty()) {
                return;
            }
            requireNoMounts(target);
            TreeRemover.empty(top, Set.of());
        }
    }

    private void requireNoMounts(Path target) throws VolumeException {
        MountTable table = context.mounter().table();
        List<MountTable.Mount> below = table.below(target);
        if (table.isMountPoint(target) || !below.isEmpty()) {
            throw mounted(
                    target,
                    below.isEmpty()
                            ? target + " is a mount point"
                            : below.get(0).source() + " is mounted at "
                                    + below.get(0).point());
        }
    }

    private static VolumeException mounted(Path target, String found) {
        return VolumeException.uncertain(
                "MountedInside",
                "nothing in " + target + " is deleted, because " + found
                        + ": unmount it (umount), the deletion is retried",
                "");
    }
}
