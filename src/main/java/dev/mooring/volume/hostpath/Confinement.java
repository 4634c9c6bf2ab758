package dev.mooring.volume.hostpath;

import dev.mooring.host.FileReference;
import dev.mooring.host.FileStatus;
import dev.mooring.host.MountScope;
import dev.mooring.host.PathException;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.HostPathGrant;
import dev.mooring.volume.BindSettings;
import dev.mooring.volume.BindSettings.Depth;
import dev.mooring.volume.BindSettings.Restriction;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.UnmountTimeouts;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.hostpath.ObservedPath.Responsiveness;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Safe access to paths that other Pods can change: paths of Pods that are restricted to prefixes, and paths of
 * PersistentVolumes, which may be inside other volumes. Pods can replace directories and links at any time, also after
 * a check. Therefore the resolved path is opened again without following any link, and the opened file is bound to a
 * path that only Mooring can change; the Pod gets that path. Thread-safe for different targets.
 */
final class Confinement {
    private static final Path DEVICES = Path.of("/dev");

    private final PluginContext context;
    private final HostPathInspector inspector;
    private final Mounter mounter;
    private final IsolatedPathOperations isolated;

    Confinement(PluginContext pluginContext, HostPathInspector files) {
        this.context = pluginContext;
        this.inspector = files;
        this.mounter = pluginContext.mounter();
        this.isolated = new IsolatedPathOperations(pluginContext);
    }

    /**
     * Requires that the path is below a granted prefix. Links in prefixes are followed, because administrators choose
     * them.
     */
    void requireWithin(Path asked, ObservedPath observed, HostPathGrant grant)
            throws VolumeException, InterruptedException {
        for (Path prefix : grant.prefixes()) {
            if (asked.startsWith(prefix) && isWithin(observed.real(), prefix)) {
                requireResponsive(asked, observed);
                return;
            }
        }
        String where = observed.real().equals(asked) ? "" : " leads to " + observed.real() + ", which";
        throw VolumeException.clean(
                "Refused",
                asked + where + " is outside of the paths granted to this Pod: "
                        + grant.prefixes().stream().map(Path::toString).collect(Collectors.joining(", "))
                        + " (setting policy.hostPath)");
    }

    private boolean isWithin(Path real, Path prefix) throws VolumeException, InterruptedException {
        ObservedPath there = inspector.inspect(prefix);
        // A missing prefix counts with its resolved path; one that cannot be resolved does not.
        return real.startsWith(there.real()) && there.kind() != FileKind.BROKEN;
    }

    private static void requireResponsive(Path asked, ObservedPath observed) throws VolumeException {
        if (observed.responsiveness() == Responsiveness.MAY_HANG) {
            throw VolumeException.clean(
                    "Refused",
                    asked + " depends on another machine or program and cannot be protected against changes: use a"
                            + " volume of that kind (such as nfs) instead of a hostPath");
        }
    }

    /**
     * Binds the opened path for the Pod.
     *
     * @param depth whether mounts below the path are included
     */
    SetUpResult bind(SetUpRequest request, Path asked, ObservedPath observed, Depth depth, OperationProgress progress)
            throws VolumeException, InterruptedException {
        Path real = observed.real();
        BindSettings settings = new BindSettings(request.access(), depth, restrictions(request, observed));
        if (observed.responsiveness() == Responsiveness.MAY_HANG) {
            isolated.bind(real, request.target(), settings, progress);
        } else {
            try (FileReference found = open(context.calls(), real)) {
                mounter.bind(found, request.target(), settings);
            } catch (PathException e) {
                throw changed(asked, e.getMessage());
            }
        }
        return new SetUpResult(request.target(), real.toString(), settings.options(), List.of());
    }

    /** Returns the mount restrictions. Devices, and paths with devices, are bound without nodev. */
    private Set<Restriction> restrictions(SetUpRequest request, ObservedPath observed) throws VolumeException {
        Set<Restriction> restrictions =
                BindSettings.restrictions(request.volume().mountOptions());
        if (observed.kind().isDevice()
                || (observed.real().startsWith(DEVICES) && mounter.table().isInDev(observed.real()))) {
            restrictions.remove(Restriction.NO_DEVICES);
        }
        return restrictions;
    }

    /** Opens a path without following links; fails if it is a link. */
    static FileReference open(SystemCalls calls, Path real) throws PathException, VolumeException {
        Path above = real.getParent();
        if (above == null) {
            return FileReference.open(calls, real);
        }
        FileReference found;
        try (FileReference parent = FileReference.open(calls, above)) {
            found = parent.child(real.getFileName().toString(), MountScope.ANY_MOUNT);
        }
        boolean good = false;
        try {
            good = found.status().type() != FileStatus.FileType.LINK;
        } finally {
            if (!good) {
                found.close();
            }
        }
        if (!good) {
            throw changed(real, real + " has become a link");
        }
        return found;
    }

    static VolumeException changed(Path asked, String how) {
        return VolumeException.clean(
                "Changed", asked + " was changed while it was being opened (" + how + "); retrying");
    }

    void release(Path target, OperationProgress progress) throws VolumeException, InterruptedException {
        if (mounter.isMountPoint(target)) {
            mounter.unmountBind(target, UnmountTimeouts.LOCAL, progress);
        }
        mounter.removeDirectory(target);
    }
}
