package dev.mooring.volume.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.host.ChildProcess;
import dev.mooring.host.FaultySystemCalls;
import dev.mooring.host.HostMachine;
import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.DevicePlugin;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.FsGroup;
import dev.mooring.volume.LinuxMounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.PodIdentity;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.WorkerPoolKey;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalPluginTest {
    private static final long IMAGE = 32L << 20;

    @TempDir
    Path temp;

    private Path base;
    private Path data;
    private NodeLayout layout;
    private LocalPlugin plugin;
    private final List<String> loops = new ArrayList<>();

    @BeforeEach
    void createNode() throws IOException {
        HostMachine.assumeRoot();
        base = temp.toRealPath();
        layout = new NodeLayout(Files.createDirectory(base.resolve("own")));
        data = Files.createDirectory(base.resolve("data"));
        Files.writeString(data.resolve("file"), "precious");
        plugin = plugin(SystemCalls.real());
    }

    @AfterEach
    void cleanUp() throws Exception {
        List<MountTable.Mount> left =
                base == null ? List.of() : MountTable.read().below(base);
        for (int i = left.size() - 1; i >= 0; i--) {
            HostMachine.run("umount", left.get(i).point());
        }
        for (String each : loops) {
            HostMachine.run("losetup", "-d", each);
        }
    }

    private LocalPlugin plugin(SystemCalls calls) {
        ChildProcess commands = new ChildProcess();
        return new LocalPlugin(new PluginContext(
                layout,
                new LinuxMounter(layout, calls, commands),
                commands,
                calls,
                key -> Optional.empty(),
                Clock.systemUTC(),
                Duration.ofSeconds(60)));
    }

    private String loop() throws Exception {
        Path image = Files.createTempFile(base, "disk", ".img");
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(IMAGE);
        }
        String device = HostMachine.run("losetup", "--find", "--show", image.toString());
        loops.add(device);
        return device;
    }

    private static VolumeSpec volume(Object path, VolumeMode mode, String... options) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("local").put("path", path.toString());
        return new VolumeSpec("kubernetes.io/local-volume/pv-a", "pv-a", source, mode, List.of(options), 1 << 20);
    }

    private static VolumeSpec files(Object path, String... options) {
        return volume(path, VolumeMode.FILESYSTEM, options);
    }

    private Path target(String uid, VolumeMode mode) {
        return mode == VolumeMode.BLOCK
                ? layout.device(uid, LocalPlugin.NAME, "pv-a")
                : layout.volume(uid, LocalPlugin.NAME, "pv-a");
    }

    private DeviceState mountDevice(VolumeSpec volume) throws Exception {
        return plugin.mountDevice(volume, "", Access.READ_WRITE, OperationProgress.NO_OP);
    }

    private SetUpRequest forPod(String uid, VolumeSpec volume, Access access, Optional<Long> group) {
        return new SetUpRequest(
                volume,
                new PodIdentity("team", uid, uid),
                target(uid, volume.mode()),
                access,
                Optional.of(new DeviceState("", Optional.empty())),
                group.map(gid -> new FsGroup(gid, FsGroup.FsGroupChangePolicy.ALWAYS)),
                JsonNodeFactory.instance.objectNode());
    }

    private SetUpResult setUp(String uid, VolumeSpec volume, Access access) throws Exception {
        return plugin.setUp(forPod(uid, volume, access, Optional.empty()), OperationProgress.NO_OP);
    }

    private TearDownRequest tearDownRequest(String uid, VolumeMode mode) {
        return new TearDownRequest("v", "pv-a", uid, target(uid, mode), mode, "");
    }

    private void tearDown(String uid, VolumeMode mode) throws Exception {
        plugin.tearDown(tearDownRequest(uid, mode), OperationProgress.NO_OP);
    }

    private VolumeException failure(VolumeSpec volume) {
        VolumeException failure = catchThrowableOfType(VolumeException.class, () -> mountDevice(volume));
        assertThat(failure.failureState()).isEqualTo(FailureState.CLEAN);
        return failure;
    }

    private List<MountTable.Mount> mounts() throws IOException {
        return MountTable.read().below(base);
    }

    @Test
    void directory_twoPods_isBoundForEach() throws Exception {
        assertThat(mountDevice(files(data))).isEqualTo(new DeviceState("", Optional.of(data)));

        SetUpResult one = setUp("one", files(data), Access.READ_WRITE);
        setUp("two", files(data), Access.READ_ONLY);

        assertThat(one.path()).isEqualTo(target("one", VolumeMode.FILESYSTEM));
        assertThat(one.source()).isEqualTo(data.toString());
        assertThat(one.options()).containsExactly("rw", "nosuid", "nodev");
        Files.writeString(one.path().resolve("new"), "x");
        assertThat(data.resolve("new")).hasContent("x");
        Path two = target("two", VolumeMode.FILESYSTEM);
        assertThat(two.resolve("file")).hasContent("precious");
        assertThat(catchThrowableOfType(IOException.class, () -> Files.writeString(two.resolve("no"), "x")))
                .isNotNull();

        tearDown("one", VolumeMode.FILESYSTEM);
        tearDown("two", VolumeMode.FILESYSTEM);
        tearDown("two", VolumeMode.FILESYSTEM);
        plugin.unmountDevice(files(data), new DeviceState("", Optional.of(data)), OperationProgress.NO_OP);

        assertThat(mounts()).isEmpty();
        assertThat(HostMachine.below(data)).containsExactly("file", "new");
        assertThat(HostMachine.below(layout.pods())).containsExactly("one", "two");
    }

    @Test
    void setUp_again_keepsMountUnlessItDiffers() throws Exception {
        setUp("one", files(data), Access.READ_WRITE);
        int id = mounts().get(0).id();
        setUp("one", files(data), Access.READ_WRITE);
        assertThat(mounts()).extracting(MountTable.Mount::id).containsExactly(id);

        setUp("one", files(data), Access.READ_ONLY);
        assertThat(mounts()).singleElement().matches(MountTable.Mount::isReadOnly);

        Path other = Files.createDirectory(base.resolve("other"));
        setUp("one", files(other), Access.READ_WRITE);
        assertThat(mounts()).singleElement().satisfies(mount -> {
            assertThat(mount.root()).endsWith("/other");
            assertThat(mount.isReadOnly()).isFalse();
        });
    }

    @Test
    void setUp_mountOptions_areApplied() throws Exception {
        SetUpResult done = setUp("one", files(data, "noexec", "nosuid"), Access.READ_ONLY);
        assertThat(done.options()).containsExactly("ro", "noexec", "nosuid", "nodev");
        assertThat(mounts())
                .singleElement()
                .satisfies(mount -> assertThat(mount.options()).contains("ro", "noexec", "nosuid", "nodev"));

        setUp("two", files(data, "ro"), Access.READ_WRITE);
        assertThat(mounts()).hasSize(2).allMatch(MountTable.Mount::isReadOnly);
        tearDown("one", VolumeMode.FILESYSTEM);
        tearDown("two", VolumeMode.FILESYSTEM);

        setUp("three", files(data, "suid", "noatime"), Access.READ_WRITE);
        assertThat(mounts())
                .singleElement()
                .satisfies(mount -> assertThat(mount.options())
                        .contains("rw", "noatime", "nodev")
                        .doesNotContain("nosuid"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"discard", "remount", "bind", "uid=0", "noexec,suid", "", "loop", "x-systemd.automount"})
    void mountOptions_unsupportedOption_isRejected(String option) {
        assertThat(plugin.mountOptionsError(List.of("noatime", option)).orElseThrow())
                .startsWith("mount option \"" + option + "\" is not supported");
        assertThat(failure(files(data, option)).reason()).isEqualTo("InvalidOptions");
        assertThat(plugin.mountOptionsError(List.of("noatime", "nodev", "ro"))).isEmpty();
    }

    @Test
    void mountDevice_pathIsNotDirectoryOrBlockDevice_fails() throws Exception {
        assertThat(failure(files(base.resolve("none")))).hasMessage("path \"" + base + "/none\" does not exist");
        assertThat(base.resolve("none")).doesNotExist();
        assertThat(failure(files(data.resolve("file"))))
                .hasMessageStartingWith("only directory and block device are supported");
        assertThat(failure(files("/dev/null"))).hasMessageEndingWith("/dev/null is a character device");
        assertThat(failure(files(base + "/x/../data"))).hasMessageEndingWith("must not contain '..'");
        assertThat(failure(files("data"))).hasMessageEndingWith("must be an absolute path");
        assertThat(failure(files(""))).hasMessage("LocalVolume volume \"pv-a\" path is empty");
        assertThat(failure(files(layout.root())).reason()).isEqualTo("Refused");
        assertThat(failure(volume(data, VolumeMode.BLOCK)).reason()).isEqualTo("WrongType");
    }

    @Test
    void setUp_fsGroupOfSecondPodDiffers_reportsEventAndKeepsGroup() throws Exception {
        SetUpResult one = plugin.setUp(
                forPod("one", files(data), Access.READ_WRITE, Optional.of(1000L)), OperationProgress.NO_OP);
        SetUpResult same = plugin.setUp(
                forPod("two", files(data), Access.READ_WRITE, Optional.of(1000L)), OperationProgress.NO_OP);
        SetUpResult other = plugin.setUp(
                forPod("three", files(data), Access.READ_WRITE, Optional.of(2000L)), OperationProgress.NO_OP);

        assertThat(one.events()).isEmpty();
        assertThat(same.events()).isEmpty();
        assertThat(other.events())
                .containsExactly(new SetUpResult.SetUpEvent(
                        "AlreadyMountedVolume",
                        "The requested fsGroup is 2000, but the volume pv-a has GID 1000. The volume may not be"
                                + " shareable."));
        assertThat(Files.getAttribute(data, "unix:gid")).isEqualTo(1000);
        assertThat(Files.getAttribute(data.resolve("file"), "unix:gid")).isEqualTo(1000);

        for (String each : List.of("one", "two", "three")) {
            tearDown(each, VolumeMode.FILESYSTEM);
        }
        plugin.setUp(forPod("four", files(data), Access.READ_ONLY, Optional.of(3000L)), OperationProgress.NO_OP);
        assertThat(Files.getAttribute(data, "unix:gid")).as("read-only Pod").isEqualTo(1000);
    }

    @Test
    void directory_crashAtAnySystemCall_recovers() throws Exception {
        boolean crashed = true;
        for (int at = 0; crashed; at++) {
            assertThat(at).isLessThan(500);
            crashed = false;
            try {
                plugin(FaultySystemCalls.after(at))
                        .setUp(forPod("one", files(data), Access.READ_ONLY, Optional.empty()), OperationProgress.NO_OP);
            } catch (FaultySystemCalls.Crash expected) {
                crashed = true;
            }
            setUp("one", files(data), Access.READ_ONLY);
            assertThat(mounts()).as("crash at %d", at).singleElement().matches(MountTable.Mount::isReadOnly);
            try {
                plugin(FaultySystemCalls.after(at))
                        .tearDown(tearDownRequest("one", VolumeMode.FILESYSTEM), OperationProgress.NO_OP);
            } catch (FaultySystemCalls.Crash expected) {
                crashed = true;
            }
            tearDown("one", VolumeMode.FILESYSTEM);
            assertThat(HostMachine.below(layout.pod("one"))).isEmpty();
            assertThat(data.resolve("file")).hasContent("precious");
        }
    }

    @Test
    void disk_severalPods_isFormattedAndMountedOnce() throws Exception {
        String device = loop();
        Path shared = layout.root().resolve("plugins/kubernetes.io/local-volume/mounts/pv-a");

        DeviceState state = mountDevice(files(device));
        assertThat(state).isEqualTo(new DeviceState(device, Optional.of(shared)));
        assertThat(mounts()).extracting(MountTable.Mount::type).containsExactly("ext4");
        Files.writeString(setUp("one", files(device), Access.READ_WRITE).path().resolve("kept"), "precious");
        assertThat(mountDevice(files(device))).isEqualTo(state);
        setUp("two", files(device), Access.READ_ONLY);
        assertThat(mounts()).hasSize(3);

        VolumeException busy = catchThrowableOfType(
                VolumeException.class, () -> plugin.unmountDevice(files(device), state, OperationProgress.NO_OP));
        assertThat(busy.reason()).isEqualTo("InUse");
        tearDown("one", VolumeMode.FILESYSTEM);
        tearDown("two", VolumeMode.FILESYSTEM);
        plugin.unmountDevice(files(device), state, OperationProgress.NO_OP);
        plugin.unmountDevice(files(device), state, OperationProgress.NO_OP);
        assertThat(mounts()).isEmpty();
        assertThat(shared).doesNotExist();

        mountDevice(files(device));
        assertThat(setUp("one", files(device), Access.READ_ONLY).path().resolve("kept"))
                .hasContent("precious");
    }

    @Test
    void setUp_diskNotMounted_fails() throws Exception {
        String device = loop();

        VolumeException failure =
                catchThrowableOfType(VolumeException.class, () -> setUp("one", files(device), Access.READ_WRITE));

        assertThat(failure.reason()).isEqualTo("NotMounted");
        assertThat(mounts()).isEmpty();
    }

    @Test
    void mountDevice_diskWithDataOrReadOnly_isNotFormatted() throws Exception {
        String device = loop();
        VolumeException unformatted = catchThrowableOfType(
                VolumeException.class,
                () -> plugin.mountDevice(files(device), "", Access.READ_ONLY, OperationProgress.NO_OP));
        assertThat(unformatted).hasMessageStartingWith("cannot mount unformatted disk " + device);

        Files.write(Path.of(device), "unknown content".getBytes(StandardCharsets.UTF_8));
        assertThat(failure(files(device)).reason()).isEqualTo("NotEmpty");
        byte[] start = new byte[15];
        try (RandomAccessFile file = new RandomAccessFile(device, "r")) {
            file.readFully(start);
        }
        assertThat(start).asString().isEqualTo("unknown content");
        assertThat(mounts()).isEmpty();
    }

    @Test
    void setUp_volumeModeBlock_exposesRawDevice() throws Exception {
        String device = loop();
        VolumeSpec volume = volume(device, VolumeMode.BLOCK);

        DeviceState state = mountDevice(volume);
        assertThat(state).isEqualTo(new DeviceState(device, Optional.empty()));
        SetUpResult done = setUp("one", volume, Access.READ_WRITE);
        setUp("one", volume, Access.READ_WRITE);

        assertThat(done.source()).isEqualTo(device);
        assertThat(Files.getAttribute(done.path(), "unix:rdev"))
                .isEqualTo(Files.getAttribute(Path.of(device), "unix:rdev"));
        assertThat(mounts()).hasSize(1);
        assertThat(plugin.expand(volume, state, OperationProgress.NO_OP)).contains(IMAGE);
        tearDown("one", VolumeMode.BLOCK);
        tearDown("one", VolumeMode.BLOCK);
        plugin.unmountDevice(volume, state, OperationProgress.NO_OP);
        assertThat(mounts()).isEmpty();
        assertThat(HostMachine.below(layout.pod("one"))).isEmpty();
        assertThat(Path.of(device)).exists();
    }

    @Test
    void expand_directory_returnsRequestedSize() throws Exception {
        assertThat(plugin.expand(files(data), mountDevice(files(data)), OperationProgress.NO_OP))
                .contains(1L << 20);
    }

    @Test
    void plugin_localVolume_isSharedByName() {
        assertThat(plugin.name()).isEqualTo("kubernetes.io/local-volume");
        assertThat(plugin.attachMode()).isEqualTo(DevicePlugin.AttachMode.NEVER);
        assertThat(plugin.sharedIdentity("pv-a", files(data).source())).contains("pv-a");
        assertThat(plugin.supports(files(data).source())).isTrue();
        assertThat(plugin.supports(JsonNodeFactory.instance.objectNode())).isFalse();
        assertThat(plugin.workerPool(files("/dev/sdb"))).isEqualTo(WorkerPoolKey.DEVICE);
        assertThat(plugin.workerPool(files("/mnt/disk1"))).isEqualTo(new WorkerPoolKey("host", "mnt"));
    }
}
