package dev.mooring.volume.emptydir;

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
import dev.mooring.volume.VolumeSpec;
import java.io.IOException;
import java.nio.file.FileStore;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EmptyDirPluginTest {
    private static final String UID = "uid-1";

    @TempDir
    Path temp;

    private Path base;
    private NodeLayout layout;
    private EmptyDirPlugin plugin;
    private Path target;
    private Path marker;

    @BeforeEach
    void createNode() throws IOException {
        HostMachine.assumeRoot();
        base = temp.toRealPath();
        layout = new NodeLayout(Files.createDirectory(base.resolve("own")));
        Files.createDirectories(layout.pod(UID));
        target = layout.volume(UID, EmptyDirPlugin.NAME, "cache");
        marker = layout.podPlugin(UID, EmptyDirPlugin.NAME, "cache").resolve("ready");
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

    private EmptyDirPlugin plugin(SystemCalls calls) {
        ChildProcess commands = new ChildProcess();
        return new EmptyDirPlugin(new PluginContext(
                layout,
                new LinuxMounter(layout, calls, commands),
                commands,
                calls,
                key -> Optional.empty(),
                Clock.systemUTC(),
                Duration.ofSeconds(60)));
    }

    private SetUpRequest setUpRequest(String medium, long bytes, Optional<FsGroup> ownership) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("emptyDir").put("medium", medium);
        return new SetUpRequest(
                new VolumeSpec("v", "cache", source, VolumeMode.FILESYSTEM, List.of(), bytes),
                new PodIdentity("team", "web", UID),
                target,
                Access.READ_WRITE,
                Optional.empty(),
                ownership,
                JsonNodeFactory.instance.objectNode());
    }

    private SetUpResult setUp(String medium) throws Exception {
        return plugin.setUp(setUpRequest(medium, 0, Optional.empty()), OperationProgress.NO_OP);
    }

    private TearDownRequest tearDownRequest() {
        return new TearDownRequest("v", "cache", UID, target, VolumeMode.FILESYSTEM, "");
    }

    private void tearDown() throws Exception {
        plugin.tearDown(tearDownRequest(), OperationProgress.NO_OP);
    }

    private boolean isMounted() throws IOException {
        return MountTable.read().isMountPoint(target);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Memory"})
    void emptyDir_setUpAndTearDown_isWorldWritableAndRemovedWithContent(String medium) throws Exception {
        int before = HostMachine.umask(0077);
        try {
            assertThat(setUp(medium).path()).isEqualTo(target);
        } finally {
            HostMachine.umask(before);
        }
        assertThat(HostMachine.permissions(target)).isEqualTo(medium.equals("Memory") ? "1777" : "777");
        assertThat(marker).exists();
        assertThat(isMounted()).isEqualTo(medium.equals("Memory"));
        Files.createDirectories(target.resolve("deep/down"));
        Files.writeString(target.resolve("deep/down/file"), "x");

        tearDown();

        assertThat(isMounted()).isFalse();
        assertThat(HostMachine.below(layout.pod(UID))).isEmpty();
        tearDown();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Memory"})
    void setUp_again_keepsFilesOfContainers(String medium) throws Exception {
        setUp(medium);
        Files.writeString(target.resolve("file"), "precious");
        HostMachine.run("chmod", "0700", target.toString());

        setUp(medium);
        assertThat(HostMachine.permissions(target)).as("ready and not changed").isEqualTo("700");
        Files.delete(marker);
        setUp(medium);

        assertThat(Files.readString(target.resolve("file"))).isEqualTo("precious");
        assertThat(marker).exists();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Memory"})
    void setUp_onlyMarkerLeft_createsDirectoryAgain(String medium) throws Exception {
        setUp(medium);
        if (medium.equals("Memory")) {
            HostMachine.run("umount", target.toString());
        }
        Files.delete(target);

        setUp(medium);

        assertThat(HostMachine.permissions(target)).isEqualTo(medium.equals("Memory") ? "1777" : "777");
        assertThat(isMounted()).isEqualTo(medium.equals("Memory"));
    }

    @ParameterizedTest
    @CsvSource({"1048576, 1048576", "5000, 8192"})
    void setUp_memoryWithSizeLimit_limitsTmpfs(long bytes, long rounded) throws Exception {
        SetUpResult done = plugin.setUp(setUpRequest("Memory", bytes, Optional.empty()), OperationProgress.NO_OP);

        FileStore store = Files.getFileStore(target);
        assertThat(store.type()).isEqualTo("tmpfs");
        assertThat(store.getTotalSpace()).isEqualTo(rounded);
        assertThat(done.source()).isEqualTo("tmpfs");
        assertThat(catchThrowableOfType(
                        IOException.class, () -> Files.write(target.resolve("big"), new byte[(int) rounded + 1])))
                .hasMessageContaining("No space left");
    }

    @Test
    void setUp_memoryWithoutSizeLimit_usesDefaultOfKernel() throws Exception {
        setUp("Memory");

        assertThat(Files.getFileStore(target).getTotalSpace()).isGreaterThan(64L << 20);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Memory"})
    void setUp_fsGroup_setsGroupOfDirectory(String medium) throws Exception {
        plugin.setUp(
                setUpRequest(medium, 0, Optional.of(new FsGroup(1234, FsGroup.FsGroupChangePolicy.ALWAYS))),
                OperationProgress.NO_OP);

        assertThat(Files.getAttribute(target, "unix:gid")).isEqualTo(1234);
        assertThat(HostMachine.permissions(target)).isEqualTo(medium.equals("Memory") ? "3777" : "2777");
    }

    @ParameterizedTest
    @CsvSource({
        "HugePages,     storage medium \"HugePages\" is not supported",
        "HugePages-2Mi, storage medium \"HugePages-2Mi\" is not supported",
        "Tape,          unknown storage medium \"Tape\""
    })
    void setUp_unsupportedMedium_fails(String medium, String message) throws Exception {
        VolumeException failure = catchThrowableOfType(VolumeException.class, () -> setUp(medium));

        assertThat(failure.reason()).isEqualTo("Unsupported");
        assertThat(failure).hasMessageStartingWith(message);
        assertThat(HostMachine.below(layout.pod(UID))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"'', false", "'', true", "Memory, false", "Memory, true"})
    void plugin_crashAtAnySystemCall_recovers(String medium, boolean whileDeleting) throws Exception {
        boolean crashed = true;
        int at = 0;
        for (; crashed; at++) {
            assertThat(at).isLessThan(500);
            crashed = false;
            if (whileDeleting) {
                setUp(medium);
                Files.createDirectories(target.resolve("a/b"));
                Files.writeString(target.resolve("a/file"), "x");
            }
            try {
                EmptyDirPlugin crashing = plugin(FaultySystemCalls.after(at));
                if (whileDeleting) {
                    crashing.tearDown(tearDownRequest(), OperationProgress.NO_OP);
                } else {
                    crashing.setUp(setUpRequest(medium, 0, Optional.empty()), OperationProgress.NO_OP);
                }
            } catch (FaultySystemCalls.Crash expected) {
                crashed = true;
            }
            if (!whileDeleting) {
                setUp(medium);
                assertThat(HostMachine.permissions(target))
                        .as("crash at %d", at)
                        .isEqualTo(medium.equals("Memory") ? "1777" : "777");
                assertThat(MountTable.read().allAt(target)).hasSize(medium.equals("Memory") ? 1 : 0);
            }
            tearDown();
            assertThat(HostMachine.below(layout.pod(UID))).as("crash at %d", at).isEmpty();
            assertThat(isMounted()).isFalse();
        }
        assertThat(at).isGreaterThan(10);
    }

    @Test
    void tearDown_linksInside_doesNotDeleteTheirTargets() throws Exception {
        Path outside = Files.createDirectory(base.resolve("outside"));
        Files.writeString(outside.resolve("file"), "precious");
        setUp("");
        Files.createSymbolicLink(target.resolve("absolute"), outside);
        Files.createSymbolicLink(target.resolve("file"), outside.resolve("file"));
        Files.createDirectory(target.resolve("sub"));
        Files.createSymbolicLink(target.resolve("sub/up"), Path.of("../../../../../.."));
        Files.createLink(target.resolve("hard"), outside.resolve("file"));

        tearDown();

        assertThat(Files.readString(outside.resolve("file"))).isEqualTo("precious");
        assertThat(HostMachine.below(layout.pod(UID))).isEmpty();
    }

    @Test
    void tearDown_targetReplacedByLink_doesNotDeleteItsTarget() throws Exception {
        Path outside = Files.createDirectory(base.resolve("outside"));
        Files.writeString(outside.resolve("file"), "precious");
        setUp("");
        Files.delete(target);
        Files.createSymbolicLink(target, outside);

        tearDown();

        assertThat(HostMachine.below(outside)).containsExactly("file");
        assertThat(HostMachine.below(layout.pod(UID))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"directory", "file"})
    void tearDown_mountInside_deletesNothing(String kind) throws Exception {
        Path outside = Files.createDirectory(base.resolve("outside"));
        Files.writeString(outside.resolve("file"), "precious");
        setUp("");
        Files.createDirectory(target.resolve("directory"));
        Files.createFile(target.resolve("file"));
        Files.writeString(target.resolve("other"), "x");
        Path source = kind.equals("file") ? outside.resolve("file") : outside;
        HostMachine.run(
                "mount", "--bind", source.toString(), target.resolve(kind).toString());

        VolumeException failure = catchThrowableOfType(VolumeException.class, this::tearDown);

        assertThat(failure.reason()).isEqualTo("MountedInside");
        assertThat(failure).hasMessageContaining(" is mounted at " + target.resolve(kind));
        assertThat(Files.readString(outside.resolve("file"))).isEqualTo("precious");
        assertThat(target.resolve("other")).exists();
        HostMachine.run("umount", target.resolve(kind).toString());
        tearDown();
        assertThat(HostMachine.below(layout.pod(UID))).isEmpty();
        assertThat(HostMachine.below(outside)).containsExactly("file");
    }

    @Test
    void tearDown_unmountFails_deletesNothing() throws Exception {
        setUp("Memory");
        Files.createDirectory(target.resolve("in"));
        HostMachine.run("mount", "-t", "tmpfs", "tmpfs", target.resolve("in").toString());
        Files.writeString(target.resolve("in/file"), "precious");

        VolumeException failure = catchThrowableOfType(VolumeException.class, this::tearDown);

        assertThat(failure.failureState()).isEqualTo(VolumeException.FailureState.UNCERTAIN);
        assertThat(Files.readString(target.resolve("in/file"))).isEqualTo("precious");
    }

    @Test
    void plugin_supportsOnlyEmptyDirs() {
        assertThat(plugin.name()).isEqualTo("kubernetes.io/empty-dir");
        assertThat(plugin.supports(
                        setUpRequest("", 0, Optional.empty()).volume().source()))
                .isTrue();
        assertThat(plugin.supports(JsonNodeFactory.instance.objectNode())).isFalse();
    }
}
