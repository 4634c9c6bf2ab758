package dev.mooring.volume.work;

import dev.mooring.host.DirectoryEntries;
import dev.mooring.host.MountTable;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import dev.mooring.host.SystemCalls;
import dev.mooring.host.TreeRemover;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.work.Leftover.LeftoverKind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Removes {@code pods/<uid>} after the Pod is gone and its volumes have been torn down. To protect user data:
 *
 * <ul>
 * <li>If the mount table shows a mount at or below the directory, nothing is removed. Reading the table does not block
 * on hanging servers.
 * <li>Of volumes, only empty directories are removed: volume directories are not entered and no file is deleted.
 * <li>Of subPath mounts, empty files that served as mount points are removed too.
 * <li>Plugin state and termination message files belong to Mooring and are deleted with their content once no volume is
 * left.
 * <li>Everything else stays and is reported.
 * <li>No link is followed and no other mount is entered: see {@link OpenDirectory}.
 * </ul>
 *
 * Can be repeated after an interruption. Thread-safe for different Pods; blocks on the local disk only.
 */
public final class PodDirectory {
    private static final String SUBPATHS = "volume-subpaths";
    private static final Set<String> OWN = Set.of("containers", "plugins");
    private static final Set<String> VOLUMES = Set.of("volumes", "volumeDevices");

    private final NodeLayout layout;
    private final Mounter mounter;
    private final SystemCalls calls;

    public PodDirectory(NodeLayout layout, Mounter mounter, SystemCalls calls) {
        this.layout = layout;
        this.mounter = mounter;
        this.calls = calls;
    }

    /**
     * Returns the uids of all Pod directories, whether or not the Pod exists. Skips names that cannot be uids, such as
     * lost+found.
     */
    public List<String> podUids() throws PathException {
        List<String> uids = new ArrayList<>();
        try (OpenDirectory pods = OpenDirectory.open(calls, layout.pods())) {
            DirectoryEntries entries = pods.entries();
            for (List<String> some = entries.next(); !some.isEmpty(); some = entries.next()) {
                some.stream().filter(PodDirectory::isPossibleUid).forEach(uids::add);
            }
        } catch (PathException e) {
            if (!e.isMissing()) {
                throw e;
            }
        }
        return uids;
    }

    /** Returns whether the name consists of letters and digits, with dashes, dots and underscores between them. */
    public static boolean isPossibleUid(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            boolean within = i > 0 && (c == '-' || c == '.' || c == '_');
            if (!plain && !within) {
                return false;
            }
        }
        return !name.isEmpty();
    }

    /** Removes the directory. Call only if nothing uses the Pod's directory any more. */
    public PodDirectoryRemoval remove(String podUid) throws InterruptedException {
        Path path = layout.pod(podUid);
        try (OpenDirectory pods = OpenDirectory.open(calls, layout.pods())) {
            if (removeIfEmpty(pods, podUid)) {
                return new PodDirectoryRemoval.Removed();
            }
            MountTable table = mounter.table();
            List<MountTable.Mount> mounted = new ArrayList<>(table.allAt(path));
            mounted.addAll(table.below(path));
            return mounted.isEmpty() ? removeContents(pods, podUid) : new PodDirectoryRemoval.Kept(describe(mounted));
        } catch (PathException e) {
            return e.isMissing()
                    ? new PodDirectoryRemoval.Removed()
                    : new PodDirectoryRemoval.Kept("it cannot be inspected: " + e.getMessage());
        } catch (VolumeException e) {
            return new PodDirectoryRemoval.Kept("the mount table cannot be read: " + e.getMessage());
        }
    }

    /**
     * Removes the directory if it is empty, the common case. Nothing can be mounted below an empty directory, so the
     * long mount table need not be read.
     */
    private static boolean removeIfEmpty(OpenDirectory pods, String podUid) {
        try {
            pods.removeDirectory(podUid);
            return true;
        } catch (PathException e) {
            return e.isMissing();
        }
    }

    private static String describe(List<MountTable.Mount> mounted) {
        MountTable.Mount first = mounted.get(0);
        int more = mounted.size() - 1;
        return first.source() + " (" + first.type() + ") is still mounted at " + first.point()
                + (more > 0 ? " and " + more + " more below it" : "");
    }

    private static PodDirectoryRemoval removeContents(OpenDirectory pods, String podUid) throws InterruptedException {
        EmptyDirectoryRemover remover = new EmptyDirectoryRemover();
        try (OpenDirectory pod = pods.open(podUid)) {
            List<String> names = EmptyDirectoryRemover.names(pod);
            for (String each : names) {
                if (VOLUMES.contains(each)) {
                    remover.volumes(pod, each);
                } else if (each.equals(SUBPATHS)) {
                    remover.subPaths(pod, each);
                } else if (!OWN.contains(each)) {
                    remover.addLeftover(LeftoverKind.OTHER, pod.path() + '/' + each, "its origin is unknown");
                }
            }
            // Plugin state may still be needed while a volume is left.
            if (remover.leftovers().isEmpty()) {
                for (String each : names) {
                    if (OWN.contains(each)) {
                        removeOwn(remover, pod, each);
                    }
                }
            }
        } catch (PathException e) {
            remover.addLeftover(LeftoverKind.OTHER, pods.path() + '/' + podUid, EmptyDirectoryRemover.reasonOf(e));
        }
        if (remover.leftovers().isEmpty()) {
            remover.removeDirectory(LeftoverKind.OTHER, pods, podUid);
        }
        return remover.leftovers().isEmpty()
                ? new PodDirectoryRemoval.Removed()
                : new PodDirectoryRemoval.HasLeftovers(remover.leftovers());
    }

    private static void removeOwn(EmptyDirectoryRemover remover, OpenDirectory pod, String name)
            throws InterruptedException {
        try {
            TreeRemover.remove(pod, name);
        } catch (PathException e) {
            remover.addLeftover(LeftoverKind.OTHER, pod.path() + '/' + name, e.getMessage());
        }
    }
}
