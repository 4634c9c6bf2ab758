package dev.mooring.volume.empty;

import dev.mooring.volume.PluginParts;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.Tree;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * Deletes what containers have left in a directory. They may have planted anything: links are removed, never followed; if anything is
 * mounted there nothing at all is deleted. What was cut off goes on where it was. Any thread, but never two for one directory.
 */
final class OwnContent {
    private final PluginParts parts;

    OwnContent(PluginParts parts) {
        this.parts = parts;
    }

    /** The directory itself stays. One that is not there is empty. */
    void delete(Path target) throws VolumeException, InterruptedException {
        try (Directory parent = Directory.open(parts.calls(), target.getParent())) {
            delete(parent, target);
        } catch (PathException e) {
            if (e.isElsewhere()) {
                throw mounted(target, target + " or something in it is a mount point");
            }
            if (!e.isMissing()) {
                throw VolumeException.uncertain("NotDeleted", "cannot delete " + target + ": " + e.getMessage(), "");
            }
        }
    }

    private void delete(Directory parent, Path target) throws PathException, VolumeException, InterruptedException {
        String name = target.getFileName().toString();
        Directory top;
        try {
            top = parent.open(name);
        } catch (PathException e) {
            if (!e.isDiverted()) {
                throw e;
            }
            // Not what was made here: a file or a link, which goes without anybody looking where it leads.
            parent.removeFile(name);
            return;
        }
        try (top) {
            // Where nothing is nothing can be mounted; that spares most Pods the long mount table.
            if (top.entries().next().isEmpty()) {
                return;
            }
            nothingIsMounted(target);
            Tree.empty(top, Set.of());
        }
    }

    private void nothingIsMounted(Path target) throws VolumeException {
        MountTable table = parts.mounter().table();
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
                        + ": unmount it (umount), it is then tried again by itself",
                "");
    }
}
