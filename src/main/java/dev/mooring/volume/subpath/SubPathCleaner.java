package dev.mooring.volume.subpath;

import dev.mooring.host.DirectoryEntries;
import dev.mooring.host.FileStatus;
import dev.mooring.host.MountTable;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.UnmountTimeouts;
import dev.mooring.volume.VolumeException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Removes subPath mounts. Reads mounts from the mount table and never accesses mounted file systems; unmounts each
 * entry and then removes it if it is empty. Anything else that it finds stays and is an error. Stateless and
 * thread-safe.
 */
final class SubPathCleaner {
    private static final String REASON = "SubPathNotCleaned";

    private final NodeLayout layout;
    private final Mounter mounter;
    private final SystemCalls calls;

    SubPathCleaner(NodeLayout layout, Mounter mounter, SystemCalls calls) {
        this.layout = layout;
        this.mounter = mounter;
        this.calls = calls;
    }

    void cleanAll(String podUid, OperationProgress progress) throws VolumeException, InterruptedException {
        for (String volume : names(top(podUid, "any"))) {
            cleanVolume(podUid, volume, progress);
        }
        removeIfEmpty(top(podUid, "any"));
    }

    void cleanVolume(String podUid, String volume, OperationProgress progress)
            throws VolumeException, InterruptedException {
        Path directory = top(podUid, volume).resolve(volume);
        if (!exists(directory)) {
            return;
        }
        MountTable table = mounter.table();
        for (String container : names(directory)) {
            Path ofContainer = directory.resolve(container);
            for (String index : names(ofContainer)) {
                remove(ofContainer, index, table, progress);
            }
            removeEmpty(directory, container);
        }
        removeEmpty(directory.getParent(), volume);
        removeIfEmpty(directory.getParent());
    }

    /** Returns the directory of all subPath mounts of a Pod's volume. */
    private Path top(String podUid, String volume) {
        return layout.subPath(podUid, volume, "any", 0).getParent().getParent().getParent();
    }

    private void remove(Path directory, String name, MountTable table, OperationProgress progress)
            throws VolumeException, InterruptedException {
        Path target = directory.resolve(name);
        Optional<MountTable.Mount> mount = table.at(target);
        if (mount.isPresent()) {
            mounter.unmount(target, mount.get().isLocal() ? UnmountTimeouts.LOCAL : UnmountTimeouts.REMOTE, progress);
        }
        try (OpenDirectory opened = OpenDirectory.open(calls, directory)) {
            FileStatus status = opened.status(name).orElse(null);
            if (status != null) {
                MountPointCleanup.remove(opened, name, status);
            }
        } catch (PathException e) {
            throw failed("error deleting " + target, e);
        } catch (SubPathException e) {
            throw VolumeException.uncertain(REASON, e.getMessage(), "");
        }
    }

    private void removeEmpty(Path directory, String name) throws VolumeException {
        try (OpenDirectory opened = OpenDirectory.open(calls, directory)) {
            opened.removeDirectory(name);
        } catch (PathException e) {
            if (!e.isMissing()) {
                throw failed("error deleting " + directory.resolve(name), e);
            }
        }
    }

    /** Removes the directory if it is empty; other containers may still use it. */
    private void removeIfEmpty(Path directory) throws VolumeException {
        try (OpenDirectory opened = OpenDirectory.open(calls, directory.getParent())) {
            opened.removeDirectory(directory.getFileName().toString());
        } catch (PathException e) {
            if (!e.isMissing() && !e.isExisting()) {
                throw failed("error deleting " + directory, e);
            }
        }
    }

    private boolean exists(Path directory) throws VolumeException {
        try (OpenDirectory opened = OpenDirectory.open(calls, directory)) {
            return true;
        } catch (PathException e) {
            if (e.isMissing()) {
                return false;
            }
            throw failed("error reading " + directory, e);
        }
    }

    /** Returns all names, read before any entry is removed; empty if the directory does not exist. */
    private List<String> names(Path directory) throws VolumeException {
        List<String> names = new ArrayList<>();
        try (OpenDirectory opened = OpenDirectory.open(calls, directory)) {
            DirectoryEntries entries = opened.entries();
            for (List<String> some = entries.next(); !some.isEmpty(); some = entries.next()) {
                names.addAll(some);
            }
        } catch (PathException e) {
            if (!e.isMissing()) {
                throw failed("error reading " + directory, e);
            }
        }
        return names;
    }

    private static VolumeException failed(String what, PathException e) {
        return VolumeException.uncertain(REASON, what + ": " + e.getMessage(), e.getMessage());
    }
}
