package dev.mooring.volume.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.DevicePlugin;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.Lane;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.Ownership;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.PodIdentity;
import dev.mooring.volume.Progress;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.TearDown;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.mount.LinuxMounter;
import dev.mooring.volume.path.CallsWithout;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.ChildProcess;
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
    void aNode() throws IOException {
        Machine.assumeRoot();
        base = temp.toRealPath();
        layout = new NodeLayout(Files.createDirectory(base.resolve("own")));
        data = Files.createDirectory(base.resolve("data"));
        Files.writeString(data.resolve("file"), "precious");
        plugin = plugin(SystemCalls.real());
    }

    @AfterEach
    void undoEverything() throws Exception {
        List<MountTable.Mount> left =
                base == null ? List.of() : MountTable.read().below(base);
        for (int i = left.size() - 1; i >= 0; i--) {
            Machine.run("umount", left.get(i).point());
        }
        for (String each : loops) {
            Machine.run("losetup", "-d", each);
        }
    }

    private LocalPlugin plugin(SystemCalls calls) {
        ChildProcess commands = new ChildProcess();
        return new LocalPlugin(new PluginParts(
                layout,
                new LinuxMounter(layout, calls, commands),
                commands,
                calls,
                key -> Optional.empty(),
                Clock.systemUTC(),
                Duration.ofSeconds(30)));
    }

    private String loop() throws Exception {
        Path image = Files.createTempFile(base, "disk", ".img");
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(IMAGE);
        }
        String device = Machine.run("losetup", "--find", "--show", image.toString());
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
        return plugin.mountDevice(volume, "", Access.READ_WRITE, Progress.IGNORED);
    }

    private SetUp forPod(String uid, VolumeSpec volume, Access access, Optional<Long> group) {
        return new SetUp(
                volume,
                new PodIdentity("team", uid, uid),
                target(uid, volume.mode()),
                access,
                Optional.of(new DeviceState("", Optional.empty())),
                group.map(gid -> new Ownership(gid, Ownership.When.ALWAYS)),
                JsonNodeFactory.instance.objectNode());
    }

    private SetUpDone setUp(String uid, VolumeSpec volume, Access access) throws Exception {
        return plugin.setUp(forPod(uid, volume, access, Optional.empty()), Progress.IGNORED);
    }

    private TearDown gone(String uid, VolumeMode mode) {
        return new TearDown("v", "pv-a", uid, target(uid, mode), mode, "");
    }

    private void tearDown(String uid, VolumeMode mode) throws Exception {
        plugin.tearDown(gone(uid, mode), Progress.IGNORED);
    }

    private VolumeException refusal(VolumeSpec volume) {
        VolumeException refusal = catchThrowableOfType(VolumeException.class, () -> mountDevice(volume));
        assertThat(refusal.left()).isEqualTo(Left.NOTHING);
        return refusal;
    }

    private List<MountTable.Mount> mounts() throws IOException {
        return MountTable.read().below(base);
    }

    @Test
    void aDirectoryIsItsOwnPlaceAndBoundForEachPod() throws Exception {
        assertThat(mountDevice(files(data))).isEqualTo(new DeviceState("", Optional.of(data)));

        SetUpDone one = setUp("one", files(data), Access.READ_WRITE);
        setUp("two", files(data), Access.READ_ONLY);

        assertThat(one.path()).isEqualTo(target("one", VolumeMode.FILESYSTEM));
        assertThat(one.source()).isEqualTo(data.toString());
        assertThat(one.options()).containsExactly("rw");
        Files.writeString(one.path().resolve("new"), "x");
        assertThat(data.resolve("new")).hasContent("x");
        Path two = target("two", VolumeMode.FILESYSTEM);
        assertThat(two.resolve("file")).hasContent("precious");
        assertThat(catchThrowableOfType(IOException.class, () -> Files.writeString(two.resolve("no"), "x")))
                .isNotNull();

        tearDown("one", VolumeMode.FILESYSTEM);
        tearDown("two", VolumeMode.FILESYSTEM);
        tearDown("two", VolumeMode.FILESYSTEM);
        plugin.unmountDevice(files(data), new DeviceState("", Optional.of(data)), Progress.IGNORED);

        assertThat(mounts()).isEmpty();
        assertThat(Machine.below(data)).containsExactly("file", "new");
        assertThat(Machine.below(layout.pods())).containsExactly("one", "two");
    }

    @Test
    void setUpAgainItIsTheSameMountUnlessItIsAWrongOne() throws Exception {
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
    void takesOptionsOfSingleMounts() throws Exception {
        SetUpDone done = setUp("one", files(data, "noexec", "nosuid"), Access.READ_ONLY);
        assertThat(done.options()).containsExactly("ro", "noexec", "nosuid");
        assertThat(mounts())
                .singleElement()
                .satisfies(mount -> assertThat(mount.options()).contains("ro", "noexec", "nosuid"));

        setUp("two", files(data, "ro"), Access.READ_WRITE);
        assertThat(mounts()).hasSize(2).allMatch(MountTable.Mount::isReadOnly);
    }

    @ParameterizedTest
    @ValueSource(strings = {"discard", "remount", "bind", "uid=0", "noexec,suid", "", "loop", "x-systemd.automount"})
    void refusesOtherOptions(String option) {
        assertThat(plugin.refusal(List.of("noatime", option)).orElseThrow())
                .startsWith("mount option \"" + option + "\" is not supported");
        assertThat(refusal(files(data, option)).reason()).isEqualTo("InvalidOptions");
        assertThat(plugin.refusal(List.of("noatime", "nodev", "ro"))).isEmpty();
    }

    @Test
    void refusesWhatIsNoDirectoryAndNoDevice() throws Exception {
        assertThat(refusal(files(base.resolve("none")))).hasMessage("path \"" + base + "/none\" does not exist");
        assertThat(base.resolve("none")).doesNotExist();
        assertThat(refusal(files(data.resolve("file"))))
                .hasMessageStartingWith("only directory and block device are supported");
        assertThat(refusal(files("/dev/null"))).hasMessageEndingWith("/dev/null is a character device");
        assertThat(refusal(files(base + "/x/../data"))).hasMessageEndingWith("must not contain '..'");
        assertThat(refusal(files("data"))).hasMessageEndingWith("must be an absolute path");
        assertThat(refusal(files(""))).hasMessage("LocalVolume volume \"pv-a\" path is empty");
        assertThat(refusal(files(layout.root())).reason()).isEqualTo("Refused");
        assertThat(refusal(volume(data, VolumeMode.BLOCK)).reason()).isEqualTo("WrongType");
    }

    @Test
    void onlyTheFirstPodSetsTheGroupAndOthersAreTold() throws Exception {
        SetUpDone one =
                plugin.setUp(forPod("one", files(data), Access.READ_WRITE, Optional.of(1000L)), Progress.IGNORED);
        SetUpDone same =
                plugin.setUp(forPod("two", files(data), Access.READ_WRITE, Optional.of(1000L)), Progress.IGNORED);
        SetUpDone other =
                plugin.setUp(forPod("three", files(data), Access.READ_WRITE, Optional.of(2000L)), Progress.IGNORED);

        assertThat(one.remarks()).isEmpty();
        assertThat(same.remarks()).isEmpty();
        assertThat(other.remarks())
                .containsExactly(new SetUpDone.Remark(
                        "AlreadyMountedVolume",
                        "The requested fsGroup is 2000, but the volume pv-a has GID 1000. The volume may not be"
                                + " shareable."));
        assertThat(Files.getAttribute(data, "unix:gid")).isEqualTo(1000);
        assertThat(Files.getAttribute(data.resolve("file"), "unix:gid")).isEqualTo(1000);

        for (String each : List.of("one", "two", "three")) {
            tearDown(each, VolumeMode.FILESYSTEM);
        }
        plugin.setUp(forPod("four", files(data), Access.READ_ONLY, Optional.of(3000L)), Progress.IGNORED);
        assertThat(Files.getAttribute(data, "unix:gid")).as("who only reads").isEqualTo(1000);
    }

    @Test
    void survivesACrashBeforeEachCallOfADirectory() throws Exception {
        boolean crashed = true;
        for (int at = 0; crashed; at++) {
            assertThat(at).isLessThan(500);
            crashed = false;
            try {
                plugin(CallsWithout.after(at))
                        .setUp(forPod("one", files(data), Access.READ_ONLY, Optional.empty()), Progress.IGNORED);
            } catch (CallsWithout.Crash expected) {
                crashed = true;
            }
            setUp("one", files(data), Access.READ_ONLY);
            assertThat(mounts()).as("crash at %d", at).singleElement().matches(MountTable.Mount::isReadOnly);
            try {
                plugin(CallsWithout.after(at)).tearDown(gone("one", VolumeMode.FILESYSTEM), Progress.IGNORED);
            } catch (CallsWithout.Crash expected) {
                crashed = true;
            }
            tearDown("one", VolumeMode.FILESYSTEM);
            assertThat(Machine.below(layout.pod("one"))).isEmpty();
            assertThat(data.resolve("file")).hasContent("precious");
        }
    }

    @Test
    void aDiskIsFormattedOnceAndMountedOnceForAllPods() throws Exception {
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
                VolumeException.class, () -> plugin.unmountDevice(files(device), state, Progress.IGNORED));
        assertThat(busy.reason()).isEqualTo("InUse");
        tearDown("one", VolumeMode.FILESYSTEM);
        tearDown("two", VolumeMode.FILESYSTEM);
        plugin.unmountDevice(files(device), state, Progress.IGNORED);
        plugin.unmountDevice(files(device), state, Progress.IGNORED);
        assertThat(mounts()).isEmpty();
        assertThat(shared).doesNotExist();

        mountDevice(files(device));
        assertThat(setUp("one", files(device), Access.READ_ONLY).path().resolve("kept"))
                .hasContent("precious");
    }

    @Test
    void refusesToShowADirectoryWithoutItsDisk() throws Exception {
        String device = loop();

        VolumeException refusal =
                catchThrowableOfType(VolumeException.class, () -> setUp("one", files(device), Access.READ_WRITE));

        assertThat(refusal.reason()).isEqualTo("NotMounted");
        assertThat(mounts()).isEmpty();
    }

    @Test
    void neverFormatsADiskThatHoldsSomethingNorOneToBeRead() throws Exception {
        String device = loop();
        VolumeException unformatted = catchThrowableOfType(
                VolumeException.class, () -> plugin.mountDevice(files(device), "", Access.READ_ONLY, Progress.IGNORED));
        assertThat(unformatted).hasMessageStartingWith("cannot mount unformatted disk " + device);

        Files.write(Path.of(device), "somebody's data".getBytes(StandardCharsets.UTF_8));
        assertThat(refusal(files(device)).reason()).isEqualTo("NotEmpty");
        byte[] start = new byte[15];
        try (RandomAccessFile file = new RandomAccessFile(device, "r")) {
            file.readFully(start);
        }
        assertThat(start).asString().isEqualTo("somebody's data");
        assertThat(mounts()).isEmpty();
    }

    @Test
    void aDeviceIsHandedOverAsItIs() throws Exception {
        String device = loop();
        VolumeSpec volume = volume(device, VolumeMode.BLOCK);

        DeviceState state = mountDevice(volume);
        assertThat(state).isEqualTo(new DeviceState(device, Optional.empty()));
        SetUpDone done = setUp("one", volume, Access.READ_WRITE);
        setUp("one", volume, Access.READ_WRITE);

        assertThat(done.source()).isEqualTo(device);
        assertThat(Files.getAttribute(done.path(), "unix:rdev"))
                .isEqualTo(Files.getAttribute(Path.of(device), "unix:rdev"));
        assertThat(mounts()).hasSize(1);
        assertThat(plugin.expand(volume, state, Progress.IGNORED)).contains(IMAGE);
        tearDown("one", VolumeMode.BLOCK);
        tearDown("one", VolumeMode.BLOCK);
        plugin.unmountDevice(volume, state, Progress.IGNORED);
        assertThat(mounts()).isEmpty();
        assertThat(Machine.below(layout.pod("one"))).isEmpty();
        assertThat(Path.of(device)).exists();
    }

    @Test
    void aDirectoryGrowsByBeingAskedTo() throws Exception {
        assertThat(plugin.expand(files(data), mountDevice(files(data)), Progress.IGNORED))
                .contains(1L << 20);
    }

    @Test
    void isSharedByAllPodsUnderTheNameOfItsVolume() {
        assertThat(plugin.name()).isEqualTo("kubernetes.io/local-volume");
        assertThat(plugin.attaching()).isEqualTo(DevicePlugin.Attaching.NEVER);
        assertThat(plugin.sharedIdentity("pv-a", files(data).source())).contains("pv-a");
        assertThat(plugin.supports(files(data).source())).isTrue();
        assertThat(plugin.supports(JsonNodeFactory.instance.objectNode())).isFalse();
        assertThat(plugin.lane(files("/dev/sdb"))).isEqualTo(Lane.DEVICE);
        assertThat(plugin.lane(files("/mnt/disk1"))).isEqualTo(new Lane("host", "mnt"));
    }
}
