package dev.mooring.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.volume.Access;
import dev.mooring.volume.MountHealth;
import dev.mooring.volume.RemoteServers;
import dev.mooring.volume.ServerListener;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.nfs.NfsPlugin;
import dev.mooring.volume.nfs.NfsProbe;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests volumes of a real NFS server that is available, starts late or is unreachable. */
@OnRealKernel
class RealNfsPluginTest {
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final int PROBES = 12;

    private static KernelNfsServer server;

    private KernelNodeFixture node;
    private NfsPlugin plugin;

    @BeforeAll
    static void boot() {
        server = KernelNfsServer.boot(1);
        server.start();
    }

    @AfterAll
    static void shutDown() {
        server.close();
    }

    @BeforeEach
    void start() throws IOException {
        node = KernelNodeFixture.at("nfs");
        plugin =
                new NfsPlugin(node.pluginContext(DEADLINE), new RemoteServers(Clock.systemUTC(), ServerListener.NO_OP));
    }

    @AfterEach
    void cleanUp() throws IOException {
        server.restore();
        node.close();
    }

    @Test
    void setUp_mountOptions_areApplied() throws Exception {
        Path exported = server.export("/options");
        VolumeSpec volume = KernelNodeFixture.nfs(server.address(), "/options", "vers=4.2", "rsize=65536", "noatime");

        SetUpResult result = setUp("one", volume);

        assertThat(result.source()).isEqualTo(server.address() + ":/options");
        assertThat(result.options()).contains("vers=4.2", "rsize=65536", "noatime", "hard");
        Files.writeString(result.path().resolve("file"), "written by a Pod");
        assertThat(exported.resolve("file")).content().isEqualTo("written by a Pod");
        tearDown("one", volume);
        assertThat(result.path()).doesNotExist();
        assertThat(exported.resolve("file")).exists();
        assertThat(node.mounts()).isEmpty();
    }

    @Test
    void setUp_version3_mountsWithVersion3() throws Exception {
        Path exported = server.export("/three");
        VolumeSpec volume = KernelNodeFixture.nfs(server.address(), "/three", "vers=3", "nolock");

        SetUpResult result = setUp("one", volume);

        assertThat(result.options()).contains("vers=3", "local_lock=all");
        Files.writeString(result.path().resolve("file"), "3");
        assertThat(exported.resolve("file")).content().isEqualTo("3");
        tearDown("one", volume);
    }

    @Test
    void setUp_ipv6Address_mountsFromIt() throws Exception {
        Path exported = server.export("/six");
        VolumeSpec volume = KernelNodeFixture.nfs(server.address6(), "/six");

        SetUpResult result = setUp("one", volume);

        assertThat(result.source()).isEqualTo("[" + server.address6() + "]:/six");
        Files.writeString(result.path().resolve("file"), "6");
        assertThat(exported.resolve("file")).content().isEqualTo("6");
        tearDown("one", volume);
        assertThat(node.mounts()).isEmpty();
    }

    @Test
    void setUp_twoPodsWithOneExport_shareDataThatOutlivesThem() throws Exception {
        server.export("/shared");
        VolumeSpec volume = KernelNodeFixture.nfs(server.address(), "/shared");
        SetUpResult one = setUp("one", volume);
        SetUpResult two = setUp("two", volume);
        assertThat(node.mounts()).hasSize(2);
        Files.writeString(one.path().resolve("file"), "from one");
        assertThat(two.path().resolve("file")).content().isEqualTo("from one");

        tearDown("one", volume);
        assertThat(two.path().resolve("file")).content().isEqualTo("from one");
        tearDown("two", volume);
        assertThat(node.mounts()).isEmpty();

        assertThat(setUp("three", volume).path().resolve("file")).content().isEqualTo("from one");
    }

    @Test
    void setUp_alreadyMounted_mountsNothing() throws Exception {
        server.export("/again");
        VolumeSpec volume = KernelNodeFixture.nfs(server.address(), "/again");
        SetUpResult first = setUp("one", volume);

        assertThat(setUp("one", volume)).isEqualTo(first);
        assertThat(node.mounts()).hasSize(1);
    }

    @Test
    void tearDown_notMounted_succeeds() throws Exception {
        tearDown("never", KernelNodeFixture.nfs(server.address(), "/never"));
    }

