package dev.mooring.volume.empty;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.volume.Access;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.Progress;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.SetUpDone.Remark;
import dev.mooring.volume.TearDown;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePluginProvider;
import dev.mooring.volume.group.GroupOwnership;
import dev.mooring.volume.mount.MemorySize;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.mount.UnmountLimits;
import dev.mooring.volume.path.Directory;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.PathException;
import java.nio.file.Path;
import java.util.List;

/**
 * {@code emptyDir}: a directory of the Pod, or a file system in memory of {@link dev.mooring.volume.VolumeSpec#bytes} bytes (0 for what
 * the kernel allows). Made once: what has its {@link ReadyMarker} is left as it is, because containers write into it. Any thread.
 */
public final class EmptyDirPlugin implements VolumePlugin {
    public static final String NAME = "kubernetes.io/empty-dir";

    /** Whoever runs in the Pod may write. */
    private static final int PERMISSIONS = 0777;

    private static final String TMPFS = "tmpfs";

    /** Found by {@link java.util.ServiceLoader}. */
    public static final class Provider implements VolumePluginProvider {
        @Override
        public VolumePlugin create(PluginParts parts) {
            return new EmptyDirPlugin(parts);
        }
    }

    private final PluginParts parts;
    private final Mounter mounter;

    public EmptyDirPlugin(PluginParts parts) {
        this.parts = parts;
        this.mounter = parts.mounter();
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
    public SetUpDone setUp(SetUp what, Progress progress) throws VolumeException, InterruptedException {
        Medium medium =
                Medium.of(what.volume().source().path("emptyDir").path("medium").asText(""));
        ReadyMarker marker = marker(what.pod().uid(), what.volume().name());
        if (!marker.isSet() || !isThere(what.target(), medium)) {
            List<Remark> remarks = medium == Medium.MEMORY ? makeMemory(what, progress) : makeDirectory(what, progress);
            marker.set();
            return done(what, medium, remarks);
        }
        return done(what, medium, List.of());
    }

    private static SetUpDone done(SetUp what, Medium medium, List<Remark> remarks) {
        return new SetUpDone(what.target(), medium == Medium.MEMORY ? TMPFS : "", List.of(), remarks);
    }

    /** Also for a Pod that only reads it: another container may write. */
    private List<Remark> handOver(Directory made, SetUp what, Progress progress)
            throws VolumeException, InterruptedException {
        if (what.ownership().isEmpty()) {
            return List.of();
        }
        return new GroupOwnership(parts.calls(), parts.clock())
                .apply(made, what.ownership().get(), Access.READ_WRITE, progress)
                .remark()
                .map(List::of)
                .orElse(List.of());
    }

    private ReadyMarker marker(String podUid, String name) {
        return new ReadyMarker(parts, parts.layout().podPlugin(podUid, NAME, name));
    }

    private boolean isThere(Path target, Medium medium) throws VolumeException {
        if (medium == Medium.MEMORY) {
            return mounter.isMountPoint(target);
        }
        try (Directory parent = Directory.open(parts.calls(), target.getParent())) {
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

    private List<Remark> makeMemory(SetUp what, Progress progress) throws VolumeException, InterruptedException {
        Path target = what.target();
        if (!isMemory(target, progress)) {
            mounter.makeDirectory(target);
            mounter.memory(target, new MemorySize(what.volume().bytes(), PERMISSIONS));
        }
        try (Directory made = Directory.open(parts.calls(), target)) {
            return handOver(made, what, progress);
        } catch (PathException e) {
            throw failure(target, e);
        }
    }

    /** Mounting one is a single step of the kernel, so one that is there is whole; what else is mounted there is in the way. */
    private boolean isMemory(Path target, Progress progress) throws VolumeException, InterruptedException {
        if (!mounter.isMountPoint(target)) {
            return false;
        }
        if (mounter.table().at(target).filter(each -> each.type().equals(TMPFS)).isPresent()) {
            return true;
        }
        mounter.unmount(target, UnmountLimits.LOCAL, progress);
        return false;
    }

    /** What somebody has mounted there is not the Pod's, and not touched; what is handed over is what was opened. */
    private List<Remark> makeDirectory(SetUp what, Progress progress) throws VolumeException, InterruptedException {
        Path target = what.target();
        mounter.makeDirectory(target);
        try (Directory parent = Directory.open(parts.calls(), target.getParent());
                Directory made = parent.open(target.getFileName().toString())) {
            made.setPermissions(PERMISSIONS);
            return handOver(made, what, progress);
        } catch (PathException e) {
            throw failure(target, e);
        }
    }

    private static VolumeException failure(Path target, PathException e) {
        return VolumeException.uncertain("NotCreated", "cannot make " + target + ": " + e.getMessage(), "");
    }

    /** What it was made of is not known any more, and need not be. */
    @Override
    public void tearDown(TearDown what, Progress progress) throws VolumeException, InterruptedException {
        ReadyMarker marker = marker(what.podUid(), what.name());
        marker.clear();
        Path target = what.target();
        if (mounter.isMountPoint(target)) {
            mounter.unmount(target, UnmountLimits.LOCAL, progress);
        }
        new OwnContent(parts).delete(target);
        mounter.removeDirectory(target);
        marker.forget();
    }
}
