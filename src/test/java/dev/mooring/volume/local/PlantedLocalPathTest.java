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
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of local volumes inside another volume, {@code data}, whose Pods try to escape it with links and devices. */
class PlantedLocalPathTest {
    @TempDir
    Path temp;

    private Path base;
    private Path data;
    private NodeLayout layout;
    private Path target;
    private LocalPlugin plugin;

    @BeforeEach
    void createNode() throws IOException {
        HostMachine.assumeRoot();
        base = temp.toRealPath();
        layout = new NodeLayout(Files.createDirectory(base.resolve("own")));
        data = Files.createDirectory(base.resolve("data"));
        target = layout.volume("one", LocalPlugin.NAME, "pv-a");
        plugin = plugin(SystemCalls.real());
    }

    @AfterEach
    void unmountEverything() throws Exception {
        List<MountTable.Mount> left =
                base == null ? List.of() : MountTable.read().below(base);
        for (int i = left.size() - 1; i >= 0; i--) {
            HostMachine.run("umount", left.get(i).point());
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

    private static VolumeSpec volume(Path path, VolumeMode mode) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("local").put("path", path.toString());
        return new VolumeSpec("v", "pv-a", source, mode, List.of(), 0);
    }

    private static VolumeSpec files(Path path) {
        return volume(path, VolumeMode.FILESYSTEM);
    }

    private SetUpResult setUp(VolumeSpec volume) throws Exception {
        return plugin.setUp(
                new SetUpRequest(
                        volume,
                        new PodIdentity("team", "one", "one"),
                        target,
                        Access.READ_WRITE,
                        Optional.empty(),
                        Optional.empty(),
                        JsonNodeFactory.instance.objectNode()),
                OperationProgress.NO_OP);
    }

    /** Returns the failure, which mountDevice and setUp have in common. */
    private VolumeException failure(VolumeSpec volume) {
        VolumeException failure = catchThrowableOfType(
                VolumeException.class,
                () -> plugin.mountDevice(volume, "", Access.READ_WRITE, OperationProgress.NO_OP));
        assertThat(failure.failureState()).isEqualTo(FailureState.CLEAN);
        assertThat(catchThrowableOfType(VolumeException.class, () -> setUp(volume)))
                .hasMessage(failure.getMessage());
        return failure;
    }

    private Path outside() throws IOException {
        Path outside = Files.createDirectory(base.resolve("outside"));
        Files.writeString(outside.resolve("secret"), "secret");
        Files.createDirectory(outside.resolve("inner"));
        return outside;
    }

    /** Pods that have the volume {@code data} are root in it. */
    @Test
    void setUp_linkCreatedByPod_fails() throws Exception {
        Path outside = outside();
        Files.createSymbolicLink(data.resolve("cache"), outside);
        Files.createSymbolicLink(base.resolve("disk"), data);

        for (String each : List.of("cache", "cache/inner")) {
            assertThat(failure(files(data.resolve(each))))
                    .hasMessageStartingWith(data + "/cache is, or is reached through, a symbolic link to " + outside);
        }
        assertThat(setUp(files(base.resolve("disk"))).source())
                .as("link of an administrator, where no Pod may write")
                .isEqualTo(data.toString());
    }

    @Test
    void setUp_deviceNodeOutsideOfDev_fails() throws Exception {
        HostMachine.run("mknod", data.resolve("disk").toString(), "b", "7", "0");

        for (VolumeMode each : VolumeMode.values()) {
            assertThat(failure(volume(data.resolve("disk"), each)))
                    .hasMessage(data + "/disk is a block device outside of /dev, which a Pod could have created:"
                            + " set the device's path in /dev in the PersistentVolume");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sub", "sub/inner"})
    void setUp_directoryAndLinkSwapped_neverBindsOutside(String path) throws Exception {
        outside();
        byte[] good = bytes(Files.createDirectories(data.resolve("sub/inner")).getParent());
        byte[] evil = bytes(Files.createSymbolicLink(data.resolve("evil"), base.resolve("outside")));
        int shown = 0;
        for (int at = 0; at < 60; at++) {
            int[] calls = {at};
            plugin = plugin(FaultySystemCalls.disturbedBy(() -> {
                if (calls[0]-- == 0) {
                    assertThat(SystemCalls.real().renameat2(-100, good, -100, evil, 2))
                            .isZero();
                }
            }));
            try {
                Path seen = setUp(files(data.resolve(path))).path();
                assertThat(seen.resolve("secret")).doesNotExist();
                shown++;
            } catch (VolumeException e) {
                assertThat(e.reason()).as(e.getMessage()).isIn("Refused", "NotReachable", "NotFound");
                assertThat(MountTable.read().below(base)).isEmpty();
            } finally {
                plugin = plugin(SystemCalls.real());
                plugin.tearDown(
                        new TearDownRequest("v", "pv-a", "one", target, VolumeMode.FILESYSTEM, ""),
                        OperationProgress.NO_OP);
            }
        }
        assertThat(shown).isBetween(1, 59);
    }

    private static byte[] bytes(Path path) {
        return (path + "\0").getBytes(StandardCharsets.UTF_8);
    }
}
