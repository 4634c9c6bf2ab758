package dev.mooring.volume.hostpath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.host.ChildProcess;
import dev.mooring.host.FaultySystemCalls;
import dev.mooring.host.HostMachine;
import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.HostPathGrant;
import dev.mooring.model.ProtectedHostPaths;
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
import dev.mooring.volume.VolumeSpec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of Pods that are confined to paths below a prefix, and of attempts to escape it, on the real kernel. */
class ConfinedHostPathTest {
    private static final int ROUNDS = 400;

    /** Limit on a busy machine, where the attacker's thread may start late or rarely run. */
    private static final int MAX_ROUNDS = 50 * ROUNDS;

    private static final int HERE = -100;
    private static final int EXCHANGE = 2;

    @TempDir
    Path temp;

    private Path base;
    private Path prefix;
    private Path outside;
    private NodeLayout layout;
    private Path target;

    @BeforeEach
    void createNode() throws Exception {
        HostMachine.assumeRoot();
        base = temp.toRealPath();
        layout = new NodeLayout(Files.createDirectory(base.resolve("own")));
        prefix = Files.createDirectories(base.resolve("srv/team"));
        outside = Files.createDirectories(base.resolve("outside"));
        Files.writeString(Files.createDirectories(outside.resolve("inner")).resolve("secret"), "secret");
        Files.writeString(outside.resolve("secret"), "secret");
        target = layout.volume("uid-1", HostPathPlugin.NAME, "data");
    }

    @AfterEach
    void unmountEverything() throws Exception {
        List<MountTable.Mount> left = MountTable.read().below(base);
        for (int i = left.size() - 1; i >= 0; i--) {
            HostMachine.run("umount", "-l", left.get(i).point());
        }
    }

    private ProtectedHostPaths guarded = ProtectedHostPaths.defaults();

    private HostPathPlugin plugin(SystemCalls calls) {
        PluginContext context = new PluginContext(
                layout,
                new LinuxMounter(layout, SystemCalls.real(), new ChildProcess()),
                new ChildProcess(),
                calls,
                key -> Optional.empty(),
                Clock.systemUTC(),
                Duration.ofSeconds(60));
        return new HostPathPlugin(context, guarded);
    }

