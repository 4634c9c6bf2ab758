package dev.mooring.volume.content;

import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import dev.mooring.host.TreeRemover;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.TmpfsOptions;
import dev.mooring.volume.UnmountTimeouts;
import dev.mooring.volume.VolumeException;
import java.nio.file.Path;
import java.util.Set;

/**
 * The directory or tmpfs that holds the files of a volume. All operations can be repeated after an interruption.
 * Thread-safe for different targets.
 */
final class ContentDirectory {
    /** No explicit tmpfs size: the kernel's default applies. Containers cannot write, and API objects are small. */
    private static final long NO_LIMIT = 0;

    private final PluginContext context;
    private final ContentMedium medium;

    ContentDirectory(PluginContext pluginContext, ContentMedium keeping) {
        this.context = pluginContext;
        this.medium = keeping;
    }

    /** Returns whether the directory exists and holds a published version. */
    boolean isPublished(Path target) throws VolumeException, PathException {
        boolean mounted = context.mounter().isMountPoint(target);
        if (mounted != (medium == ContentMedium.IN_MEMORY)) {
            return false;
        }
        try (OpenDirectory volume = OpenDirectory.open(context.calls(), target)) {
            return AtomicWriter.published(volume).isPresent();
        } catch (PathException e) {
            if (e.isMissing()) {
                return false;
            }
            throw e;
        }
    }

    /** Creates the directory. Call only if it is not published: a mount found there is an unused leftover. */
    void make(Path target, OperationProgress progress) throws VolumeException, InterruptedException {
        unmount(target, progress);
        context.mounter().makeDirectory(target);
        if (medium == ContentMedium.IN_MEMORY) {
            context.mounter().mountTmpfs(target, new TmpfsOptions(NO_LIMIT, medium.permissions()));
        }
    }

    /** Opens the directory and sets its permissions. */
    OpenDirectory open(Path target, FsGroupPermissions access) throws PathException {
        OpenDirectory volume = OpenDirectory.open(context.calls(), target);
        boolean given = false;
        try {
            access.applyIfDifferent(volume, access.directoryPermissions(medium.permissions()));
            given = true;
            return volume;
        } finally {
            if (!given) {
                volume.close();
            }
        }
    }

    /** Removes the directory: unmounts a tmpfs, deletes files on disk. A missing directory is success. */
    void remove(Path target, OperationProgress progress) throws VolumeException, PathException, InterruptedException {
        unmount(target, progress);
        if (medium == ContentMedium.ON_DISK) {
            empty(target);
        }
        context.mounter().removeDirectory(target);
    }

    private void unmount(Path target, OperationProgress progress) throws VolumeException, InterruptedException {
        if (context.mounter().isMountPoint(target)) {
            context.mounter().unmount(target, UnmountTimeouts.LOCAL, progress);
        }
    }

    private void empty(Path target) throws VolumeException, PathException, InterruptedException {
        try (OpenDirectory volume = OpenDirectory.open(context.calls(), target)) {
            NestedMountCheck.require(volume, target, context.mounter());
            TreeRemover.empty(volume, Set.of());
        } catch (PathException e) {
            if (!e.isMissing()) {
                throw e;
            }
        }
    }
}
