package dev.mooring.volume.subpath;

import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.Progress;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.mount.UnmountLimits;
import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.Entries;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.SystemCalls;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Takes parts of volumes away again. What is mounted is read from the mount table, so nothing that is mounted is ever looked into; each name
 * is unmounted first and then removed, if it is empty. Whatever else is found stays, and is an error. Stateless; any thread.
 */
final class SubPathCleaning {
    private static final String REASON = "SubPathNotCleaned";

    private final NodeLayout layout;
    private final Mounter mounter;
    private final SystemCalls calls;

    SubPathCleaning(NodeLayout layout, Mounter mounter, SystemCalls calls) {
        this.layout = layout;
        this.mounter = mounter;
        this.calls = calls;
    }

    void all(String podUid, Progress progress) throws VolumeException, InterruptedException {
        for (String volume : names(top(podUid, "any"))) {
            volume(podUid, volume, progress);
        }
        removeIfEmpty(top(podUid, "any"));
    }

    void volume(String podUid, String volume, Progress progress) throws VolumeException, InterruptedException {
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

    /** The directory of all parts of volumes of a Pod. */
    private Path top(String podUid, String volume) {
        return layout.subPath(podUid, volume, "any", 0).getParent().getParent().getParent();
    }

    private void remove(Path directory, String name, MountTable table, Progress progress)
            throws VolumeException, InterruptedException {
        Path target = directory.resolve(name);
        Optional<MountTable.Mount> mount = table.at(target);
        if (mount.isPresent()) {
            mounter.unmount(target, mount.get().isLocal() ? UnmountLimits.LOCAL : UnmountLimits.REMOTE, progress);
        }
        try (Directory opened = Directory.open(calls, directory)) {
            FileStatus status = opened.status(name).orElse(null);
            if (status != null) {
                MountPoints.remove(opened, name, status);
            }
        } catch (PathException e) {
            throw failed("error deleting " + target, e);
        } catch (SubPathException e) {
            throw VolumeException.uncertain(REASON, e.getMessage(), "");
        }
    }

    private void removeEmpty(Path directory, String name) throws VolumeException {
        try (Directory opened = Directory.open(calls, directory)) {
            opened.removeDirectory(name);
        } catch (PathException e) {
            if (!e.isMissing()) {
                throw failed("error deleting " + directory.resolve(name), e);
            }
        }
    }

    /** Others may still have something in it. */
    private void removeIfEmpty(Path directory) throws VolumeException {
        try (Directory opened = Directory.open(calls, directory.getParent())) {
            opened.removeDirectory(directory.getFileName().toString());
        } catch (PathException e) {
            if (!e.isMissing() && !e.isTaken()) {
                throw failed("error deleting " + directory, e);
            }
        }
    }

    private boolean exists(Path directory) throws VolumeException {
        try (Directory opened = Directory.open(calls, directory)) {
            return true;
        } catch (PathException e) {
            if (e.isMissing()) {
                return false;
            }
            throw failed("error reading " + directory, e);
        }
    }

    /** All of them, read before any is removed; none if the directory is not there. */
    private List<String> names(Path directory) throws VolumeException {
        List<String> names = new ArrayList<>();
        try (Directory opened = Directory.open(calls, directory)) {
            Entries entries = opened.entries();
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