    @Test
    void setUp_readOnly_refusesWrites() throws Exception {
        Path exported = server.export("/readonly");
        Files.writeString(exported.resolve("file"), "given");
        VolumeSpec volume = KernelNodeFixture.nfs(server.address(), "/readonly");

        SetUpResult result = plugin.setUp(node.setUp(plugin, "one", volume, Access.READ_ONLY), node.progress);

        assertThat(result.options()).contains("ro");
        assertThat(result.path().resolve("file")).content().isEqualTo("given");
        assertThatThrownBy(() -> Files.writeString(result.path().resolve("file"), "mine"))
                .hasMessageContaining("Read-only file system");
        assertThat(exported.resolve("file")).content().isEqualTo("given");
    }

    @Test
    void setUp_missingExport_failsWithExportNotFound() {
        VolumeException failure = failure(KernelNodeFixture.nfs(server.address(), "/nowhere", "vers=4.2"));

        assertThat(failure.reason()).isEqualTo("ExportNotFound");
        assertThat(failure.failureState()).isEqualTo(FailureState.CLEAN);
        assertThat(failure.raw()).isNotEmpty();
    }

    @Test
    void setUp_exportedToOtherClients_failsWithAccessDenied() throws Exception {
        server.export("/others", "rw", "192.0.2.7");

        VolumeException failure = failure(KernelNodeFixture.nfs(server.address(), "/others", "vers=3", "nolock"));

        assertThat(failure.reason()).isEqualTo("AccessDenied");
        assertThat(failure.failureState()).isEqualTo(FailureState.CLEAN);
        assertThat(node.mounts()).isEmpty();
    }

    @Test
    void setUp_serverStopped_failsUntilItStarts() throws Exception {
        server.export("/late");
        VolumeSpec volume = KernelNodeFixture.nfs(server.address(), "/late");
        server.stop();

        VolumeException failure = failure(volume);
        assertThat(failure.reason()).isEqualTo("ServerRefused");
        assertThat(failure.failureState()).isEqualTo(FailureState.CLEAN);
        assertThat(node.mounts()).isEmpty();

        server.start();
        assertThat(setUp("one", volume).path()).isDirectory();
    }

    @Test
    void setUp_serverUnreachable_failsInTimeAndLeavesNothing() throws Exception {
        server.export("/silent");
        VolumeSpec volume = KernelNodeFixture.nfs(server.address(), "/silent");
        server.unplug();

        long before = System.nanoTime();
        VolumeException failure = failure(volume);
        Duration took = Duration.ofNanos(System.nanoTime() - before);

        assertThat(failure.reason()).isIn("ServerUnreachable", "TooSlow");
        assertThat(took).isLessThan(DEADLINE.plusSeconds(180));
        assertThat(node.mounts()).isEmpty();
        assertThat(KernelNodeFixture.untilEmpty(node::children)).isEmpty();

        server.plug();
        assertThat(setUp("one", volume).path()).isDirectory();
    }

    @Test
    void tearDown_serverUnreachable_succeedsAndOtherServersAreUsable() throws Exception {
        Path exported = server.export("/dead");
        VolumeSpec volume = KernelNodeFixture.nfs(server.address(), "/dead");
        Files.writeString(setUp("one", volume).path().resolve("file"), "precious");
        try (KernelNfsServer other = KernelNfsServer.boot(2)) {
            other.start();
            other.export("/alive");
            VolumeSpec alive = KernelNodeFixture.nfs(other.address(), "/alive");
            server.unplug();

            SetUpResult result = setUp("two", alive);
            Files.writeString(result.path().resolve("file"), "alive");
            tearDown("two", alive);
            tearDown("one", volume);
        }

        assertThat(node.mounts()).isEmpty();
        assertThat(node.target(plugin, "one")).doesNotExist();
        assertThat(KernelNodeFixture.untilEmpty(node::children)).isEmpty();
        assertThat(exported.resolve("file")).content().isEqualTo("precious");
    }

