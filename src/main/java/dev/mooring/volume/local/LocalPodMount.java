package dev.mooring.volume.local;

import dev.mooring.host.FileReference;
import dev.mooring.host.FileStatus;
import dev.mooring.host.MountTable;
import dev.mooring.host.PathException;
import dev.mooring.model.EventReasons;
import dev.mooring.volume.Access;
import dev.mooring.volume.BindSettings;
import dev.mooring.volume.FsGroup;
import dev.mooring.volume.MountCommand;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.SetUpResult.SetUpEvent;
import dev.mooring.volume.UnmountTimeouts;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import dev.mooring.volume.hostpath.IsolatedPathOperations;
import dev.mooring.volume.hostpath.ObservedPath;
import dev.mooring.volume.hostpath.ObservedPath.Responsiveness;
import dev.mooring.volume.subpath.GroupOwnership;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A Pod's bind mount of a local volume. Reads the mount table only for Pods with an fsGroup, to find other Pods that
 * use the volume, and if it finds something unexpected. Thread-safe for different volumes.
 */
final class LocalPodMount {
    /** Type and source for mount(8) if it needs neither. */
    private static final String NONE = "none";

    private final PluginContext context;
    private final Mounter mounter;
    private final IsolatedPathOperations isolated;

    LocalPodMount(PluginContext pluginContext) {
        this.context = pluginContext;
        this.mounter = pluginContext.mounter();
        this.isolated = new IsolatedPathOperations(pluginContext);
    }

    /**
     * Binds the directory for the Pod.
     *
     * @param source the directory
     */
    SetUpResult bindForPod(SetUpRequest request, ObservedPath source, OperationProgress progress)
            throws VolumeException, InterruptedException {
        boolean wasThere = mounter.isMountPoint(request.target());
        try {
            return bind(request, source, progress);
        } catch (VolumeException e) {
            // The mount existed before and may be in use.
            throw wasThere ? uncertain(e) : cleanedUp(request.target(), e, progress);
        }
    }

    /**
     * Binds the device. Read-only access must be enforced in the container configuration; a bind mount of a device
     * cannot.
     */
    SetUpResult bindDevice(SetUpRequest request, Path device) throws VolumeException {
        mounter.bind(device, request.target(), Access.READ_WRITE);
        String options = request.access() == Access.READ_ONLY ? "ro" : "rw";
        return new SetUpResult(request.target(), device.toString(), List.of(options), List.of());
    }

    private SetUpResult bind(SetUpRequest request, ObservedPath source, OperationProgress progress)
            throws VolumeException, InterruptedException {
        List<String> asked = request.volume().mountOptions();
        Access access = BindOptions.access(request.access(), asked);
        Optional<FsGroup> ownership = request.fsGroup().filter(any -> access == Access.READ_WRITE);
        boolean first = ownership.isPresent() && hasNoOtherPods(request);
        BindSettings settings = BindSettings.of(access, BindSettings.restrictions(asked));
        if (source.responsiveness() == Responsiveness.MAY_HANG) {
            isolated.bind(source.real(), request.target(), settings, progress);
        } else {
            bindHere(source.real(), request.target(), settings, progress);
        }
        if (BindOptions.areNeeded(asked)) {
            change(request.target(), access, asked);
        }
        List<String> options = BindSettings.restricted(asked);
        options.removeIf(each -> each.equals("rw") || each.equals("ro"));
        options.add(0, access == Access.READ_ONLY ? "ro" : "rw");
        Optional<SetUpEvent> event = Optional.empty();
        if (ownership.isPresent()) {
            event = first
                    ? applyFsGroup(request, source, ownership.get(), progress)
                    : comparison(request, source, ownership.get());
        }
        return new SetUpResult(
                request.target(),
                source.real().toString(),
                options,
                event.stream().toList());
    }

    /**
     * Changes the options of the mount with mount(8) in a child process with a deadline. Other mounts of the file
     * system keep their options.
     */
    private void change(Path target, Access access, List<String> asked) throws VolumeException, InterruptedException {
        List<String> options = BindOptions.remount(access, asked);
        mounter.mount(new MountCommand(NONE, NONE, target, options, context.deadline()));
    }

