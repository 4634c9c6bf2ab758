package dev.mooring.volume.emptydir;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.host.FileStatus;
import dev.mooring.host.OpenDirectory;
import dev.mooring.host.PathException;
import dev.mooring.volume.Access;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.SetUpResult.SetUpEvent;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.TmpfsOptions;
import dev.mooring.volume.UnmountTimeouts;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePluginProvider;
import dev.mooring.volume.subpath.GroupOwnership;
import java.nio.file.Path;
import java.util.List;

/**
 * Plugin for {@code emptyDir} volumes: a directory of the Pod, or a tmpfs of
 * {@link dev.mooring.volume.VolumeSpec#bytes} bytes (0 for the kernel's default). A volume with a {@link ReadyMarker}
 * is not changed again, because containers write to it. Thread-safe.
 */
public final class EmptyDirPlugin implements VolumePlugin {
    public static final String NAME = "kubernetes.io/empty-dir";

    /** Every user of the Pod can write. */
    private static final int PERMISSIONS = 0777;

    private static final int TMPFS_PERMISSIONS = 01777;

    private static final String TMPFS = "tmpfs";

    /** Found by {@link java.util.ServiceLoader}. */
    public static final class Provider implements VolumePluginProvider {
        @Override
        public VolumePlugin create(PluginContext pluginContext) {
            return new EmptyDirPlugin(pluginContext);
        }
    }

    private final PluginContext context;
    private final Mounter mounter;

    public EmptyDirPlugin(PluginContext pluginContext) {
        this.context = pluginContext;
        this.mounter = pluginContext.mounter();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean supports(JsonNode source) {
        return source.path("emptyDir").isObject();
    }

    @Override
    public SetUpResult setUp(SetUpRequest request, OperationProgress progress)
            throws VolumeException, InterruptedException {
        Medium medium = Medium.of(
                request.volume().source().path("emptyDir").path("medium").asText(""));
        ReadyMarker marker = marker(request.pod().uid(), request.volume().name());
        if (!marker.isSet() || !isThere(request.target(), medium)) {
            List<SetUpEvent> events =
                    medium == Medium.MEMORY ? makeMemory(request, progress) : makeDirectory(request, progress);
            marker.set();
            return done(request, medium, events);
        }
        return done(request, medium, List.of());
    }

    private static SetUpResult done(SetUpRequest request, Medium medium, List<SetUpEvent> events) {
        return new SetUpResult(request.target(), medium == Medium.MEMORY ? TMPFS : "", List.of(), events);
    }

    /** Applies the fsGroup, also for a read-only mount: another container may write. */
    private List<SetUpEvent> applyFsGroup(OpenDirectory made, SetUpRequest request, OperationProgress progress)
            throws VolumeException, InterruptedException {
        if (request.fsGroup().isEmpty()) {
            return List.of();
        }
        return new GroupOwnership(context.calls(), context.clock())
                .apply(made, request.fsGroup().get(), Access.READ_WRITE, progress)
                .event()
                .map(List::of)
                .orElse(List.of());
    }

    private ReadyMarker marker(String podUid, String name) {
        return new ReadyMarker(context, context.layout().podPlugin(podUid, NAME, name));
    }

    private boolean isThere(Path target, Medium medium) throws VolumeException {
        if (medium == Medium.MEMORY) {
            return mounter.isMountPoint(target);
        }
        try (OpenDirectory parent = OpenDirectory.open(context.calls(), target.getParent())) {
            return parent.status(target.getFileName().toString())
                    .filter(FileStatus::isDirectory)
                    .isPresent();
        } catch (PathException e) {
            if (e.isMissing()) {
                return false;
            }
            throw failure(target, e);
        }
    }

    private List<SetUpEvent> makeMemory(SetUpRequest request, OperationProgress progress)
            throws VolumeException, InterruptedException {
        Path target = request.target();
        if (!isMemory(target, progress)) {
            mounter.makeDirectory(target);
            mounter.mountTmpfs(target, new TmpfsOptions(request.volume().bytes(), TMPFS_PERMISSIONS));
        }
        try (OpenDirectory made = OpenDirectory.open(context.calls(), target)) {
            return applyFsGroup(made, request, progress);
        } catch (PathException e) {
            throw failure(target, e);
        }
    }

    /**
     * Returns whether the tmpfs is mounted. Mounting is atomic, so an existing tmpfs is complete; any other mount at
     * the target is unmounted.
     */
    private boolean isMemory(Path target, OperationProgress progress) throws VolumeException, InterruptedException {
        if (!mounter.isMountPoint(target)) {
            return false;
        }
        if (mounter.table().at(target).filter(each -> each.type().equals(TMPFS)).isPresent()) {
            return true;
        }
        mounter.unmount(target, UnmountTimeouts.LOCAL, progress);
        return false;
    }

    /**
     * Creates the directory. Anything mounted there by others is not touched; ownership is applied to the opened
     * directory.
     */
    private List<SetUpEvent> makeDirectory(SetUpRequest request, OperationProgress progress)
            throws VolumeException, InterruptedException {
        Path target = request.target();
        mounter.makeDirectory(target);
        try (OpenDirectory parent = OpenDirectory.open(context.calls(), target.getParent());
                OpenDirectory made = parent.open(target.getFileName().toString())) {
            made.setPermissions(PERMISSIONS);
            return applyFsGroup(made, request, progress);
        } catch (PathException e) {
            throw failure(target, e);
        }
    }

    private static VolumeException failure(Path target, PathException e) {
        return VolumeException.uncertain("NotCreated", "cannot create " + target + ": " + e.getMessage(), "");
    }

    /** Tears down the volume, whatever its medium was. */
    @Override
    public void tearDown(TearDownRequest request, OperationProgress progress)
            throws VolumeException, InterruptedException {
        ReadyMarker marker = marker(request.podUid(), request.name());
        marker.clear();
        Path target = request.target();
        if (mounter.isMountPoint(target)) {
            mounter.unmount(target, UnmountTimeouts.LOCAL, progress);
        }
        new EmptyDirContent(context).delete(target);
        mounter.removeDirectory(target);
        marker.removeDirectory();
    }
}
