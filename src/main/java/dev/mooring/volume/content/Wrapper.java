package dev.mooring.volume.content;

import dev.mooring.volume.PluginParts;
import dev.mooring.volume.Progress;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.mount.MemorySize;
import dev.mooring.volume.mount.UnmountLimits;
import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.Tree;
import java.nio.file.Path;
import java.util.Set;

/**
 * The directory, or file system in memory, that the files of a volume are put into. Everything can be done again after it was cut off
 * anywhere. Any thread, but one at a time for a target.
 */
final class Wrapper {
    /** What the kernel allows by itself. Containers cannot write into it, so it holds what objects hold, which is little. */
    private static final long NO_LIMIT = 0;

    private final PluginParts parts;
    private final Keeping keeping;

    Wrapper(PluginParts parts, Keeping keeping) {
        this.parts = parts;
        this.keeping = keeping;
    }

    /** Whether it is there with files in it that containers may see. */
    boolean isPublished(Path target) throws VolumeException, PathException {
        boolean mounted = parts.mounter().isMountPoint(target);
        if (mounted != (keeping == Keeping.IN_MEMORY)) {
            return false;
        }
        try (Directory volume = Directory.open(parts.calls(), target)) {
            return AtomicWriter.published(volume).isPresent();
        } catch (PathException e) {
            if (e.isMissing()) {
                return false;
            }
            throw e;
        }
    }

    /** Makes it. To be used if it is not published: what is mounted there then is a beginning, or not ours, and nobody uses it. */
    void make(Path target, Progress progress) throws VolumeException, InterruptedException {
        unmount(target, progress);
        parts.mounter().makeDirectory(target);
        if (keeping == Keeping.IN_MEMORY) {
            parts.mounter().memory(target, new MemorySize(NO_LIMIT, keeping.permissions()));
        }
    }

    /** With its permissions. */
    Directory open(Path target, GroupAccess access) throws PathException {
        Directory volume = Directory.open(parts.calls(), target);
        boolean given = false;
        try {
            access.giveUnlessHeld(volume, access.ofDirectory(keeping.permissions()));
            given = true;
            return volume;
        } finally {
            if (!given) {
                volume.close();
            }
        }
    }

    /** What is in memory goes with its mount; what is on disk is deleted. What is not there is gone. */
    void remove(Path target, Progress progress) throws VolumeException, PathException, InterruptedException {
        unmount(target, progress);
        if (keeping == Keeping.ON_DISK) {
            empty(target);
        }
        parts.mounter().removeDirectory(target);
    }

    private void unmount(Path target, Progress progress) throws VolumeException, InterruptedException {
        if (parts.mounter().isMountPoint(target)) {
            parts.mounter().unmount(target, UnmountLimits.LOCAL, progress);
        }
    }

    private void empty(Path target) throws VolumeException, PathException, InterruptedException {
        try (Directory volume = Directory.open(parts.calls(), target)) {
            OneMount.require(volume, target, parts.mounter());
            Tree.empty(volume, Set.of());
        } catch (PathException e) {
            if (!e.isMissing()) {
                throw e;
            }
        }
    }
}
