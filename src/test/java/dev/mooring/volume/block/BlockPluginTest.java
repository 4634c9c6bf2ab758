package dev.mooring.volume.block;

import static dev.mooring.volume.block.BlockPluginFixture.OTHER_POD;
import static dev.mooring.volume.block.BlockPluginFixture.POD;
import static dev.mooring.volume.block.BlockPluginFixture.device;
import static dev.mooring.volume.block.BlockPluginFixture.volume;
import static dev.mooring.volume.block.LoopDeviceFixture.MEBI;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.host.HostMachine;
import dev.mooring.host.MountTable;
import dev.mooring.volume.Access;
import dev.mooring.volume.DevicePlugin.AttachMode;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.FsGroup;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.WorkerPoolKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BlockPluginTest {
    @TempDir
    Path temp;

    private BlockPluginFixture fixture;
    private LoopDeviceFixture machine;
    private BlockPlugin plugin;

    @BeforeEach
    void node() throws IOException {
        fixture = new BlockPluginFixture(temp);
        machine = fixture.machine;
        plugin = fixture.plugin;
    }

    @AfterEach
    void requireNoLeftovers() throws Exception {
        fixture.close();
        assertThat(machine.attached()).isEmpty();
        assertThat(machine.mounted()).isEmpty();
    }

    private static VolumeException failure(ThrowingCallable call) {
        VolumeException e = catchThrowableOfType(VolumeException.class, call);
        assertThat(e).isNotNull();
        return e;
    }

    @Test
    void plugin_blockVolume_supportsItAndIdentifiesItByHandle() throws Exception {
        VolumeSpec volume = volume(Path.of("/a.img"), "ext4");
        assertThat(plugin.name()).isEqualTo("kubernetes.io/csi");
        assertThat(plugin.supports(volume.source())).isTrue();
        assertThat(plugin.sharedIdentity("pv-a", volume.source())).contains("block.mooring.dev^h");
        assertThat(plugin.attachMode()).isEqualTo(AttachMode.BY_THIS_NODE);
        assertThat(plugin.workerPool(volume)).isEqualTo(WorkerPoolKey.DEVICE);
        var foreign = volume.source().deepCopy();
        foreign.withObject("/csi").put("driver", "ebs.csi.aws.com");
        assertThat(plugin.supports(foreign)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ext4", "xfs"})
    void plugin_twoLifecycles_keepsDataAndFormatsOnce(String type) throws Exception {
        Path image = machine.image("a.img", 320 * MEBI);
        VolumeSpec volume = volume(image, type, "noatime");
        for (String expected : new String[] {"", "kept"}) {
            DeviceState state = fixture.up(volume);
            assertThat(machine.attached()).containsExactly(state.devicePath());
            assertThat(fixture.up(volume)).isEqualTo(state);
            Path shared = fixture.layout.root().resolve("plugins/kubernetes.io/csi/mounts/pv-a");
            assertThat(state.deviceMountPath()).contains(shared);
            MountTable.Mount mount = MountTable.read().at(shared).orElseThrow();
            assertThat(mount.source()).isEqualTo(state.devicePath());
            assertThat(mount.type()).isEqualTo(type);
            assertThat(mount.options()).contains("noatime", "nosuid", "nodev");

            SetUpResult done = fixture.setUp(volume, POD, Access.READ_WRITE, state);
            assertThat(done.source()).isEqualTo(state.devicePath());
            assertThat(done.options()).containsExactly("rw", "noatime", "nosuid", "nodev");
            assertThat(fixture.setUp(volume, POD, Access.READ_WRITE, state)).isEqualTo(done);
            Path file = done.path().resolve("file");
            assertThat(Files.exists(file) ? Files.readString(file) : "").isEqualTo(expected);
            Files.writeString(file, "kept");

            plugin.tearDown(fixture.tearDown(volume, POD), fixture.progress);
            plugin.tearDown(fixture.tearDown(volume, POD), fixture.progress);
            fixture.down(volume, state);
            fixture.down(volume, state);
            assertThat(machine.attached()).isEmpty();
            assertThat(machine.mounted()).isEmpty();
            assertThat(HostMachine.below(fixture.layout.root()))
                    .doesNotContain("plugins/kubernetes.io/csi/mounts/pv-a");
        }
        assertThat(fixture.steps).hasSize(1).first().asString().startsWith("Formatting: ");
    }

    @Test
    void plugin_twoPods_shareDeviceWithSeparateAccess() throws Exception {
        VolumeSpec volume = volume(machine.image("a.img", 32 * MEBI), "");
        DeviceState state = fixture.up(volume);
        Path writer = fixture.setUp(volume, POD, Access.READ_WRITE, state).path();
        SetUpResult reader = fixture.setUp(volume, OTHER_POD, Access.READ_ONLY, state);
        Files.writeString(writer.resolve("file"), "shared");
        assertThat(reader.path().resolve("file")).hasContent("shared");
        assertThat(reader.options()).containsExactly("ro", "nosuid", "nodev");
        assertThatThrownBy(() -> Files.writeString(reader.path().resolve("other"), ""))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Read-only");

        VolumeException e = failure(() -> plugin.unmountDevice(volume, state, fixture.progress));
        assertThat(e.reason()).isEqualTo("DeviceInUse");
        assertThat(e).hasMessageStartingWith("device is still in use: " + state.devicePath());
        plugin.tearDown(fixture.tearDown(volume, POD), fixture.progress);
        assertThat(reader.path().resolve("file")).hasContent("shared");
        plugin.tearDown(fixture.tearDown(volume, OTHER_POD), fixture.progress);
        assertThat(failure(() -> plugin.detach(volume, fixture.progress)).reason())
                .isEqualTo("DeviceInUse");
        assertThat(machine.attached()).containsExactly(state.devicePath());
        fixture.down(volume, state);
        assertThat(machine.attached()).isEmpty();
    }

    @Test
    void setUp_fsGroup_changesGroupOfFiles() throws Exception {
        VolumeSpec volume = volume(machine.image("a.img", 32 * MEBI), "ext4");
        DeviceState state = fixture.up(volume);
        FsGroup group = new FsGroup(4711, FsGroup.FsGroupChangePolicy.ALWAYS);
        plugin.setUp(fixture.setUp(volume, POD, Access.READ_WRITE, state, Optional.of(group)), fixture.progress);
        assertThat(Files.getAttribute(fixture.target(volume, POD), "unix:gid")).isEqualTo(4711);
    }

    @Test
    void volume_writesBeyondItsSize_failWithNoSpace() throws Exception {
        Path image = machine.image("a.img", 16 * MEBI);
        VolumeSpec volume = volume(image, "ext4");
        DeviceState state = fixture.up(volume);
        Path target = fixture.setUp(volume, POD, Access.READ_WRITE, state).path();
        byte[] mebi = new byte[(int) MEBI];
        assertThatThrownBy(() -> {
                    try (var out = Files.newOutputStream(target.resolve("file"))) {
                        for (int i = 0; i < 20; i++) {
                            out.write(mebi);
                        }
                    }
                })
                .isInstanceOf(IOException.class)
                .hasMessageContaining("No space left on device");
        assertThat(Files.size(target.resolve("file"))).isBetween(8 * MEBI, 16 * MEBI);
        assertThat(image).hasSize(16 * MEBI);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ext4", "xfs"})
    void expand_mountedOrAtNextMount_growsFileSystem(String type) throws Exception {
        Path image = machine.image("a.img", 320 * MEBI);
        VolumeSpec volume = volume(image, type);
        DeviceState state = fixture.up(volume);
        Path target = fixture.setUp(volume, POD, Access.READ_WRITE, state).path();
        Files.writeString(target.resolve("file"), "kept");
        assertThat(plugin.expand(volume, state, fixture.progress)).isIn(Optional.of(320 * MEBI), Optional.empty());
        fixture.steps.clear();
        machine.image("a.img", 500 * MEBI);
        Optional<Long> grown = plugin.expand(volume, state, fixture.progress);
        if (type.equals("xfs") || LoopDeviceFixture.mayGrowMounted()) {
            assertThat(grown).contains(500 * MEBI);
            assertThat(Files.getFileStore(target).getTotalSpace()).isGreaterThan(400 * MEBI);
        } else {
            assertThat(grown).isEmpty();
            assertThat(fixture.steps)
                    .hasSize(1)
                    .first()
                    .asString()
                    .startsWith("GrowthNotPermitted: the kernel does not");
        }
        plugin.tearDown(fixture.tearDown(volume, POD), fixture.progress);
        fixture.down(volume, state);
        // Expansion while the volume is not in use.
        machine.image("a.img", 600 * MEBI);
        DeviceState again = fixture.up(volume);
        Path shared = again.deviceMountPath().orElseThrow();
        assertThat(Files.getFileStore(shared).getTotalSpace()).isGreaterThan(520 * MEBI);
        assertThat(shared.resolve("file")).hasContent("kept");
    }

    @Test
    void expand_rawDevice_growsWithImage() throws Exception {
        Path image = machine.image("a.img", 8 * MEBI);
        VolumeSpec volume = device(image);
        DeviceState state = fixture.up(volume);
        machine.image("a.img", 12 * MEBI);
        assertThat(plugin.expand(volume, state, fixture.progress)).contains(12 * MEBI);
        assertThat(HostMachine.run("blockdev", "--getsize64", state.devicePath()))
                .isEqualTo("" + 12 * MEBI);
    }

    @Test
    void setUp_volumeModeBlock_exposesRawDevice() throws Exception {
        Path image = machine.image("a.img", 8 * MEBI);
        VolumeSpec volume = device(image);
        DeviceState state = fixture.up(volume);
        assertThat(state.deviceMountPath()).isEmpty();
        SetUpResult done = fixture.setUp(volume, POD, Access.READ_WRITE, state);
        assertThat(fixture.setUp(volume, POD, Access.READ_WRITE, state)).isEqualTo(done);
        assertThat(done.path()).isEqualTo(fixture.target(volume, POD));
        HostMachine.run("sh", "-c", "printf raw | dd conv=fsync status=none of=" + done.path());
        assertThat(HostMachine.run("head", "-c", "3", image.toString())).isEqualTo("raw");

        assertThat(failure(() -> plugin.unmountDevice(volume, state, fixture.progress)))
                .hasMessageStartingWith("device is still in use");
        assertThat(failure(() -> plugin.detach(volume, fixture.progress)))
                .hasMessageStartingWith("device is still in use");
        plugin.tearDown(fixture.tearDown(volume, POD), fixture.progress);
        assertThat(done.path()).doesNotExist();
        fixture.down(volume, state);
        assertThat(machine.attached()).isEmpty();
    }

    @Test
    void mountDevice_deviceNumberReused_findsImageByIdentity() throws Exception {
        VolumeSpec volume = volume(machine.image("a.img", 32 * MEBI), "ext4");
        plugin.attach(volume, fixture.progress);
        fixture.detach(plugin, volume);
        Path other = machine.image("other.img", 32 * MEBI);
        // The first free device is usually the one that the volume had, unless another process has just taken it.
        String oldDevice = HostMachine.run("losetup", "--find", "--show", other.toString());

        DeviceState state = plugin.mountDevice(volume, oldDevice, Access.READ_WRITE, fixture.progress);
        assertThat(state.devicePath()).isNotEqualTo(oldDevice);
        assertThat(fixture.steps).anyMatch(step -> step.startsWith("DeviceChanged: "));
        HostMachine.run("cmp", "-n", "" + 32 * MEBI, other.toString(), "/dev/zero");

        DeviceState stale = new DeviceState(oldDevice, state.deviceMountPath());
        assertThat(failure(() -> fixture.setUp(volume, POD, Access.READ_WRITE, stale))
                        .reason())
                .isEqualTo("NotMounted");
        assertThat(failure(() -> fixture.setUp(device(machine.root.resolve("a.img")), POD, Access.READ_WRITE, stale))
                        .reason())
                .isEqualTo("NotAttached");
        assertThat(HostMachine.below(fixture.layout.pods().getParent())).doesNotContain("pods");
    }

    @Test
    void setUp_globalMountMissing_failsWithoutBinding() throws Exception {
        VolumeSpec volume = volume(machine.image("a.img", 32 * MEBI), "ext4");
        DeviceState state = fixture.up(volume);
        HostMachine.run("umount", state.deviceMountPath().orElseThrow().toString());
        VolumeException e = failure(() -> fixture.setUp(volume, POD, Access.READ_WRITE, state));
        assertThat(e.reason()).isEqualTo("NotMounted");
        assertThat(e.failureState()).isEqualTo(FailureState.CLEAN);
        assertThat(fixture.up(volume)).isEqualTo(state);
        fixture.setUp(volume, POD, Access.READ_WRITE, state);
    }

    @Test
    void mountDevice_otherMountOnGlobalMountPath_replacesIt() throws Exception {
        VolumeSpec volume = volume(machine.image("a.img", 32 * MEBI), "ext4");
        DeviceState state = fixture.up(volume);
        Path shared = state.deviceMountPath().orElseThrow();
        HostMachine.run("mount", "--bind", machine.root.toString(), shared.toString());
        assertThat(fixture.up(volume)).isEqualTo(state);
        assertThat(MountTable.read().allAt(shared))
                .hasSize(1)
                .first()
                .satisfies(mount -> assertThat(mount.source()).isEqualTo(state.devicePath()));
    }

    @Test
    void attach_imageAttachedTwice_fails() throws Exception {
        Path image = machine.image("a.img", 32 * MEBI);
        String manual = HostMachine.run("losetup", "--find", "--show", image.toString());
        assertThat(plugin.attach(volume(image, "ext4"), fixture.progress)).isEqualTo(manual);
        HostMachine.run("losetup", "--find", "--show", image.toString());
        VolumeException e = failure(() -> plugin.attach(volume(image, "ext4"), fixture.progress));
        assertThat(e.reason()).isEqualTo("DeviceInUse");
        assertThat(e).hasMessageContaining("which would damage it");
    }

    @Test
    void attach_imageAttachedReadOnly_fails() throws Exception {
        Path image = machine.image("a.img", 32 * MEBI);
        String manual = HostMachine.run("losetup", "--read-only", "--find", "--show", image.toString());
        assertThat(failure(() -> plugin.attach(volume(image, "ext4"), fixture.progress)))
                .hasMessageContaining("is attached to " + manual + " in part or read-only");
    }

    @ParameterizedTest
    @CsvSource({
        "missing.img,NotFound,does not exist: check that its disk is mounted",
        "link.img,WrongType,but it is a symbolic link",
        "link/a.img,WrongType,must not be reached through a symbolic link",
        "directory,WrongType,but it is a directory",
        "empty.img,NoSize,is empty",
        "node/../a.img,InvalidVolume,absolute path of an image",
    })
    void attach_invalidImage_fails(String name, String reason, String message) throws Exception {
        Path image = machine.image("a.img", 8 * MEBI);
        machine.image("empty.img", 0);
        Files.createDirectory(machine.root.resolve("directory"));
        Files.createSymbolicLink(machine.root.resolve("link.img"), image);
        Files.createSymbolicLink(machine.root.resolve("link"), machine.root);
        VolumeException e = failure(() -> plugin.attach(volume(machine.root.resolve(name), "ext4"), fixture.progress));
        assertThat(e.reason()).isEqualTo(reason);
        assertThat(e).hasMessageContaining(message);
        assertThat(e.failureState()).isEqualTo(FailureState.CLEAN);
        assertThat(machine.attached()).isEmpty();
    }

    @Test
    void detach_imageRemoved_detachesDevice() throws Exception {
        Path image = machine.image("a.img", 8 * MEBI);
        VolumeSpec volume = volume(image, "ext4");
        plugin.attach(volume, fixture.progress);
        Files.delete(image);
        fixture.detach(plugin, volume);
        assertThat(machine.attached()).isEmpty();
        plugin.detach(volume, fixture.progress);
    }

    @Test
    void detach_deviceOpen_failsUntilClosed() throws Exception {
        VolumeSpec volume = volume(machine.image("a.img", 8 * MEBI), "ext4");
        String device = plugin.attach(volume, fixture.progress);
        try (var open = Files.newInputStream(Path.of(device))) {
            assertThat(open.read()).isZero();
            VolumeException e = failure(() -> plugin.detach(volume, fixture.progress));
            assertThat(e.reason()).isEqualTo("DeviceInUse");
            assertThat(e.failureState()).isEqualTo(FailureState.UNCERTAIN);
            assertThat(failure(() -> plugin.attach(device(machine.root.resolve("a.img")), fixture.progress)))
                    .hasMessageContaining("is being detached");
        }
        fixture.detach(plugin, volume);
        assertThat(machine.attached()).isEmpty();
    }

    @Test
    void mountOptions_unknownOption_isRejected() throws Exception {
        assertThat(plugin.mountOptionsError(List.of(
                        "noatime", "discard", "data=ordered", "commit=30", "logbsize=256k", "errors=remount-ro")))
                .isEmpty();
        for (String bad :
                List.of("loop", "bind", "remount", "data=x", "commit=a", "errors=panic", "x-mount.mkdir", "")) {
            assertThat(plugin.mountOptionsError(List.of("noatime", bad)))
                    .get()
                    .asString()
                    .contains("mount option \"" + bad + '"');
        }
        VolumeSpec volume = volume(machine.image("a.img", 8 * MEBI), "ext4", "bind");
        assertThat(failure(() -> fixture.up(volume)).reason()).isEqualTo("InvalidOptions");
        assertThat(machine.mounted()).isEmpty();
    }

    @Test
    void mountDevice_readOnly_doesNotFormat() throws Exception {
        Path image = machine.image("a.img", 32 * MEBI);
        VolumeSpec volume = volume(image, "ext4");
        String device = plugin.attach(volume, fixture.progress);
        assertThat(failure(() -> plugin.mountDevice(volume, device, Access.READ_ONLY, fixture.progress)))
                .hasMessage("cannot mount unformatted disk " + device + " as we are manipulating it in read-only mode");
        machine.withData(image, "ext4");
        DeviceState state = plugin.mountDevice(volume, device, Access.READ_ONLY, fixture.progress);
        VolumeSpec readOnlyOption = volume(image, "ext4", "ro");
        assertThat(plugin.mountDevice(readOnlyOption, device, Access.READ_WRITE, fixture.progress))
                .isEqualTo(state);
        assertThat(MountTable.read()
                        .at(state.deviceMountPath().orElseThrow())
                        .orElseThrow()
                        .isReadOnly())
                .isTrue();
    }

    @Test
    void mountDevice_kernelRejectsOptions_leavesOnlyTheDevice() throws Exception {
        Path image = machine.image("a.img", 320 * MEBI);
        VolumeSpec volume = volume(image, "ext4", "logbufs=8");
        VolumeException e = failure(() -> fixture.up(volume));
        assertThat(e.failureState()).isEqualTo(FailureState.CLEAN);
        assertThat(e).hasMessageContaining("mount");
        assertThat(machine.mounted()).isEmpty();
        assertThat(HostMachine.below(fixture.layout.root())).doesNotContain("plugins/kubernetes.io/csi/mounts/pv-a");
    }
}
