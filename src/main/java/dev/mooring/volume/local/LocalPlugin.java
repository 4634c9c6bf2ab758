package dev.mooring.volume.local;

import com.fasterxml.jackson.databind.JsonNode;
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
import dev.mooring.volume.host.FileKind;
import dev.mooring.volume.host.HostFiles;
import dev.mooring.volume.host.Sight;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * {@code local}: a directory of the machine, which each Pod gets bound; or a block device, which is mounted once for all Pods and then
 * bound for each, or with {@code volumeMode: Block} handed over as it is. Any thread, but never two for one volume.
 */
public final class LocalPlugin implements DevicePlugin {
    public static final String NAME = "kubernetes.io/local-volume";

    private static final String DEVICES = "/dev/";

    /** Found by {@link java.util.ServiceLoader}. */
    public static final class Provider implements VolumePluginProvider {
        @Override
        public VolumePlugin create(PluginParts parts) {
            return new LocalPlugin(parts);
        }
    }

    private final LocalPath path;
    private final LocalDisk disk;
    private final PodBinding binding;

    public LocalPlugin(PluginParts parts) {
        this.path = new LocalPath(parts);
        this.disk = new LocalDisk(parts);
        this.binding = new PodBinding(parts);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean supports(JsonNode source) {
        return source.path("local").isObject();
    }

    @Override
    public Optional<String> sharedIdentity(String name, JsonNode source) {
        return Optional.of(name);
    }

    @Override
    public Lane lane(VolumeSpec volume) {
        String text = LocalPath.text(volume);
        return text.startsWith(DEVICES) ? Lane.DEVICE : HostFiles.lane(text);
    }

    @Override
    public Optional<String> refusal(List<String> mountOptions) {
        return BindOptions.refusal(mountOptions);
    }

    @Override
    public Attaching attaching() {
        return Attaching.NEVER;
    }

    /** It is always there. */
    @Override
    public String attach(VolumeSpec volume, Progress progress) {
        return "";
    }

    @Override
    public void detach(VolumeSpec volume, Progress progress) {}

    @Override
    public DeviceState mountDevice(VolumeSpec volume, String devicePath, Access access, Progress progress)
            throws VolumeException, InterruptedException {
        optionsMustBeAllowed(volume);
        Sight sight = path.look(volume);
        if (volume.mode() == VolumeMode.BLOCK) {
            mustBeDevice(sight);
            return new DeviceState(sight.real().toString(), Optional.empty());
        }
        if (sight.kind() == FileKind.DIRECTORY) {
            return new DeviceState("", Optional.of(sight.real()));
        }
        return disk.mount(volume, sight.real(), BindOptions.access(access, volume.mountOptions()), progress);
    }

    private void optionsMustBeAllowed(VolumeSpec volume) throws VolumeException {
        Optional<String> refusal = refusal(volume.mountOptions());
        if (refusal.isPresent()) {
            throw VolumeException.clean("InvalidOptions", refusal.get());
        }
    }

    private static void mustBeDevice(Sight sight) throws VolumeException {
        if (sight.kind() != FileKind.BLOCK_DEVICE) {
            throw VolumeException.clean(
                    "WrongType",
                    "volumeMode Block needs a block device, but " + sight.real() + " is " + sight.words()
                            + ": use volumeMode Filesystem");
        }
    }

    /** A directory was never mounted; whether it was one need not be known. */
    @Override
    public void unmountDevice(VolumeSpec volume, DeviceState state, Progress progress)
            throws VolumeException, InterruptedException {
        disk.unmount(volume, progress);
    }

    /** Of a directory and a disk nobody enforces what a PersistentVolume says of its size, so what is asked for is granted. */
    @Override
    public Optional<Long> expand(VolumeSpec volume, DeviceState state, Progress progress)
            throws VolumeException, InterruptedException {
        if (state.path().isEmpty()) {
            return Optional.of(volume.bytes());
        }
        Optional<Long> size =
                volume.mode() == VolumeMode.BLOCK || state.mounted().isEmpty()
                        ? Optional.of(disk.size(state.path()))
                        : disk.grow(state.path(), state.mounted().get());
        if (size.isPresent() && size.get() < volume.bytes()) {
            progress.step(
                    "DeviceSmaller",
                    state.path() + " has " + size.get() + " bytes, fewer than the " + volume.bytes()
                            + " that PersistentVolume " + volume.name() + " promises; all of it is used now");
        }
        return size.map(now -> Math.max(now, volume.bytes()));
    }

    @Override
    public SetUpDone setUp(SetUp what, Progress progress) throws VolumeException, InterruptedException {
        VolumeSpec volume = what.volume();
        optionsMustBeAllowed(volume);
        Sight sight = path.look(volume);
        if (volume.mode() == VolumeMode.BLOCK) {
            mustBeDevice(sight);
            return binding.showDevice(what, sight.real());
        }
        if (sight.kind() == FileKind.DIRECTORY) {
            return binding.show(what, sight, progress);
        }
        Path device = sight.real();
        SetUpDone done = binding.show(what, disk.mounted(volume, device), progress);
        return new SetUpDone(done.path(), device.toString(), done.options(), done.remarks());
    }

    @Override
    public void tearDown(TearDown what, Progress progress) throws VolumeException, InterruptedException {
        binding.hide(what.target(), progress);
    }
}