    @Test
    void tearDown_serverUnreachableAndVolumeInUse_unmountsLazily() throws Exception {
        Path exported = server.export("/used");
        VolumeSpec volume = KernelNodeFixture.nfs(server.address(), "/used");
        Path file = setUp("one", volume).path().resolve("file");
        Files.writeString(file, "precious");
        Process user = new ProcessBuilder("sh", "-c", "echo; exec sleep infinity")
                .redirectInput(file.toFile())
                .start();
        try {
            assertThat(user.getInputStream().read()).isEqualTo('\n');
            server.unplug();
            tearDown("one", volume);
        } finally {
            // A process with an open file ends only when the server responds.
            server.plug();
            user.destroyForcibly().waitFor();
        }

        assertThat(node.steps).containsExactly("UnmountForced", "UnmountLazy");
        assertThat(node.mounts()).isEmpty();
        assertThat(node.target(plugin, "one")).doesNotExist();
        assertThat(KernelNodeFixture.untilEmpty(node::children)).isEmpty();
        assertThat(exported.resolve("file")).content().isEqualTo("precious");
    }

    @Test
    void tearDown_volumeInUse_failsWithBusyUntilClosed() throws Exception {
        server.export("/busy");
        VolumeSpec volume = KernelNodeFixture.nfs(server.address(), "/busy");
        Path file = setUp("one", volume).path().resolve("file");
        Files.writeString(file, "precious");
        try (InputStream held = Files.newInputStream(file)) {
            VolumeException failure = catchThrowableOfType(VolumeException.class, () -> tearDown("one", volume));

            assertThat(failure.reason()).isEqualTo("Busy");
            assertThat(failure.failureState()).isEqualTo(FailureState.UNCERTAIN);
            assertThat(held.readAllBytes()).asString(StandardCharsets.UTF_8).isEqualTo("precious");
        }
        tearDown("one", volume);
        assertThat(node.mounts()).isEmpty();
    }

    @Test
    void mount_serverReturnsAfterOutage_worksAndIsHealthy() throws Exception {
        Path exported = server.export("/back");
        SetUpResult result = setUp("one", KernelNodeFixture.nfs(server.address(), "/back"));
        Files.writeString(result.path().resolve("before"), "1");

        server.unplug();
        assertThat(probe(result.path())).isEqualTo(MountHealth.State.UNREACHABLE);
        server.plug();
        server.restart();

        Shell.local().run("echo 2 >" + result.path().resolve("after"));
        assertThat(exported.resolve("after")).hasContent("2");
        assertThat(probeResponsive(result.path())).isEqualTo(MountHealth.State.OK);
    }

    @Test
    void setUp_staleHandle_mountsAgain() throws Exception {
        Path exported = server.export("/stale");
        Files.writeString(exported.resolve("file"), "same");
        VolumeSpec volume = KernelNodeFixture.nfs(server.address(), "/stale");
        SetUpResult result = setUp("one", volume);
        assertThat(probeResponsive(result.path())).isEqualTo(MountHealth.State.OK);

        server.unexport("/stale");
        server.export("/stale");

        assertThat(probeResponsive(result.path())).isEqualTo(MountHealth.State.STALE);
        assertThat(setUp("one", volume).path().resolve("file")).content().isEqualTo("same");
        assertThat(node.mounts()).hasSize(1);
        assertThat(probeResponsive(result.path())).isEqualTo(MountHealth.State.OK);
    }

    private SetUpResult setUp(String pod, VolumeSpec volume) throws Exception {
        return plugin.setUp(node.setUp(plugin, pod, volume, Access.READ_WRITE), node.progress);
    }

    private void tearDown(String pod, VolumeSpec volume) throws Exception {
        plugin.tearDown(node.tearDown(plugin, pod, volume), node.progress);
    }

    private VolumeException failure(VolumeSpec volume) {
        return catchThrowableOfType(VolumeException.class, () -> setUp("one", volume));
    }

    /** Repeats the probe of a server that responds, because on a busy machine the probe itself may be too slow. */
    private MountHealth.State probeResponsive(Path mounted) throws InterruptedException {
        MountHealth.State state = probe(mounted);
        for (int i = 1; i < PROBES && state == MountHealth.State.UNREACHABLE; i++) {
            state = probe(mounted);
        }
        return state;
    }

    private MountHealth.State probe(Path mounted) throws InterruptedException {
        return new NfsProbe(node.commands).probe(mounted).state();
    }
}