    private void bindHere(Path source, Path target, BindSettings settings, OperationProgress progress)
            throws VolumeException, InterruptedException {
        Access access = settings.access();
        try (FileReference from = FileReference.open(context.calls(), source)) {
            if (mounter.isMountPoint(target) && !isAlreadyBound(from, target, access)) {
                mounter.unmount(target, UnmountTimeouts.LOCAL, progress);
            }
            mounter.bind(from, target, settings);
            if (!mounter.isMountPoint(target) || !isBoundCorrectly(from, target, access)) {
                throw VolumeException.uncertain(
                        "NotMounted", source + " is not mounted at " + target + ": found another mount", "");
            }
        } catch (PathException e) {
            throw VolumeException.uncertain("NotReachable", e.getMessage(), "");
        }
    }

    /**
     * Returns whether the target is bound. Consults the mount table first, because a leftover mount may be on a server
     * that hangs.
     */
    private boolean isAlreadyBound(FileReference source, Path target, Access access)
            throws PathException, VolumeException {
        return mounter.table().isLocalPath(target) && isBoundCorrectly(source, target, access);
    }

    /** Returns whether the target shows exactly this directory with exactly this access. */
    private boolean isBoundCorrectly(FileReference source, Path target, Access access) throws PathException {
        try (FileReference seen = FileReference.open(context.calls(), target)) {
            return seen.status().location().isSameFileAs(source.status().location())
                    && seen.isReadOnly() == (access == Access.READ_ONLY || source.isReadOnly());
        }
    }

    /** Returns whether no other Pod uses the volume. If another Pod does, its group is not changed. */
    private boolean hasNoOtherPods(SetUpRequest request) throws VolumeException {
        Path pods = context.layout().pods();
        Path inPod = request.target()
                .subpath(pods.getNameCount() + 1, request.target().getNameCount());
        for (MountTable.Mount each : mounter.table().mounts()) {
            Path point = Path.of(each.point());
            if (point.startsWith(pods) && point.endsWith(inPod) && !point.equals(request.target())) {
                return false;
            }
        }
        return true;
    }

    private Optional<SetUpEvent> applyFsGroup(
            SetUpRequest request, ObservedPath source, FsGroup ownership, OperationProgress progress)
            throws VolumeException, InterruptedException {
        if (source.responsiveness() == Responsiveness.MAY_HANG) {
            return Optional.of(new SetUpEvent(
                    EventReasons.OWNERSHIP_NOT_SET,
                    "fsGroup " + ownership.gid() + " was not applied to volume "
                            + request.volume().name() + ", because " + source.real()
                            + " depends on another machine or program: give its files to the group there"));
        }
        return new GroupOwnership(context.calls(), context.clock())
                .apply(request.target(), ownership, Access.READ_WRITE, progress)
                .event();
    }

    private Optional<SetUpEvent> comparison(SetUpRequest request, ObservedPath source, FsGroup ownership)
            throws VolumeException {
        if (source.responsiveness() == Responsiveness.MAY_HANG) {
            return Optional.empty();
        }
        FileStatus status;
        try (FileReference seen = FileReference.open(context.calls(), request.target())) {
            status = seen.status();
        } catch (PathException e) {
            throw VolumeException.uncertain("NotReachable", e.getMessage(), "");
        }
        long gid = Integer.toUnsignedLong(status.gid());
        if (gid == ownership.gid()) {
            return Optional.empty();
        }
        return Optional.of(new SetUpEvent(
                EventReasons.ALREADY_MOUNTED_VOLUME,
                "The requested fsGroup is " + ownership.gid() + ", but the volume "
                        + request.volume().name() + " has GID " + gid + ". The volume may not be shareable."));
    }

    /** Unmounts the target, a bound directory or device, and removes the empty mount point. */
    void unmountForPod(Path target, OperationProgress progress) throws VolumeException, InterruptedException {
        if (mounter.isMountPoint(target)) {
            mounter.unmount(target, UnmountTimeouts.LOCAL, progress);
        }
        mounter.removeDirectory(target);
    }

    private VolumeException cleanedUp(Path target, VolumeException e, OperationProgress progress)
            throws InterruptedException {
        try {
            unmountForPod(target, progress);
            // A system call of the killed program may still complete.
            return e.reason().equals("TooSlow") ? uncertain(e) : with(FailureState.CLEAN, e);
        } catch (VolumeException second) {
            return uncertain(e);
        }
    }

    private static VolumeException uncertain(VolumeException e) {
        return with(FailureState.UNCERTAIN, e);
    }

    private static VolumeException with(FailureState left, VolumeException e) {
        return new VolumeException(left, e.reason(), e.getMessage(), e.raw());
    }
}
