package dev.mooring.volume.block;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.DevicePlugin;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.Lane;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.Progress;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.TearDown;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePluginProvider;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.block.LoopDevices.Loop;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.mount.UnmountLimits;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.MountTable.Mount;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Block volumes: an image file, attached as a loop device, with a file system in it or as the device it is. Its size is a limit that
 * nobody gets past. An image has one loop device at most; whatever is remembered of a device is compared with the kernel's word before
 * it is formatted, mounted or detached, for numbers are given to others after a restart.
 *
 * <p>An image is sparse: when the file system it lies in is full, writes into the volume fail although the volume is not full (the
 * provisioner's promises prevent that unless {@code overcommit} allows it, or somebody else fills the disk).
 */
public final class BlockPlugin implements DevicePlugin {
    static final String NAME = "kubernetes.io/csi";

    private final PluginParts parts;
    private final Mounter mounter;
    private final LoopDevices loops;
    private final FileSystems fileSystems;
    private final SharedMount shared;
    private final PodMount pods;

    /** Found by name. */
    public static final class Provider implements VolumePluginProvider {
        @Override
        public VolumePlugin create(PluginParts parts) {
            return new BlockPlugin(parts);
        }
    }

    public BlockPlugin(PluginParts parts) {
        this.parts = parts;
        this.mounter = parts.mounter();
        this.loops = new LoopDevices(parts.commands());
        this.fileSystems = new FileSystems(parts.commands());
        this.shared = new SharedMount(parts, loops, fileSystems);
        this.pods = new PodMount(parts);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean supports(JsonNode source) {
        return source.path("csi").path("driver").asText("").equals(StorageNames.BLOCK_DRIVER);
    }

    @Override
    public Optional<String> sharedIdentity(String name, JsonNode source) {
        return Optional.of(StorageNames.BLOCK_DRIVER
                + '^'
                + source.path("csi").path("volumeHandle").asText(""));
    }

    @Override
    public Lane lane(VolumeSpec volume) {
        return Lane.DEVICE;
    }

    @Override
    public Optional<String> refusal(List<String> mountOptions) {
        return BlockOptions.refusal(mountOptions);
    }

    @Override
    public Attaching attaching() {
        return Attaching.BY_THIS_NODE;
    }

    @Override
    public String attach(VolumeSpec volume, Progress progress) throws VolumeException, InterruptedException {
        return attached(volume, image(volume)).path();
    }

    private Loop attached(VolumeSpec volume, ImageFile image) throws VolumeException, InterruptedException {
        Loop loop = loops.attach(image.path(), image.mustBeThere());
        if (loop.stay() == Loop.Stay.GOING && volume.mode() == VolumeMode.BLOCK) {
            // A mount would keep it; a device that only a container opens later would go before.
            throw VolumeException.clean(
                    LoopDevices.IN_USE,
                    loop.path() + " of the image " + image.path() + " is going away, but another process or container"
                            + " still has it open: it is tried again by itself");
        }
        return loop;
    }

    /** On a server that does not answer, even looking at it would hang. */
    private ImageFile image(VolumeSpec volume) throws VolumeException {
        ImageFile image = ImageFile.of(parts.calls(), volume.source());
        MountTable table = mounter.table();
        if (!table.isLocalAllTheWay(image.path())) {
            throw VolumeException.clean(
                    "NotLocal",
                    "the image " + image.path() + " must lie on a local disk, but it lies on one of type "
                            + table.of(image.path()).type());
        }
        return image;
    }

    @Override
    public void detach(VolumeSpec volume, Progress progress) throws VolumeException, InterruptedException {
        ImageFile image = ImageFile.of(parts.calls(), volume.source());
        MountTable table = mounter.table();
        Optional<FileStatus> status = table.isLocalAllTheWay(image.path()) ? image.status() : Optional.empty();
        List<Loop> found = status.isPresent() ? loops.of(image.path(), status.get()) : loops.named(image.path());
        for (Loop each : found) {
            if (each.use() == Loop.Use.WHOLE) {
                mustNotBeMounted(table.mounts(), each.number(), each.path());
                loops.detach(each);
            }
        }
    }

    private static void mustNotBeMounted(List<Mount> mounts, String number, String device) throws VolumeException {
        for (Mount each : mounts) {
            if (each.device().equals(number) || PodMount.isDevice(each, device)) {
                throw VolumeException.clean(
                        LoopDevices.IN_USE, "device is still in use: " + device + " is mounted at " + each.point());
            }
        }
    }

    @Override
    public DeviceState mountDevice(VolumeSpec volume, String devicePath, Access access, Progress progress)
            throws VolumeException, InterruptedException {
        ImageFile image = image(volume);
        Loop loop = attached(volume, image);
        if (!loop.path().equals(devicePath)) {
            progress.step("DeviceChanged", "the device is " + loop.path() + " now, it was " + devicePath);
        }
        if (volume.mode() == VolumeMode.BLOCK) {
            loops.adoptSize(loop, image.mustBeThere());
            return new DeviceState(loop.path(), Optional.empty());
        }
        return new DeviceState(loop.path(), Optional.of(shared.mount(volume, image, loop, access, progress)));
    }

    @Override
    public void unmountDevice(VolumeSpec volume, DeviceState state, Progress progress)
            throws VolumeException, InterruptedException {
        MountTable table = mounter.table();
        List<Mount> ofPods = table.below(parts.layout().pods());
        if (volume.mode() == VolumeMode.BLOCK) {
            if (!state.path().isEmpty()) {
                mustNotBeMounted(ofPods, "", state.path());
            }
            return;
        }
        Path target = state.mounted().orElse(shared.target(volume));
        Optional<Mount> there = table.at(target);
        if (there.isPresent()) {
            mustNotBeMounted(ofPods, there.get().device(), there.get().source());
            mounter.unmount(target, UnmountLimits.LOCAL, progress);
        }
        mounter.removeDirectory(target);
    }

    @Override
    public SetUpDone setUp(SetUp what, Progress progress) throws VolumeException, InterruptedException {
        DeviceState device = what.device()
                .orElseThrow(() -> VolumeException.clean(
                        "NotAttached", "Expected the device of " + what.volume().name() + ", but there is none"));
        return what.volume().mode() == VolumeMode.BLOCK ? showDevice(what, device) : pods.show(what, device, progress);
    }

    private SetUpDone showDevice(SetUp what, DeviceState device) throws VolumeException, InterruptedException {
        ImageFile image = image(what.volume());
        Optional<Loop> loop = loops.at(device.path());
        if (loop.isEmpty() || !loop.get().holds(image.mustBeThere())) {
            throw VolumeException.clean(
                    "NotAttached",
                    "Expected the image " + image.path() + " behind " + device.path()
                            + ", but it is not attached there");
        }
        return pods.showDevice(what, device);
    }

    @Override
    public void tearDown(TearDown what, Progress progress) throws VolumeException, InterruptedException {
        pods.hide(what.target(), progress);
    }

    @Override
    public Optional<Long> expand(VolumeSpec volume, DeviceState state, Progress progress)
            throws VolumeException, InterruptedException {
        ImageFile image = image(volume);
        FileStatus status = image.mustBeThere();
        List<Loop> found = loops.of(image.path(), status);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        Loop loop = found.get(0);
        long bytes = loops.adoptSize(loop, status);
        return volume.mode() == VolumeMode.BLOCK
                ? Optional.of(bytes)
                : shared.grow(loop, state.mounted().orElse(shared.target(volume)), progress);
    }
}
