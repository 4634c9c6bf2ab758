package dev.mooring.volume.local;

import dev.mooring.volume.Access;
import dev.mooring.volume.Ownership;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.Progress;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.SetUpDone.Remark;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.group.GroupOwnership;
import dev.mooring.volume.host.Sight;
import dev.mooring.volume.host.Sight.Answers;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.mount.UnmountLimits;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.PathException;
import dev.mooring.volume.path.Reference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What one Pod sees of a local volume: its directory, bound to the Pod's own place. The mount table is read only for Pods with an fsGroup,
 * where it matters who else has the volume, and where something is found that is not expected. Any thread, but never two for one volume.
 */
final class PodBinding {
    private final PluginParts parts;
    private final Mounter mounter;
    private final FarBinding far;

    PodBinding(PluginParts parts) {
        this.parts = parts;
        this.mounter = parts.mounter();
        this.far = new FarBinding(parts);
    }

    /** @param source the directory to be seen */
    SetUpDone show(SetUp what, Sight source, Progress progress) throws VolumeException, InterruptedException {
        boolean wasThere = mounter.isMountPoint(what.target());
        try {
            return bind(what, source, progress);
        } catch (VolumeException e) {
            // What was there before may be in use.
            throw wasThere ? uncertain(e) : takenBack(what.target(), e, progress);
        }
    }

    /** Whether it may be written to is for whoever hands it to a container to say: a mount cannot. */
    SetUpDone showDevice(SetUp what, Path device) throws VolumeException {
        mounter.bind(device, what.target(), Access.READ_WRITE);
        String options = what.access() == Access.READ_ONLY ? "ro" : "rw";
        return new SetUpDone(what.target(), device.toString(), List.of(options), List.of());
    }

    private SetUpDone bind(SetUp what, Sight source, Progress progress) throws VolumeException, InterruptedException {
        List<String> asked = what.volume().mountOptions();
        Access access = BindOptions.access(what.access(), asked);
        Optional<Ownership> ownership = what.ownership().filter(any -> access == Access.READ_WRITE);
        boolean first = ownership.isPresent() && nobodyElseHasIt(what);
        if (source.answers() == Answers.PERHAPS_NEVER) {
            far.bind(source.real(), what.target(), access, asked, progress);
        } else {
            bindHere(source.real(), what.target(), access, progress);
            if (BindOptions.areNeeded(asked)) {
                far.change(what.target(), access, asked);
            }
        }
        List<String> options = new ArrayList<>(asked);
        options.removeIf(each -> each.equals("rw") || each.equals("ro"));
        options.add(0, access == Access.READ_ONLY ? "ro" : "rw");
        Optional<Remark> remark = Optional.empty();
        if (ownership.isPresent()) {
            remark = first
                    ? handOver(what, source, ownership.get(), progress)
                    : comparison(what, source, ownership.get());
        }
        return new SetUpDone(
                what.target(),
                source.real().toString(),
                options,
                remark.stream().toList());
    }

    private void bindHere(Path source, Path target, Access access, Progress progress)
            throws VolumeException, InterruptedException {
        try (Reference from = Reference.open(parts.calls(), source)) {
            if (mounter.isMountPoint(target) && !isAlready(from, target, access)) {
                mounter.unmount(target, UnmountLimits.LOCAL, progress);
            }
            if (!mounter.isMountPoint(target)) {
                mounter.makeDirectory(target);
                mounter.bind(from, target, access);
                if (!mounter.isMountPoint(target) || !isRight(from, target, access)) {
                    throw VolumeException.uncertain(
                            "NotMounted", "Expected " + source + " at " + target + ", but found something else", "");
                }
            }
        } catch (PathException e) {
            throw VolumeException.uncertain("NotReachable", e.getMessage(), "");
        }
    }

    /** What an earlier attempt has left may be on a server, so the table is asked before it is touched. */
    private boolean isAlready(Reference source, Path target, Access access) throws PathException, VolumeException {
        return mounter.table().isLocalAllTheWay(target) && isRight(source, target, access);
    }

    /** Whether that very directory is seen there, and can be written to exactly if it should. */
    private boolean isRight(Reference source, Path target, Access access) throws PathException {
        try (Reference seen = Reference.open(parts.calls(), target)) {
            return seen.status().place().isSameFileAs(source.status().place())
                    && seen.isReadOnly() == (access == Access.READ_ONLY || source.isReadOnly());
        }
    }

    /** Pods that have it already have agreed upon a group; it is not taken from them. */
    private boolean nobodyElseHasIt(SetUp what) throws VolumeException {
        Path pods = parts.layout().pods();
        Path inPod =
                what.target().subpath(pods.getNameCount() + 1, what.target().getNameCount());
        for (MountTable.Mount each : mounter.table().mounts()) {
            Path point = Path.of(each.point());
            if (point.startsWith(pods) && point.endsWith(inPod) && !point.equals(what.target())) {
                return false;
            }
        }
        return true;
    }

    private Optional<Remark> handOver(SetUp what, Sight source, Ownership ownership, Progress progress)
            throws VolumeException, InterruptedException {
        if (source.answers() == Answers.PERHAPS_NEVER) {
            return Optional.of(new Remark(
                    "OwnershipNotSet",
                    "fsGroup " + ownership.gid() + " was not applied to volume "
                            + what.volume().name() + ", because " + source.real()
                            + " depends on another machine or program: give its files to the group there"));
        }
        return new GroupOwnership(parts.calls(), parts.clock())
                .apply(what.target(), ownership, Access.READ_WRITE, progress)
                .remark();
    }

    private Optional<Remark> comparison(SetUp what, Sight source, Ownership ownership) throws VolumeException {
        if (source.answers() == Answers.PERHAPS_NEVER) {
            return Optional.empty();
        }
        FileStatus status;
        try (Reference seen = Reference.open(parts.calls(), what.target())) {
            status = seen.status();
        } catch (PathException e) {
            throw VolumeException.uncertain("NotReachable", e.getMessage(), "");
        }
        long gid = Integer.toUnsignedLong(status.gid());
        if (gid == ownership.gid()) {
            return Optional.empty();
        }
        return Optional.of(new Remark(
                "AlreadyMountedVolume",
                "The requested fsGroup is " + ownership.gid() + ", but the volume "
                        + what.volume().name() + " has GID " + gid + ". The volume may not be shareable."));
    }

    /** A directory or a device: either was bound, onto something empty. */
    void hide(Path target, Progress progress) throws VolumeException, InterruptedException {
        if (mounter.isMountPoint(target)) {
            mounter.unmount(target, UnmountLimits.LOCAL, progress);
        }
        mounter.removeDirectory(target);
    }

    private VolumeException takenBack(Path target, VolumeException e, Progress progress) throws InterruptedException {
        try {
            hide(target, progress);
            // A program that was killed may have asked the kernel for something that still comes.
            return e.reason().equals("TooSlow") ? uncertain(e) : with(Left.NOTHING, e);
        } catch (VolumeException second) {
            return uncertain(e);
        }
    }

    private static VolumeException uncertain(VolumeException e) {
        return with(Left.PERHAPS_SOMETHING, e);
    }

    private static VolumeException with(Left left, VolumeException e) {
        return new VolumeException(left, e.reason(), e.getMessage(), e.raw());
    }
}
