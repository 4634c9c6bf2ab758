package dev.mooring.volume.nfs;

import dev.mooring.host.MountTable.Mount;
import dev.mooring.model.EventReasons;
import dev.mooring.volume.MountCommand;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.UnmountTimeouts;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Mounts an export and verifies the result. A failure leaves nothing behind, or its exception says that it may have.
 * Each attempt starts from the mount table, so interrupted attempts can be repeated. Thread-safe for different targets.
 */
final class NfsMount {
    /** mount.nfs selects nfs or nfs4. */
    private static final String TYPE = "nfs";

    private final Mounter mounter;
    private final ServerProbe serverProbe;
    private final Duration deadline;

    NfsMount(Mounter mounter, ServerProbe preFlight, Duration deadline) {
        this.mounter = mounter;
        this.serverProbe = preFlight;
        this.deadline = deadline;
    }

    /** Mounts at a target without a mount. */
    Mount mountNew(NfsVolume requested, Path target, OperationProgress progress)
            throws VolumeException, InterruptedException {
        try {
            serverProbe.check(requested);
        } catch (VolumeException e) {
            removeDirectory(target, e);
            throw e;
        }
        return mount(requested, target, progress);
    }

    /** Replaces a wrong or broken mount. */
    Mount remount(NfsVolume requested, Path target, String why, UnmountTimeouts limits, OperationProgress progress)
            throws VolumeException, InterruptedException {
        try {
            serverProbe.check(requested);
        } catch (VolumeException e) {
            throw new VolumeException(
                    FailureState.UNCERTAIN, e.reason(), e.getMessage() + "; meanwhile " + target + " " + why, e.raw());
        }
        progress.report(EventReasons.REMOUNTING, target + " " + why + "; " + requested + " is mounted in its place");
        mounter.unmount(target, limits, progress);
        return mount(requested, target, progress);
    }

    private Mount mount(NfsVolume requested, Path target, OperationProgress progress)
            throws VolumeException, InterruptedException {
        mounter.makeDirectory(target);
        try {
            mounter.mount(new MountCommand(TYPE, requested.source(), target, requested.mountOptions(), deadline));
        } catch (VolumeException e) {
            NfsFailure failure = NfsFailure.of(e, requested);
            String raw = e.raw().isBlank() ? e.getMessage() : e.raw();
            throw undone(
                    target, progress, new VolumeException(e.failureState(), failure.reason(), failure.message(), raw));
        }
        List<Mount> mounts = mounter.table().allAt(target);
        Optional<VolumeException> wrong = wrong(mounts, requested);
        if (wrong.isPresent()) {
            throw undone(target, progress, wrong.get());
        }
        return mounts.get(0);
    }

    /**
     * Returns an error if the mount is wrong. A different path on the same server is accepted, because it can be the
     * target of a symbolic link there.
     */
    private static Optional<VolumeException> wrong(List<Mount> mounts, NfsVolume requested) {
        if (mounts.isEmpty()) {
            return Optional.of(VolumeException.clean(
                    "NotMounted",
                    "mount reported success for " + requested + ", but the mount table does not contain it; retrying"));
        }
        Mount seen = mounts.get(mounts.size() - 1);
        if (mounts.size() > 1 || !MountVerifier.isNfs(seen) || !requested.isOnServer(seen.source())) {
            return MountVerifier.mismatch(mounts, requested)
                    .map(mismatch -> VolumeException.clean(
                            "WrongMount", "after mounting " + requested + ", the directory " + mismatch));
        }
        return MountVerifier.accessMismatch(seen, requested)
                .map(mismatch -> VolumeException.clean(
                        "WrongAccess",
                        requested + " was mounted, but it " + mismatch
                                + ": another mount on this node determines it; add the mount option nosharecache"));
    }

    /** Removes a failed mount as far as possible and returns the failure with the resulting state. */
    private VolumeException undone(Path target, OperationProgress progress, VolumeException failed)
            throws InterruptedException {
        try {
            if (mounter.table().isMountPoint(target)) {
                mounter.unmount(target, UnmountTimeouts.REMOTE, progress);
            }
            mounter.removeDirectory(target);
            return failed;
        } catch (VolumeException e) {
            VolumeException uncertain = new VolumeException(
                    FailureState.UNCERTAIN,
                    failed.reason(),
                    failed.getMessage() + "; and its remains could not be removed: " + e.getMessage(),
                    failed.raw());
            uncertain.addSuppressed(e);
            return uncertain;
        }
    }

    /** Removes the directory that a failed attempt left. */
    private void removeDirectory(Path target, VolumeException failed) {
        try {
            mounter.removeDirectory(target);
        } catch (VolumeException e) {
            failed.addSuppressed(e);
        }
    }
}
