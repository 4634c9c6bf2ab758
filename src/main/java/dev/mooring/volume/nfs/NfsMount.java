package dev.mooring.volume.nfs;

import dev.mooring.volume.Progress;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.mount.MountCommand;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.mount.UnmountLimits;
import dev.mooring.volume.path.MountTable.Mount;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Mounts an export and makes sure that it is that export which is mounted. If it fails, it leaves nothing behind, or says that it may
 * have. Whatever was done in part before, the next try begins with the mount table. Any thread, one at a time per target.
 */
final class NfsMount {
    /** mount.nfs finds out by itself whether it is nfs or nfs4. */
    private static final String TYPE = "nfs";

    private final Mounter mounter;
    private final PreFlight preFlight;
    private final Duration deadline;

    NfsMount(Mounter mounter, PreFlight preFlight, Duration deadline) {
        this.mounter = mounter;
        this.preFlight = preFlight;
        this.deadline = deadline;
    }

    /** Where nothing is mounted. */
    Mount fresh(NfsVolume asked, Path target, Progress progress) throws VolumeException, InterruptedException {
        try {
            preFlight.check(asked);
        } catch (VolumeException e) {
            removeDirectory(target, e);
            throw e;
        }
        return mount(asked, target, progress);
    }

    /** Where something else is mounted, or the right thing that is broken. */
    Mount again(NfsVolume asked, Path target, String why, UnmountLimits limits, Progress progress)
            throws VolumeException, InterruptedException {
        try {
            preFlight.check(asked);
        } catch (VolumeException e) {
            throw new VolumeException(
                    Left.PERHAPS_SOMETHING, e.reason(), e.getMessage() + "; meanwhile " + target + " " + why, e.raw());
        }
        progress.step("Remounting", target + " " + why + "; " + asked + " is mounted in its place");
        mounter.unmount(target, limits, progress);
        return mount(asked, target, progress);
    }

    private Mount mount(NfsVolume asked, Path target, Progress progress) throws VolumeException, InterruptedException {
        mounter.makeDirectory(target);
        try {
            mounter.mount(new MountCommand(TYPE, asked.source(), target, asked.mountOptions(), deadline));
        } catch (VolumeException e) {
            NfsFailure failure = NfsFailure.of(e, asked);
            String raw = e.raw().isBlank() ? e.getMessage() : e.raw();
            throw undone(target, progress, new VolumeException(e.left(), failure.reason(), failure.message(), raw));
        }
        List<Mount> there = mounter.table().allAt(target);
        Optional<VolumeException> wrong = wrong(there, asked);
        if (wrong.isPresent()) {
            throw undone(target, progress, wrong.get());
        }
        return there.get(0);
    }

    /** Another path of the same server is what a symbolic link on it leads to; anything else is a mistake. */
    private static Optional<VolumeException> wrong(List<Mount> there, NfsVolume asked) {
        if (there.isEmpty()) {
            return Optional.of(VolumeException.clean(
                    "NotMounted",
                    "mount reported success for " + asked
                            + ", but the mount table does not have it; it is tried again"));
        }
        Mount seen = there.get(there.size() - 1);
        if (there.size() > 1 || !InForce.isNfs(seen) || !asked.isOnServer(seen.source())) {
            return InForce.wrong(there, asked)
                    .map(words -> VolumeException.clean(
                            "WrongMount", "after mounting " + asked + ", the directory " + words));
        }
        return InForce.wrongAccess(seen, asked)
                .map(words -> VolumeException.clean(
                        "WrongAccess",
                        asked + " was mounted, but it " + words
                                + ": another mount of it on this node decides; add the mount option nosharecache"));
    }

    /** Leaves nothing of a mount that failed, as far as that is possible. The failure comes back, with what is left. */
    private VolumeException undone(Path target, Progress progress, VolumeException failed) throws InterruptedException {
        try {
            if (mounter.table().isMountPoint(target)) {
                mounter.unmount(target, UnmountLimits.REMOTE, progress);
            }
            mounter.removeDirectory(target);
            return failed;
        } catch (VolumeException e) {
            VolumeException uncertain = new VolumeException(
                    Left.PERHAPS_SOMETHING,
                    failed.reason(),
                    failed.getMessage() + "; and what is left of it could not be removed: " + e.getMessage(),
                    failed.raw());
            uncertain.addSuppressed(e);
            return uncertain;
        }
    }

    /** One that a try before has left. */
    private void removeDirectory(Path target, VolumeException failed) {
        try {
            mounter.removeDirectory(target);
        } catch (VolumeException e) {
            failed.addSuppressed(e);
        }
    }
}
