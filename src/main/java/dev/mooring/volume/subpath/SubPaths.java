package dev.mooring.volume.subpath;

import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.Progress;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.mount.UnmountLimits;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.CommandRunner;
import dev.mooring.volume.subpath.SubPathException.Stage;
import dev.mooring.volume.subpath.SubPathJob.End;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Parts of volumes at paths of their own, which is what a container engine is given: it looks a path up again, as root, and these nobody
 * else can bend. Every call can be repeated after it was cut off anywhere. Blocks; any thread, but not two for one container's mount, and
 * no {@link #set} while the Pod is cleaned.
 */
public final class SubPaths {
    static final String INVALID = "InvalidSubPath";
    static final String TOO_SLOW = "TooSlow";

    private final NodeLayout layout;
    private final Mounter mounter;
    private final SubPathWork own;
    private final ChildWork child;
    private final SubPathCleaning cleaning;

    /** @param deadline for a single attempt on a volume that may hang */
    public SubPaths(NodeLayout layout, Mounter mounter, SystemCalls calls, CommandRunner commands, Duration deadline) {
        this.layout = layout;
        this.mounter = mounter;
        this.own = SubPathWork.careful(calls, mounter::bind);
        this.child = new ChildWork(commands, deadline);
        this.cleaning = new SubPathCleaning(layout, mounter, calls);
    }

    /** Makes the part, as a directory like the volume's root, if it is not there. Answers with the path for the container engine. */
    public Path set(SubPathRequest request) throws VolumeException, InterruptedException {
        String problem = SubPathText.problem(request.subPath()).orElse("");
        if (!problem.isEmpty()) {
            throw VolumeException.clean(INVALID, problem);
        }
        SubPathRequest.Use use = request.use();
        Path target = layout.subPath(use.podUid(), use.volume(), use.container(), use.index());
        mounter.makeDirectory(target.getParent());
        SubPathJob job = new SubPathJob(request.volumeRoot().normalize(), request.subPath(), target, request.access());
        try {
            set(job);
        } catch (SubPathException e) {
            throw words(e, use);
        } catch (VolumeException e) {
            throw new VolumeException(e.left(), e.reason(), words(Stage.PREPARING, use) + e.getMessage(), e.raw());
        }
        return target;
    }

    private void set(SubPathJob job) throws SubPathException, VolumeException, InterruptedException {
        if (attempt(job) == End.DONE) {
            return;
        }
        mounter.unmount(job.target(), limits(job), Progress.IGNORED);
        if (attempt(job) != End.DONE) {
            throw new SubPathException(
                    Stage.PREPARING,
                    "Changed",
                    "what is mounted at " + job.target() + " is not what was to be: it is changed meanwhile");
        }
    }

    private End attempt(SubPathJob job) throws SubPathException, VolumeException, InterruptedException {
        if (mounter.table().isLocalAllTheWay(job.root())) {
            End end = own.perform(job);
            if (end != End.TOO_FAR) {
                return end;
            }
        }
        return child.perform(job);
    }

    private UnmountLimits limits(SubPathJob job) throws VolumeException {
        return mounter.table()
                .at(job.target())
                .filter(mount -> !mount.isLocal())
                .map(mount -> UnmountLimits.REMOTE)
                .orElse(UnmountLimits.LOCAL);
    }

    private static VolumeException words(SubPathException e, SubPathRequest.Use use) {
        String message = words(e.stage(), use) + e.getMessage();
        return e.reason().equals(TOO_SLOW)
                ? VolumeException.uncertain(e.reason(), message, e.getMessage())
                : VolumeException.clean(e.reason(), message);
    }

    /** The kubelet says this and no more. Why it is so, is about what is in the volume only. */
    private static String words(Stage stage, SubPathRequest.Use use) {
        return (stage == Stage.CREATING ? "failed to create subPath directory" : "failed to prepare subPath")
                + " for volumeMount \"" + use.mountName() + "\" of container \"" + use.container() + "\": ";
    }

    /** Unmounts and removes all parts of a volume that a Pod's containers have had: to be done before the volume is unmounted. */
    public void clean(String podUid, String volume) throws VolumeException, InterruptedException {
        clean(podUid, volume, Progress.IGNORED);
    }

    public void clean(String podUid, String volume, Progress progress) throws VolumeException, InterruptedException {
        cleaning.volume(podUid, volume, progress);
    }

    /** The same for all volumes of a Pod. */
    public void cleanAll(String podUid) throws VolumeException, InterruptedException {
        cleanAll(podUid, Progress.IGNORED);
    }

    public void cleanAll(String podUid, Progress progress) throws VolumeException, InterruptedException {
        cleaning.all(podUid, progress);
    }
}