    /** Creates a request of an inline volume; the server sets the annotation with the grant. */
    private SetUpRequest setUpRequest(Path path, String type, Optional<String> granted) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("hostPath").put("path", path.toString()).put("type", type);
        ObjectNode pod = JsonNodeFactory.instance.objectNode();
        ObjectNode annotations = pod.putObject("metadata").putObject("annotations");
        granted.ifPresent(text -> annotations.put(HostPathGrant.ANNOTATION, text));
        pod.putObject("spec")
                .putArray("volumes")
                .addObject()
                .put("name", "data")
                .setAll(source);
        return new SetUpRequest(
                new VolumeSpec("v", "data", source, VolumeMode.FILESYSTEM, List.of(), 0),
                new PodIdentity("team", "web", "uid-1"),
                target,
                Access.READ_WRITE,
                Optional.empty(),
                Optional.empty(),
                pod);
    }

    private SetUpResult setUp(Path path, String type) throws Exception {
        return plugin(SystemCalls.real())
                .setUp(setUpRequest(path, type, Optional.of(prefix.toString())), OperationProgress.NO_OP);
    }

    private VolumeException refusal(Path path, String type, Optional<String> granted) {
        VolumeException refusal = catchThrowableOfType(
                VolumeException.class,
                () -> plugin(SystemCalls.real()).setUp(setUpRequest(path, type, granted), OperationProgress.NO_OP));
        assertThat(refusal).as("refusal of %s", path).isNotNull();
        return refusal;
    }

    private void tearDown() throws Exception {
        plugin(SystemCalls.real())
                .tearDown(
                        new TearDownRequest("v", "data", "uid-1", target, VolumeMode.FILESYSTEM, ""),
                        OperationProgress.NO_OP);
    }

    @Test
    void setUp_pathBelowPrefix_bindsItUntilTearDown() throws Exception {
        Path data = Files.createDirectory(prefix.resolve("data"));
        Files.writeString(data.resolve("file"), "kept");

        SetUpResult done = setUp(data, "Directory");

        assertThat(done)
                .isEqualTo(new SetUpResult(target, data.toString(), List.of("rw", "nosuid", "nodev"), List.of()));
        assertThat(target.resolve("file")).hasContent("kept");
        assertThat(setUp(data, "Directory")).as("again").isEqualTo(done);
        assertThat(MountTable.read().allAt(target)).hasSize(1);

        tearDown();
        tearDown();

        assertThat(MountTable.read().below(base)).isEmpty();
        assertThat(target).doesNotExist();
        assertThat(data.resolve("file")).hasContent("kept");
    }

    @Test
    void setUp_prefixOrCreatedPath_bindsIt() throws Exception {
        assertThat(setUp(prefix, "Directory").path()).isEqualTo(target);
        tearDown();
        setUp(prefix.resolve("a/b"), "DirectoryOrCreate");
        Files.writeString(target.resolve("x"), "through");
        assertThat(prefix.resolve("a/b/x")).hasContent("through");
        tearDown();
        setUp(prefix.resolve("f"), "FileOrCreate");
        Files.writeString(target, "text");
        assertThat(prefix.resolve("f")).hasContent("text");
        tearDown();
        assertThat(target).doesNotExist();
    }

    /** A race once let a user change the mode of any file to which the user could create a hard link. */
    @Test
    void setUp_createdFileReplaced_changesModeOfCreatedFileOnly() throws Exception {
        Path secret = outside.resolve("secret");
        Files.setPosixFilePermissions(secret, Set.of());
        Path created = prefix.resolve("f");
        SystemCalls disturbed = FaultySystemCalls.disturbedBy(() -> {
            if (Files.exists(created) && !Files.exists(prefix.resolve("away"))) {
                assertThatCode(() -> {
                            Files.move(created, prefix.resolve("away"));
                            Files.createLink(created, secret);
                        })
                        .doesNotThrowAnyException();
            }
        });
        plugin(disturbed)
                .setUp(setUpRequest(created, "FileOrCreate", Optional.of(prefix.toString())), OperationProgress.NO_OP);
        assertThat(HostMachine.permissions(prefix.resolve("away"))).isEqualTo("644");
        assertThat(HostMachine.permissions(secret)).isEqualTo("0");
    }

    @Test
    void setUp_linkInsidePrefix_isFollowed() throws Exception {
        Files.createDirectory(prefix.resolve("real"));
        Files.createSymbolicLink(prefix.resolve("link"), Path.of("real"));
        Path moved = Files.createSymbolicLink(base.resolve("moved"), Path.of("srv/team"));

        assertThat(setUp(prefix.resolve("link"), "").source()).isEqualTo(prefix + "/real");
        tearDown();
        SetUpResult done = plugin(SystemCalls.real())
                .setUp(setUpRequest(moved.resolve("real"), "", Optional.of(moved.toString())), OperationProgress.NO_OP);
        assertThat(done.source()).isEqualTo(prefix + "/real");
    }

    @ParameterizedTest
    @ValueSource(strings = {"team/evil", "team/evil/inner", "team/evil/new", "team2", "team/up/outside", "team/own"})
    void setUp_pathLeadsOutOfPrefix_fails(String path) throws Exception {
        Files.createSymbolicLink(prefix.resolve("evil"), outside);
        Files.createSymbolicLink(prefix.resolve("up"), Path.of("../.."));
        Files.createSymbolicLink(prefix.resolve("own"), layout.root());
        Files.createDirectory(base.resolve("srv/team2"));

        assertThat(refusal(base.resolve("srv").resolve(path), "DirectoryOrCreate", Optional.of(prefix.toString()))
                        .reason())
                .isEqualTo("Refused");
        assertThat(MountTable.read().below(base)).isEmpty();
        assertOutsideUntouched();
    }

    @Test
    void setUp_pathLeadsOutOfPrefix_messageNamesTargetAndGrant() throws Exception {
        Files.createSymbolicLink(prefix.resolve("evil"), outside);

        assertThat(refusal(prefix.resolve("evil/inner"), "", Optional.of("/srv/a," + prefix)))
                .hasMessage(prefix + "/evil/inner leads to " + outside
                        + "/inner, which is outside of the paths granted to this Pod: /srv/a, " + prefix
                        + " (setting policy.hostPath)");
    }

    @Test
    void setUp_podWithoutGrant_fails() throws Exception {
        for (Optional<String> granted :
                Set.of(Optional.<String>empty(), Optional.of(""), Optional.of("srv"), Optional.of("/srv/../"))) {
            assertThat(refusal(prefix, "Directory", granted))
                    .as("%s", granted)
                    .hasMessageContaining("the Pod was not granted any path of this machine");
        }
        assertThat(plugin(SystemCalls.real())
                        .setUp(setUpRequest(outside, "Directory", Optional.of("admin")), OperationProgress.NO_OP))
                .isEqualTo(SetUpResult.at(outside));
    }

    private void exchange(byte[] good, byte[] evil) {
        assertThat(SystemCalls.real().renameat2(HERE, good, HERE, evil, EXCHANGE))
                .isZero();
    }

    private static byte[] bytes(Path path) {
        return (path + "\0").getBytes(StandardCharsets.UTF_8);
    }

    /** Returns whether the path was bound; requires that it does not show files from outside. */
    private boolean bind(SystemCalls calls, String path, String type) throws Exception {
        try {
            SetUpResult done = plugin(calls)
                    .setUp(
                            setUpRequest(prefix.resolve(path), type, Optional.of(prefix.toString())),
                            OperationProgress.NO_OP);
            assertThat(done.path().resolve("secret")).doesNotExist();
            return true;
        } catch (VolumeException e) {
            assertThat(e.reason()).as(e.getMessage()).isIn("Refused", "Changed", "NotCreated");
            assertThat(MountTable.read().allAt(target)).isEmpty();
            return false;
        } finally {
            tearDown();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"sub", "sub/inner", "sub/new/one"})
    void setUp_directoryAndLinkSwappedConcurrently_neverBindsOutside(String path) throws Exception {
        byte[] good = bytes(Files.createDirectories(prefix.resolve("sub/inner")).getParent());
        byte[] evil = bytes(Files.createSymbolicLink(prefix.resolve("evil"), outside));
        AtomicBoolean stop = new AtomicBoolean();
        Thread attacker = new Thread(() -> {
            while (!stop.get()) {
                exchange(good, evil);
            }
        });
        attacker.start();
        int rounds = 0;
        int shown = 0;
        try {
            while (rounds < ROUNDS || (rounds < MAX_ROUNDS && (shown == 0 || shown == rounds))) {
                shown += bind(SystemCalls.real(), path, "DirectoryOrCreate") ? 1 : 0;
                rounds++;
            }
        } finally {
            stop.set(true);
            attacker.join();
        }
        assertThat(shown).as("successful binds").isBetween(1, rounds - 1);
        assertOutsideUntouched();
    }

    @Test
    void setUp_swapBetweenAnyTwoSystemCalls_neverBindsOutside() throws Exception {
        byte[] good = bytes(Files.createDirectories(prefix.resolve("sub/inner")).getParent());
        byte[] evil = bytes(Files.createSymbolicLink(prefix.resolve("evil"), outside));
        int shown = 0;
        for (String path : List.of("sub", "sub/inner", "sub/new")) {
            for (int at = 0; at < 60; at++) {
                int[] calls = {at};
                SystemCalls disturbed = FaultySystemCalls.disturbedBy(() -> {
                    if (calls[0]-- == 0) {
                        exchange(good, evil);
                    }
                });
                shown += bind(disturbed, path, "DirectoryOrCreate") ? 1 : 0;
            }
        }
        assertThat(shown).isBetween(1, 179);
        assertOutsideUntouched();
    }

    /** The container gets a bind mount and not the path, so later changes of the path have no effect. */
    @Test
    void bindMount_pathSwappedLater_keepsShowingOriginal() throws Exception {
        Path data = Files.createDirectory(prefix.resolve("data"));
        Path evil = Files.createSymbolicLink(prefix.resolve("evil"), outside);
        Path bound = setUp(data, "Directory").path();

        exchange(bytes(data), bytes(evil));

        assertThat(data.resolve("secret")).exists();
        assertThat(bound).isEmptyDirectory();
    }

    private void assertFailsForAdmin(Path path, String message) {
        assertThat(refusal(path, "", Optional.of("admin"))).hasMessageContaining(message);
    }

    @Test
    void setUp_containsOwnDirectory_failsUnlessAllowed() throws Exception {
        Files.createSymbolicLink(base.resolve("up"), Path.of("."));
        Files.createSymbolicLink(base.resolve("all"), Path.of("/"));

        assertFailsForAdmin(base, base + " contains Mooring's own directory " + layout.root() + ": no Pod may use it");
        assertFailsForAdmin(base.resolve("up"), "leads to " + base + ", which contains");
        assertFailsForAdmin(Path.of("/"), "/ is the host's root directory: no Pod may use it unless");
        assertFailsForAdmin(base.resolve("all"), "leads to /, which is the host's root directory");
        assertFailsForAdmin(Path.of("/proc/self/root"), "leads to /, which is the host's root directory");

        guarded = guarded.allowing(List.of(base));

        assertThat(plugin(SystemCalls.real())
                        .setUp(setUpRequest(base, "Directory", Optional.of("admin")), OperationProgress.NO_OP))
                .isEqualTo(SetUpResult.at(base));
        assertFailsForAdmin(layout.root(), "which no Pod may see");
    }

    @Test
    void setUp_engineSocket_failsAlsoThroughLink() throws Exception {
        Path socket = Files.createFile(prefix.resolve("engine.sock"));
        Path link = Files.createSymbolicLink(prefix.resolve("innocent"), socket);
        guarded = guarded.withEngine(List.of(socket));

        assertFailsForAdmin(socket, "is a path of the container engine");
        assertFailsForAdmin(link, "leads to " + socket);
        assertThat(refusal(link, "", Optional.of(prefix.toString()))).hasMessageContaining("leads to " + socket);
    }

    private void assertOutsideUntouched() throws Exception {
        assertThat(HostMachine.below(outside)).containsExactly("inner", "inner/secret", "secret");
    }
}
