package dev.mooring.volume.block;

import static dev.mooring.volume.block.BlockBench.OTHER_POD;
import static dev.mooring.volume.block.BlockBench.POD;
import static dev.mooring.volume.block.BlockBench.device;
import static dev.mooring.volume.block.BlockBench.volume;
import static dev.mooring.volume.block.LoopBench.MEBI;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.volume.Access;
import dev.mooring.volume.DevicePlugin.Attaching;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.Lane;
import dev.mooring.volume.Ownership;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.MountTable;
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

    private BlockBench bench;
    private LoopBench machine;
    private BlockPlugin plugin;

    @BeforeEach
    void node() throws IOException {
        bench = new BlockBench(temp);
        machine = bench.machine;
        plugin = bench.plugin;
    }

    @AfterEach
    void nothingStays() throws Exception {
        bench.close();
        assertThat(machine.attached()).isEmpty();
        assertThat(machine.mounted()).isEmpty();
    }

    private static VolumeException failure(ThrowingCallable call) {
        VolumeException e = catchThrowableOfType(VolumeException.class, call);
        assertThat(e).isNotNull();
        return e;
    }

    @Test
    void knowsItsVolumesAndWhatTellsThemApart() throws Exception {
        VolumeSpec volume = volume(Path.of("/a.img"), "ext4");
        assertThat(plugin.name()).isEqualTo("kubernetes.io/csi");
        assertThat(plugin.supports(volume.source())).isTrue();
        assertThat(plugin.sharedIdentity("pv-a", volume.source())).contains("block.mooring.dev^h");
        assertThat(plugin.attaching()).isEqualTo(Attaching.BY_THIS_NODE);
        assertThat(plugin.lane(volume)).isEqualTo(Lane.DEVICE);
        var foreign = volume.source().deepCopy();
        foreign.withObject("/csi").put("driver", "ebs.csi.aws.com");
        assertThat(plugin.supports(foreign)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ext4", "xfs"})
    void livesThroughItsWholeLifeAndKeepsTheData(String type) throws Exception {
        Path image = machine.image("a.img", 320 * MEBI);
        VolumeSpec volume = volume(image, type, "noatime");
        for (String expected : new String[] {"", "kept"}) {
            DeviceState state = bench.up(volume);
            assertThat(machine.attached()).containsExactly(state.path());
            assertThat(bench.up(volume)).isEqualTo(state);
            Path shared = bench.layout.root().resolve("plugins/kubernetes.io/csi/mounts/pv-a");
            assertThat(state.mounted()).contains(shared);
            MountTable.Mount mount = MountTable.read().at(shared).orElseThrow();
            assertThat(mount.source()).isEqualTo(state.path());
            assertThat(mount.type()).isEqualTo(type);
            assertThat(mount.options()).contains("noatime");

            SetUpDone done = bench.setUp(volume, POD, Access.READ_WRITE, state);
            assertThat(done.source()).isEqualTo(state.path());
            assertThat(done.options()).containsExactly("rw", "noatime");
            assertThat(bench.setUp(volume, POD, Access.READ_WRITE, state)).isEqualTo(done);
            Path file = done.path().resolve("file");
            assertThat(Files.exists(file) ? Files.readString(file) : "").isEqualTo(expected);
            Files.writeString(file, "kept");

            plugin.tearDown(bench.tearDown(volume, POD), bench.progress);
            plugin.tearDown(bench.tearDown(volume, POD), bench.progress);
            bench.down(volume, state);
            bench.down(volume, state);
            assertThat(machine.attached()).isEmpty();
            assertThat(machine.mounted()).isEmpty();
            assertThat(Machine.below(bench.layout.root())).doesNotContain("plugins/kubernetes.io/csi/mounts/pv-a");
        }
        assertThat(bench.steps).hasSize(1).first().asString().startsWith("Formatting: ");
    }

    @Test
    void isSharedByPodsEachWithItsOwnAccess() throws Exception {
        VolumeSpec volume = volume(machine.image("a.img", 32 * MEBI), "");
        DeviceState state = bench.up(volume);
        Path writer = bench.setUp(volume, POD, Access.READ_WRITE, state).path();
        SetUpDone reader = bench.setUp(volume, OTHER_POD, Access.READ_ONLY, state);
        Files.writeString(writer.resolve("file"), "shared");
        assertThat(reader.path().resolve("file")).hasContent("shared");
        assertThat(reader.options()).containsExactly("ro");
        assertThatThrownBy(() -> Files.writeString(reader.path().resolve("other"), ""))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Read-only");

        VolumeException e = failure(() -> plugin.unmountDevice(volume, state, bench.progress));
        assertThat(e.reason()).isEqualTo("DeviceInUse");
        assertThat(e).hasMessageStartingWith("device is still in use: " + state.path());
        plugin.tearDown(bench.tearDown(volume, POD), bench.progress);
        assertThat(reader.path().resolve("file")).hasContent("shared");
        plugin.tearDown(bench.tearDown(volume, OTHER_POD), bench.progress);
        assertThat(failure(() -> plugin.detach(volume, bench.progress)).reason())
                .isEqualTo("DeviceInUse");
        assertThat(machine.attached()).containsExactly(state.path());
        bench.down(volume, state);
        assertThat(machine.attached()).isEmpty();
    }

    @Test
    void handsTheFilesToTheGroupOfThePod() throws Exception {
        VolumeSpec volume = volume(machine.image("a.img", 32 * MEBI), "ext4");
        DeviceState state = bench.up(volume);
        Ownership group = new Ownership(4711, Ownership.When.ALWAYS);
        plugin.setUp(bench.setUp(volume, POD, Access.READ_WRITE, state, Optional.of(group)), bench.progress);
        assertThat(Files.getAttribute(bench.target(volume, POD), "unix:gid")).isEqualTo(4711);
    }

    @Test
    void isFullAtItsSize() throws Exception {
        Path image = machine.image("a.img", 16 * MEBI);
        VolumeSpec volume = volume(image, "ext4");
        DeviceState state = bench.up(volume);
        Path target = bench.setUp(volume, POD, Access.READ_WRITE, state).path();
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
    void growsWhileItIsUsedOrWhenItIsMountedTheNextTime(String type) throws Exception {
        Path image = machine.image("a.img", 320 * MEBI);
        VolumeSpec volume = volume(image, type);
        DeviceState state = bench.up(volume);
        Path target = bench.setUp(volume, POD, Access.READ_WRITE, state).path();
        Files.writeString(target.resolve("file"), "kept");
        assertThat(plugin.expand(volume, state, bench.progress)).isIn(Optional.of(320 * MEBI), Optional.empty());
        bench.steps.clear();
        machine.image("a.img", 500 * MEBI);
        Optional<Long> grown = plugin.expand(volume, state, bench.progress);
        if (type.equals("xfs") || LoopBench.mayGrowMounted()) {
            assertThat(grown).contains(500 * MEBI);
            assertThat(Files.getFileStore(target).getTotalSpace()).isGreaterThan(400 * MEBI);
        } else {
            assertThat(grown).isEmpty();
            assertThat(bench.steps).hasSize(1).first().asString().startsWith("GrowthNotPermitted: the kernel does not");
        }
        plugin.tearDown(bench.tearDown(volume, POD), bench.progress);
        bench.down(volume, state);
        // Now while nobody uses it.
        machine.image("a.img", 600 * MEBI);
        DeviceState again = bench.up(volume);
        Path shared = again.mounted().orElseThrow();
        assertThat(Files.getFileStore(shared).getTotalSpace()).isGreaterThan(520 * MEBI);
        assertThat(shared.resolve("file")).hasContent("kept");
    }

    @Test
    void aDeviceGrowsWithItsImage() throws Exception {
        Path image = machine.image("a.img", 8 * MEBI);
        VolumeSpec volume = device(image);
        DeviceState state = bench.up(volume);
        machine.image("a.img", 12 * MEBI);
        assertThat(plugin.expand(volume, state, bench.progress)).contains(12 * MEBI);
        assertThat(Machine.run("blockdev", "--getsize64", state.path())).isEqualTo("" + 12 * MEBI);
    }

    @Test
    void showsTheDeviceItselfToPodsThatAskForIt() throws Exception {
        Path image = machine.image("a.img", 8 * MEBI);
        VolumeSpec volume = device(image);
        DeviceState state = bench.up(volume);
        assertThat(state.mounted()).isEmpty();
        SetUpDone done = bench.setUp(volume, POD, Access.READ_WRITE, state);
        assertThat(bench.setUp(volume, POD, Access.READ_WRITE, state)).isEqualTo(done);
        assertThat(done.path()).isEqualTo(bench.target(volume, POD));
        Machine.run("sh", "-c", "printf raw | dd conv=fsync status=none of=" + done.path());
        assertThat(Machine.run("head", "-c", "3", image.toString())).isEqualTo("raw");

        assertThat(failure(() -> plugin.unmountDevice(volume, state, bench.progress)))
                .hasMessageStartingWith("device is still in use");
        assertThat(failure(() -> plugin.detach(volume, bench.progress)))
                .hasMessageStartingWith("device is still in use");
        plugin.tearDown(bench.tearDown(volume, POD), bench.progress);
        assertThat(done.path()).doesNotExist();
        bench.down(volume, state);
        assertThat(machine.attached()).isEmpty();
    }

    @Test
    void doesNotTrustTheNumberOfADeviceAfterARestart() throws Exception {
        VolumeSpec volume = volume(machine.image("a.img", 32 * MEBI), "ext4");
        String remembered = plugin.attach(volume, bench.progress);
        plugin.detach(volume, bench.progress);
        Path other = machine.image("other.img", 32 * MEBI);
        Machine.run("losetup", remembered, other.toString());

        DeviceState state = plugin.mountDevice(volume, remembered, Access.READ_WRITE, bench.progress);
        assertThat(state.path()).isNotEqualTo(remembered);
        assertThat(bench.steps).anyMatch(step -> step.startsWith("DeviceChanged: "));
        Machine.run("cmp", "-n", "" + 32 * MEBI, other.toString(), "/dev/zero");

        DeviceState stale = new DeviceState(remembered, state.mounted());
        assertThat(failure(() -> bench.setUp(volume, POD, Access.READ_WRITE, stale))
                        .reason())
                .isEqualTo("NotMounted");
        assertThat(failure(() -> bench.setUp(device(machine.root.resolve("a.img")), POD, Access.READ_WRITE, stale))
                        .reason())
                .isEqualTo("NotAttached");
        assertThat(Machine.below(bench.layout.pods().getParent())).doesNotContain("pods");
    }

    @Test
    void doesNotBindADirectoryOnWhichNothingIsMounted() throws Exception {
        VolumeSpec volume = volume(machine.image("a.img", 32 * MEBI), "ext4");
        DeviceState state = bench.up(volume);
        Machine.run("umount", state.mounted().orElseThrow().toString());
        VolumeException e = failure(() -> bench.setUp(volume, POD, Access.READ_WRITE, state));
        assertThat(e.reason()).isEqualTo("NotMounted");
        assertThat(e.left()).isEqualTo(Left.NOTHING);
        assertThat(bench.up(volume)).isEqualTo(state);
        bench.setUp(volume, POD, Access.READ_WRITE, state);
    }

    @Test
    void replacesWhatIsWronglyMountedInItsPlace() throws Exception {
        VolumeSpec volume = volume(machine.image("a.img", 32 * MEBI), "ext4");
        DeviceState state = bench.up(volume);
        Path shared = state.mounted().orElseThrow();
        Machine.run("mount", "--bind", machine.root.toString(), shared.toString());
        assertThat(bench.up(volume)).isEqualTo(state);
        assertThat(MountTable.read().allAt(shared))
                .hasSize(1)
                .first()
                .satisfies(mount -> assertThat(mount.source()).isEqualTo(state.path()));
    }

    @Test
    void neverAttachesAnImageTwice() throws Exception {
        Path image = machine.image("a.img", 32 * MEBI);
        String byHand = Machine.run("losetup", "--find", "--show", image.toString());
        assertThat(plugin.attach(volume(image, "ext4"), bench.progress)).isEqualTo(byHand);
        Machine.run("losetup", "--find", "--show", image.toString());
        VolumeException e = failure(() -> plugin.attach(volume(image, "ext4"), bench.progress));
        assertThat(e.reason()).isEqualTo("DeviceInUse");
        assertThat(e).hasMessageContaining("which would damage it");
    }

    @Test
    void refusesAnImageThatIsAttachedReadOnly() throws Exception {
        Path image = machine.image("a.img", 32 * MEBI);
        String byHand = Machine.run("losetup", "--read-only", "--find", "--show", image.toString());
        assertThat(failure(() -> plugin.attach(volume(image, "ext4"), bench.progress)))
                .hasMessageContaining("is attached to " + byHand + " in part or read-only");
    }

    @ParameterizedTest
    @CsvSource({
        "missing.img,NotFound,does not exist: is its disk mounted",
        "link.img,WrongType,but it is a symbolic link",
        "link/a.img,WrongType,must not be reached through a symbolic link",
        "directory,WrongType,but it is a directory",
        "empty.img,NoSize,is empty",
        "node/../a.img,InvalidVolume,absolute path of an image",
    })
    void refusesWhatIsNoImage(String name, String reason, String words) throws Exception {
        Path image = machine.image("a.img", 8 * MEBI);
        machine.image("empty.img", 0);
        Files.createDirectory(machine.root.resolve("directory"));
        Files.createSymbolicLink(machine.root.resolve("link.img"), image);
        Files.createSymbolicLink(machine.root.resolve("link"), machine.root);
        VolumeException e = failure(() -> plugin.attach(volume(machine.root.resolve(name), "ext4"), bench.progress));
        assertThat(e.reason()).isEqualTo(reason);
        assertThat(e).hasMessageContaining(words);
        assertThat(e.left()).isEqualTo(Left.NOTHING);
        assertThat(machine.attached()).isEmpty();
    }

    @Test
    void detachesAnImageThatSomebodyHasRemoved() throws Exception {
        Path image = machine.image("a.img", 8 * MEBI);
        VolumeSpec volume = volume(image, "ext4");
        plugin.attach(volume, bench.progress);
        Files.delete(image);
        plugin.detach(volume, bench.progress);
        assertThat(machine.attached()).isEmpty();
        plugin.detach(volume, bench.progress);
    }

    @Test
    void isNotDetachedAsLongAsSomebodyHasItOpen() throws Exception {
        VolumeSpec volume = volume(machine.image("a.img", 8 * MEBI), "ext4");
        String device = plugin.attach(volume, bench.progress);
        try (var open = Files.newInputStream(Path.of(device))) {
            assertThat(open.read()).isZero();
            VolumeException e = failure(() -> plugin.detach(volume, bench.progress));
            assertThat(e.reason()).isEqualTo("DeviceInUse");
            assertThat(e.left()).isEqualTo(Left.PERHAPS_SOMETHING);
            assertThat(failure(() -> plugin.attach(device(machine.root.resolve("a.img")), bench.progress)))
                    .hasMessageContaining("is going away");
        }
        plugin.detach(volume, bench.progress);
        assertThat(machine.attached()).isEmpty();
    }

    @Test
    void takesWellKnownOptionsOnly() throws Exception {
        assertThat(plugin.refusal(List.of(
                        "noatime", "discard", "data=ordered", "commit=30", "logbsize=256k", "errors=remount-ro")))
                .isEmpty();
        for (String bad :
                List.of("loop", "bind", "remount", "data=x", "commit=a", "errors=panic", "x-mount.mkdir", "")) {
            assertThat(plugin.refusal(List.of("noatime", bad)))
                    .get()
                    .asString()
                    .contains("mount option \"" + bad + '"');
        }
        VolumeSpec volume = volume(machine.image("a.img", 8 * MEBI), "ext4", "bind");
        assertThat(failure(() -> bench.up(volume)).reason()).isEqualTo("InvalidOptions");
        assertThat(machine.mounted()).isEmpty();
    }

    @Test
    void doesNotFormatWhatMayOnlyBeRead() throws Exception {
        Path image = machine.image("a.img", 32 * MEBI);
        VolumeSpec volume = volume(image, "ext4");
        String device = plugin.attach(volume, bench.progress);
        assertThat(failure(() -> plugin.mountDevice(volume, device, Access.READ_ONLY, bench.progress)))
                .hasMessage("cannot mount unformatted disk " + device + " as we are manipulating it in read-only mode");
        machine.withData(image, "ext4");
        DeviceState state = plugin.mountDevice(volume, device, Access.READ_ONLY, bench.progress);
        VolumeSpec said = volume(image, "ext4", "ro");
        assertThat(plugin.mountDevice(said, device, Access.READ_WRITE, bench.progress))
                .isEqualTo(state);
        assertThat(MountTable.read()
                        .at(state.mounted().orElseThrow())
                        .orElseThrow()
                        .isReadOnly())
                .isTrue();
    }

    @Test
    void leavesNothingButTheDeviceWhenTheKernelRefusesToMount() throws Exception {
        Path image = machine.image("a.img", 320 * MEBI);
        VolumeSpec volume = volume(image, "ext4", "logbufs=8");
        VolumeException e = failure(() -> bench.up(volume));
        assertThat(e.left()).isEqualTo(Left.NOTHING);
        assertThat(e).hasMessageContaining("mount");
        assertThat(machine.mounted()).isEmpty();
        assertThat(Machine.below(bench.layout.root())).doesNotContain("plugins/kubernetes.io/csi/mounts/pv-a");
    }
}
