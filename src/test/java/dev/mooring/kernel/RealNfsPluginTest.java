package dev.mooring.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mooring.volume.Access;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.nfs.Health;
import dev.mooring.volume.nfs.NfsPlugin;
import dev.mooring.volume.nfs.NfsProbe;
import dev.mooring.volume.nfs.NfsServers;
import dev.mooring.volume.nfs.ServerListener;
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

/** Volumes of a real NFS server, which is there, comes late or does not come at all. */
@OnRealKernel
class RealNfsPluginTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);

    private static NfsServer server;

    private KernelNode node;
    private NfsPlugin plugin;

    @BeforeAll
    static void boot() {
        server = NfsServer.boot(1);
        server.start();
    }

    @AfterAll
    static void goAway() {
        server.close();
    }

    @BeforeEach
    void start() throws IOException {
        node = KernelNode.at("nfs");
        plugin = new NfsPlugin(node.parts(DEADLINE), new NfsServers(Clock.systemUTC(), ServerListener.NOBODY));
    }

    @AfterEach
    void cleanUp() throws IOException {
        server.wake();
        node.close();
    }

    @Test
    void mountsWithTheOptionsThatWereAskedFor() throws Exception {
        Path exported = server.export("/options");
        VolumeSpec volume = KernelNode.nfs(server.address(), "/options", "vers=4.2", "rsize=65536", "noatime");

        SetUpDone done = setUp("one", volume);

        assertThat(done.source()).isEqualTo(server.address() + ":/options");
        assertThat(done.options()).contains("vers=4.2", "rsize=65536", "noatime", "hard");
        Files.writeString(done.path().resolve("file"), "written by a Pod");
        assertThat(exported.resolve("file")).content().isEqualTo("written by a Pod");
        tearDown("one", volume);
        assertThat(done.path()).doesNotExist();
        assertThat(exported.resolve("file")).exists();
        assertThat(node.mounts()).isEmpty();
    }

    @Test
    void mountsVersionThree() throws Exception {
        Path exported = server.export("/three");
        VolumeSpec volume = KernelNode.nfs(server.address(), "/three", "vers=3", "nolock");

        SetUpDone done = setUp("one", volume);

        assertThat(done.options()).contains("vers=3", "local_lock=all");
        Files.writeString(done.path().resolve("file"), "3");
        assertThat(exported.resolve("file")).content().isEqualTo("3");
        tearDown("one", volume);
    }

    @Test
    void mountsFromAnIpv6Address() throws Exception {
        Path exported = server.export("/six");
        VolumeSpec volume = KernelNode.nfs(server.address6(), "/six");

        SetUpDone done = setUp("one", volume);

        assertThat(done.source()).isEqualTo("[" + server.address6() + "]:/six");
        Files.writeString(done.path().resolve("file"), "6");
        assertThat(exported.resolve("file")).content().isEqualTo("6");
        tearDown("one", volume);
        assertThat(node.mounts()).isEmpty();
    }

    @Test
    void twoPodsShareAnExportWithAMountEachAndTheDataOutlivesThem() throws Exception {
        server.export("/shared");
        VolumeSpec volume = KernelNode.nfs(server.address(), "/shared");
        SetUpDone one = setUp("one", volume);
        SetUpDone two = setUp("two", volume);
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
    void settingUpWhatIsThereMountsNothing() throws Exception {
        server.export("/again");
        VolumeSpec volume = KernelNode.nfs(server.address(), "/again");
        SetUpDone first = setUp("one", volume);

        assertThat(setUp("one", volume)).isEqualTo(first);
        assertThat(node.mounts()).hasSize(1);
    }

    @Test
    void tearingDownWhatIsGoneIsFine() throws Exception {
        tearDown("never", KernelNode.nfs(server.address(), "/never"));
    }

    @Test
    void readOnlyIsReadOnly() throws Exception {
        Path exported = server.export("/readonly");
        Files.writeString(exported.resolve("file"), "given");
        VolumeSpec volume = KernelNode.nfs(server.address(), "/readonly");

        SetUpDone done = plugin.setUp(node.setUp(plugin, "one", volume, Access.READ_ONLY), node.progress);

        assertThat(done.options()).contains("ro");
        assertThat(done.path().resolve("file")).content().isEqualTo("given");
        assertThatThrownBy(() -> Files.writeString(done.path().resolve("file"), "mine"))
                .hasMessageContaining("Read-only file system");
        assertThat(exported.resolve("file")).content().isEqualTo("given");
    }

    @Test
    void saysThatThereIsNoSuchExport() {
        VolumeException failure = failure(KernelNode.nfs(server.address(), "/nowhere", "vers=4.2"));

        assertThat(failure.reason()).isEqualTo("ExportNotFound");
        assertThat(failure.left()).isEqualTo(Left.NOTHING);
        assertThat(failure.raw()).isNotEmpty();
    }

    @Test
    void saysThatThisNodeIsNotPermitted() throws Exception {
        server.export("/others", "rw", "192.0.2.7");

        VolumeException failure = failure(KernelNode.nfs(server.address(), "/others", "vers=3", "nolock"));

        assertThat(failure.reason()).isEqualTo("AccessDenied");
        assertThat(failure.left()).isEqualTo(Left.NOTHING);
        assertThat(node.mounts()).isEmpty();
    }

    @Test
    void aServerThatIsStartedLaterIsUsedThen() throws Exception {
        server.export("/late");
        VolumeSpec volume = KernelNode.nfs(server.address(), "/late");
        server.stop();

        VolumeException failure = failure(volume);
        assertThat(failure.reason()).isEqualTo("ServerRefused");
        assertThat(failure.left()).isEqualTo(Left.NOTHING);
        assertThat(node.mounts()).isEmpty();

        server.start();
        assertThat(setUp("one", volume).path()).isDirectory();
    }

    @Test
    void aSilentServerCostsItsDeadlineAndLeavesNothing() throws Exception {
        server.export("/silent");
        VolumeSpec volume = KernelNode.nfs(server.address(), "/silent");
        server.unplug();

        long before = System.nanoTime();
        VolumeException failure = failure(volume);
        Duration took = Duration.ofNanos(System.nanoTime() - before);

        assertThat(failure.reason()).isIn("ServerUnreachable", "TooSlow");
        assertThat(took).isLessThan(DEADLINE.plusSeconds(60));
        assertThat(node.mounts()).isEmpty();
        assertThat(node.children()).isEmpty();

        server.plug();
        assertThat(setUp("one", volume).path()).isDirectory();
    }

    @Test
    void aVolumeOfADeadServerGoesAwayAndOthersComeMeanwhile() throws Exception {
        Path exported = server.export("/dead");
        VolumeSpec volume = KernelNode.nfs(server.address(), "/dead");
        Files.writeString(setUp("one", volume).path().resolve("file"), "precious");
        try (NfsServer other = NfsServer.boot(2)) {
            other.start();
            other.export("/alive");
            VolumeSpec alive = KernelNode.nfs(other.address(), "/alive");
            server.unplug();

            SetUpDone done = setUp("two", alive);
            Files.writeString(done.path().resolve("file"), "alive");
            tearDown("two", alive);
            tearDown("one", volume);
        }

        assertThat(node.mounts()).isEmpty();
        assertThat(node.target(plugin, "one")).doesNotExist();
        assertThat(node.children()).isEmpty();
        assertThat(exported.resolve("file")).content().isEqualTo("precious");
    }

    @Test
    void aVolumeOfADeadServerThatIsInUseGoesAwayByForce() throws Exception {
        Path exported = server.export("/used");
        VolumeSpec volume = KernelNode.nfs(server.address(), "/used");
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
            // A process that has a file open ends only when the server has heard of it.
            server.plug();
            user.destroyForcibly().waitFor();
        }

        assertThat(node.steps).containsExactly("UnmountForced", "UnmountLazy");
        assertThat(node.mounts()).isEmpty();
        assertThat(node.target(plugin, "one")).doesNotExist();
        assertThat(node.children()).isEmpty();
        assertThat(exported.resolve("file")).content().isEqualTo("precious");
    }

    @Test
    void aVolumeThatIsInUseStaysWhileItsServerAnswers() throws Exception {
        server.export("/busy");
        VolumeSpec volume = KernelNode.nfs(server.address(), "/busy");
        Path file = setUp("one", volume).path().resolve("file");
        Files.writeString(file, "precious");
        try (InputStream held = Files.newInputStream(file)) {
            VolumeException failure = catchThrowableOfType(VolumeException.class, () -> tearDown("one", volume));

            assertThat(failure.reason()).isEqualTo("Busy");
            assertThat(failure.left()).isEqualTo(Left.PERHAPS_SOMETHING);
            assertThat(held.readAllBytes()).asString(StandardCharsets.UTF_8).isEqualTo("precious");
        }
        tearDown("one", volume);
        assertThat(node.mounts()).isEmpty();
    }

    @Test
    void aServerThatComesBackIsAsIfItHadNeverGone() throws Exception {
        Path exported = server.export("/back");
        SetUpDone done = setUp("one", KernelNode.nfs(server.address(), "/back"));
        Files.writeString(done.path().resolve("before"), "1");

        server.unplug();
        assertThat(probe(done.path())).isEqualTo(Health.State.UNREACHABLE);
        server.plug();
        server.restart();

        Shell.here().run("echo 2 >" + done.path().resolve("after"));
        assertThat(exported.resolve("after")).hasContent("2");
        assertThat(probe(done.path())).isEqualTo(Health.State.OK);
    }

    @Test
    void aStaleHandleIsFoundAndReplaced() throws Exception {
        Path exported = server.export("/stale");
        Files.writeString(exported.resolve("file"), "same");
        VolumeSpec volume = KernelNode.nfs(server.address(), "/stale");
        SetUpDone done = setUp("one", volume);
        assertThat(probe(done.path())).isEqualTo(Health.State.OK);

        server.unexport("/stale");
        server.export("/stale");

        assertThat(probe(done.path())).isEqualTo(Health.State.STALE);
        assertThat(setUp("one", volume).path().resolve("file")).content().isEqualTo("same");
        assertThat(node.mounts()).hasSize(1);
        assertThat(probe(done.path())).isEqualTo(Health.State.OK);
    }

    private SetUpDone setUp(String pod, VolumeSpec volume) throws Exception {
        return plugin.setUp(node.setUp(plugin, pod, volume, Access.READ_WRITE), node.progress);
    }

    private void tearDown(String pod, VolumeSpec volume) throws Exception {
        plugin.tearDown(node.tearDown(plugin, pod, volume), node.progress);
    }

    private VolumeException failure(VolumeSpec volume) {
        return catchThrowableOfType(VolumeException.class, () -> setUp("one", volume));
    }

    private Health.State probe(Path mounted) throws InterruptedException {
        return new NfsProbe(node.commands).probe(mounted).state();
    }
}
