package dev.mooring.volume.subpath;

import dev.mooring.host.CommandRunner;
import dev.mooring.host.SystemCalls;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.UnmountTimeouts;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.subpath.SubPathException.SubPathStage;
import dev.mooring.volume.subpath.SubPathJob.SubPathResult;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Provides subPath mounts at paths below Mooring's root. Container engines resolve paths again as root; other processes
 * cannot redirect these paths. All calls can be repeated after an interruption. Blocks; thread-safe for different
 * volume mounts, but {@link #prepare} must not run while the Pod is cleaned.
 */
public final class SubPaths {
    static final String INVALID = "InvalidSubPath";
    static final String TOO_SLOW = "TooSlow";

    private final NodeLayout layout;
    private final Mounter mounter;
    private final SubPathMounter inProcess;
    private final SubPathChildRunner inChild;
    private final SubPathCleaner cleaner;

    /**
     * Creates the service.
     *
     * @param deadline for one attempt on a volume that may hang
     */
    public SubPaths(NodeLayout layout, Mounter mounter, SystemCalls calls, CommandRunner commands, Duration deadline) {
        this.layout = layout;
        this.mounter = mounter;
        this.inProcess = SubPathMounter.refusingHangs(calls, mounter::bind);
        this.inChild = new SubPathChildRunner(commands, deadline);
        this.cleaner = new SubPathCleaner(layout, mounter, calls);
    }

    /**
     * Mounts the subPath and returns the path for the container engine. Creates a missing subPath as a directory with
     * the permissions of the volume's root.
     */
    public Path prepare(SubPathRequest request) throws VolumeException, InterruptedException {
        String problem = SubPathValidation.problem(request.subPath()).orElse("");
        if (!problem.isEmpty()) {
            throw VolumeException.clean(INVALID, problem);
        }
        SubPathRequest.SubPathOwner use = request.owner();
        Path target = layout.subPath(use.podUid(), use.volume(), use.container(), use.index());
        mounter.makeDirectory(target.getParent());
        SubPathJob job = new SubPathJob(request.volumeRoot().normalize(), request.subPath(), target, request.access());
        try {
            prepare(job);
        } catch (SubPathException e) {
            throw kubeletError(e, use);
        } catch (VolumeException e) {
            throw new VolumeException(
                    e.failureState(), e.reason(), kubeletError(SubPathStage.PREPARING, use) + e.getMessage(), e.raw());
        }
        return target;
    }

    private void prepare(SubPathJob job) throws SubPathException, VolumeException, InterruptedException {
        if (attempt(job) == SubPathResult.DONE) {
            return;
        }
        mounter.unmount(job.target(), limits(job), OperationProgress.NO_OP);
        if (attempt(job) != SubPathResult.DONE) {
            throw new SubPathException(
                    SubPathStage.PREPARING,
                    "Changed",
                    "the mount at " + job.target() + " is not the requested one: it was changed concurrently");
        }
    }

    private SubPathResult attempt(SubPathJob job) throws SubPathException, VolumeException, InterruptedException {
        if (mounter.table().isLocalPath(job.root())) {
            SubPathResult end = inProcess.perform(job);
            if (end != SubPathResult.MAY_HANG) {
                return end;
            }
        }
        return inChild.perform(job);
    }

    private UnmountTimeouts limits(SubPathJob job) throws VolumeException {
        return mounter.table()
                .at(job.target())
                .filter(mount -> !mount.isLocal())
                .map(mount -> UnmountTimeouts.REMOTE)
                .orElse(UnmountTimeouts.LOCAL);
    }

    private static VolumeException kubeletError(SubPathException e, SubPathRequest.SubPathOwner use) {
        String message = kubeletError(e.stage(), use) + e.getMessage();
        return e.reason().equals(TOO_SLOW)
                ? VolumeException.uncertain(e.reason(), message, e.getMessage())
                : VolumeException.clean(e.reason(), message);
    }

    /**
     * Returns the beginning of the message, which is all that the kubelet reports. The appended cause reveals only
     * content of the volume itself.
     */
    private static String kubeletError(SubPathStage stage, SubPathRequest.SubPathOwner use) {
        return (stage == SubPathStage.CREATING ? "failed to create subPath directory" : "failed to prepare subPath")
                + " for volumeMount \"" + use.mountName() + "\" of container \"" + use.container() + "\": ";
    }

    /** Unmounts and removes all subPath mounts of a Pod's volume. Must be called before the volume is unmounted. */
    public void clean(String podUid, String volume) throws VolumeException, InterruptedException {
        clean(podUid, volume, OperationProgress.NO_OP);
    }

    public void clean(String podUid, String volume, OperationProgress progress)
            throws VolumeException, InterruptedException {
        cleaner.cleanVolume(podUid, volume, progress);
    }

    /** Unmounts and removes the subPath mounts of all volumes of a Pod. */
    public void cleanAll(String podUid) throws VolumeException, InterruptedException {
        cleanAll(podUid, OperationProgress.NO_OP);
    }

    public void cleanAll(String podUid, OperationProgress progress) throws VolumeException, InterruptedException {
        cleaner.cleanAll(podUid, progress);
    }
}
