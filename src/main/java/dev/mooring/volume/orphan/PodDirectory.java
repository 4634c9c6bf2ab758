package dev.mooring.volume.orphan;

import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.orphan.Leftover.What;
import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.Entries;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.path.Tree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Removes what is left of {@code pods/<uid>} when the Pod is gone and its volumes have been torn down. Others who did this have deleted
 * their users' data, so:
 *
 * <ul>
 *   <li>If the kernel's table shows a mount at or below it, nothing is done. The table is text: a server that hangs hangs nobody here.
 *   <li>Of volumes only directories go, and only empty ones: it is not looked into a volume's directory, and no file there is deleted.
 *   <li>Of parts of volumes also files go on which one was mounted: empty ones.
 *   <li>What plugins remember and the files for containers' last words are Mooring's own and go with what is in them, when no volume is
 *       left.
 *   <li>Everything else stays, and is told.
 *   <li>No link is followed, no other mount entered: see {@link Directory}.
 * </ul>
 *
 * Can be repeated after it was cut off anywhere. Any thread, but never two for one Pod; blocks, on the own local disk only.
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

    /** The uids of all Pods that have a directory, whether or not they exist. What cannot be a uid is none, such as lost+found. */
    public List<String> podUids() throws PathException {
        List<String> uids = new ArrayList<>();
        try (Directory pods = Directory.open(calls, layout.pods())) {
            Entries entries = pods.entries();
            for (List<String> some = entries.next(); !some.isEmpty(); some = entries.next()) {
                some.stream().filter(PodDirectory::mayBeUid).forEach(uids::add);
            }
        } catch (PathException e) {
            if (!e.isMissing()) {
                throw e;
            }
        }
        return uids;
    }

    /** Letters and digits, with dashes, dots and underscores within. */
    public static boolean mayBeUid(String name) {
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

    /** To be called only if nobody wants anything of the Pod any more. */
    public Removal remove(String podUid) throws InterruptedException {
        Path path = layout.pod(podUid);
        try (Directory pods = Directory.open(calls, layout.pods())) {
            if (isRemovedAtOnce(pods, podUid)) {
                return new Removal.Removed();
            }
            MountTable table = mounter.table();
            List<MountTable.Mount> mounted = new ArrayList<>(table.allAt(path));
            mounted.addAll(table.below(path));
            return mounted.isEmpty() ? takeApart(pods, podUid) : new Removal.Kept(words(mounted));
        } catch (PathException e) {
            return e.isMissing()
                    ? new Removal.Removed()
                    : new Removal.Kept("it cannot be looked at: " + e.getMessage());
        } catch (VolumeException e) {
            return new Removal.Kept("what is mounted cannot be found out: " + e.getMessage());
        }
    }

    /** Nearly always it is empty. In what is empty nothing is mounted, so the mount table, which is long, need not be read. */
    private static boolean isRemovedAtOnce(Directory pods, String podUid) {
        try {
            pods.removeDirectory(podUid);
            return true;
        } catch (PathException e) {
            return e.isMissing();
        }
    }

    private static String words(List<MountTable.Mount> mounted) {
        MountTable.Mount first = mounted.get(0);
        int more = mounted.size() - 1;
        return first.source() + " (" + first.type() + ") is still mounted at " + first.point()
                + (more > 0 ? " and " + more + " more below it" : "");
    }

    private static Removal takeApart(Directory pods, String podUid) throws InterruptedException {
        Pruning pruning = new Pruning();
        try (Directory pod = pods.open(podUid)) {
            List<String> names = Pruning.names(pod);
            for (String each : names) {
                if (VOLUMES.contains(each)) {
                    pruning.volumes(pod, each);
                } else if (each.equals(SUBPATHS)) {
                    pruning.subPaths(pod, each);
                } else if (!OWN.contains(each)) {
                    pruning.leave(What.OTHER, pod.path() + '/' + each, "it is not known who made it");
                }
            }
            // What is remembered of volumes may still be needed as long as there is one.
            if (pruning.left().isEmpty()) {
                for (String each : names) {
                    if (OWN.contains(each)) {
                        removeOwn(pruning, pod, each);
                    }
                }
            }
        } catch (PathException e) {
            pruning.leave(What.OTHER, pods.path() + '/' + podUid, Pruning.words(e));
        }
        if (pruning.left().isEmpty()) {
            pruning.removeDirectory(What.OTHER, pods, podUid);
        }
        return pruning.left().isEmpty() ? new Removal.Removed() : new Removal.Leftovers(pruning.left());
    }

    private static void removeOwn(Pruning pruning, Directory pod, String name) throws InterruptedException {
        try {
            Tree.remove(pod, name);
        } catch (PathException e) {
            pruning.leave(What.OTHER, pod.path() + '/' + name, e.getMessage());
        }
    }
}
