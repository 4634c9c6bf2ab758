package dev.mooring.volume.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.host.GuardedPlaces;
import dev.mooring.model.host.HostPathGrant;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.PodIdentity;
import dev.mooring.volume.Progress;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.TearDown;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.mount.LinuxMounter;
import dev.mooring.volume.path.CallsWithout;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.ChildProcess;
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

/** Pods that may only have what lies below a prefix, on the kernel of this machine; and users who try to get more. */
class ConfinedHostPathTest {
    private static final int ROUNDS = 400;
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
    void aNode() throws Exception {
        Machine.assumeRoot();
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
            Machine.run("umount", "-l", left.get(i).point());
        }
    }

    private GuardedPlaces guarded = GuardedPlaces.usual();

    private HostPathPlugin plugin(SystemCalls calls) {
        PluginParts parts = new PluginParts(
                layout,
                new LinuxMounter(layout, SystemCalls.real(), new ChildProcess()),
                new ChildProcess(),
                calls,
                key -> Optional.empty(),
                Clock.systemUTC(),
                Duration.ofSeconds(20));
        return new HostPathPlugin(parts, guarded);
    }

    /** The volume stands in the Pod itself; the annotation is the server's. */
    private SetUp wanting(Path path, String type, Optional<String> granted) {
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
        return new SetUp(
                new VolumeSpec("v", "data", source, VolumeMode.FILESYSTEM, List.of(), 0),
                new PodIdentity("team", "web", "uid-1"),
                target,
                Access.READ_WRITE,
                Optional.empty(),
                Optional.empty(),
                pod);
    }

    private SetUpDone setUp(Path path, String type) throws Exception {
        return plugin(SystemCalls.real()).setUp(wanting(path, type, Optional.of(prefix.toString())), Progress.IGNORED);
    }

    private VolumeException refusal(Path path, String type, Optional<String> granted) {
        VolumeException refusal = catchThrowableOfType(
                VolumeException.class,
                () -> plugin(SystemCalls.real()).setUp(wanting(path, type, granted), Progress.IGNORED));
        assertThat(refusal).as("refusal of %s", path).isNotNull();
        return refusal;
    }

    private void tearDown() throws Exception {
        plugin(SystemCalls.real())
                .tearDown(new TearDown("v", "data", "uid-1", target, VolumeMode.FILESYSTEM, ""), Progress.IGNORED);
    }

    @Test
    void bindsWhatLiesBelowThePrefixToThePodsOwnPlaceAndTakesThatAwayAgain() throws Exception {
        Path data = Files.createDirectory(prefix.resolve("data"));
        Files.writeString(data.resolve("file"), "kept");

        SetUpDone done = setUp(data, "Directory");

        assertThat(done).isEqualTo(new SetUpDone(target, data.toString(), List.of("rw"), List.of()));
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
    void bindsThePrefixItselfAndFilesAndWhatItMakes() throws Exception {
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

    /** Whoever was fast enough could once have the permissions of any file changed that he could give a second name to. */
    @Test
    void onlyTheFileThatWasMadeGetsItsPermissions() throws Exception {
        Path secret = outside.resolve("secret");
        Files.setPosixFilePermissions(secret, Set.of());
        Path wanted = prefix.resolve("f");
        SystemCalls disturbed = CallsWithout.disturbedBy(() -> {
            if (Files.exists(wanted) && !Files.exists(prefix.resolve("away"))) {
                assertThatCode(() -> {
                            Files.move(wanted, prefix.resolve("away"));
                            Files.createLink(wanted, secret);
                        })
                        .doesNotThrowAnyException();
            }
        });
        plugin(disturbed).setUp(wanting(wanted, "FileOrCreate", Optional.of(prefix.toString())), Progress.IGNORED);
        assertThat(Machine.permissions(prefix.resolve("away"))).isEqualTo("644");
        assertThat(Machine.permissions(secret)).isEqualTo("0");
    }

    @Test
    void followsLinksThatStayBelowThePrefixAndThoseOfThePrefixItself() throws Exception {
        Files.createDirectory(prefix.resolve("real"));
        Files.createSymbolicLink(prefix.resolve("link"), Path.of("real"));
        Path moved = Files.createSymbolicLink(base.resolve("moved"), Path.of("srv/team"));

        assertThat(setUp(prefix.resolve("link"), "").source()).isEqualTo(prefix + "/real");
        tearDown();
        SetUpDone done = plugin(SystemCalls.real())
                .setUp(wanting(moved.resolve("real"), "", Optional.of(moved.toString())), Progress.IGNORED);
        assertThat(done.source()).isEqualTo(prefix + "/real");
    }

    @ParameterizedTest
    @ValueSource(strings = {"team/evil", "team/evil/inner", "team/evil/new", "team2", "team/up/outside", "team/own"})
    void refusesWhatLeadsOutOfThePrefix(String path) throws Exception {
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
    void saysWhereItLeadsAndWhatWasGranted() throws Exception {
        Files.createSymbolicLink(prefix.resolve("evil"), outside);

        assertThat(refusal(prefix.resolve("evil/inner"), "", Optional.of("/srv/a," + prefix)))
                .hasMessage(prefix + "/evil/inner leads to " + outside
                        + "/inner, which is outside of what this Pod was granted: /srv/a, " + prefix
                        + " (setting policy.hostPath)");
    }

    @Test
    void givesNothingToAPodThatNobodyHasGrantedAnything() throws Exception {
        for (Optional<String> granted :
                Set.of(Optional.<String>empty(), Optional.of(""), Optional.of("srv"), Optional.of("/srv/../"))) {
            assertThat(refusal(prefix, "Directory", granted))
                    .as("%s", granted)
                    .hasMessageContaining("nobody has granted the Pod any path of this machine");
        }
        assertThat(plugin(SystemCalls.real())
                        .setUp(wanting(outside, "Directory", Optional.of("admin")), Progress.IGNORED))
                .isEqualTo(SetUpDone.at(outside));
    }

    private void exchange(byte[] good, byte[] evil) {
        assertThat(SystemCalls.real().renameat2(HERE, good, HERE, evil, EXCHANGE))
                .isZero();
    }

    private static byte[] bytes(Path path) {
        return (path + "\0").getBytes(StandardCharsets.UTF_8);
    }

    /** Whether it was shown; then it is not what is outside. */
    private boolean show(SystemCalls calls, String path, String type) throws Exception {
        try {
            SetUpDone done = plugin(calls)
                    .setUp(wanting(prefix.resolve(path), type, Optional.of(prefix.toString())), Progress.IGNORED);
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
    void neverShowsTheOutsideWhileSomebodyExchangesADirectoryAndALink(String path) throws Exception {
        byte[] good = bytes(Files.createDirectories(prefix.resolve("sub/inner")).getParent());
        byte[] evil = bytes(Files.createSymbolicLink(prefix.resolve("evil"), outside));
        AtomicBoolean stop = new AtomicBoolean();
        Thread attacker = new Thread(() -> {
            while (!stop.get()) {
                exchange(good, evil);
            }
        });
        attacker.start();
        int shown = 0;
        try {
            for (int round = 0; round < ROUNDS; round++) {
                shown += show(SystemCalls.real(), path, "DirectoryOrCreate") ? 1 : 0;
            }
        } finally {
            stop.set(true);
            attacker.join();
        }
        assertThat(shown).as("how often the directory was there").isBetween(1, ROUNDS - 1);
        assertOutsideUntouched();
    }

    @Test
    void neverShowsTheOutsideWhenTheExchangeHappensBetweenAnyTwoCalls() throws Exception {
        byte[] good = bytes(Files.createDirectories(prefix.resolve("sub/inner")).getParent());
        byte[] evil = bytes(Files.createSymbolicLink(prefix.resolve("evil"), outside));
        int shown = 0;
        for (String path : List.of("sub", "sub/inner", "sub/new")) {
            for (int at = 0; at < 60; at++) {
                int[] calls = {at};
                SystemCalls disturbed = CallsWithout.disturbedBy(() -> {
                    if (calls[0]-- == 0) {
                        exchange(good, evil);
                    }
                });
                shown += show(disturbed, path, "DirectoryOrCreate") ? 1 : 0;
            }
        }
        assertThat(shown).isBetween(1, 179);
        assertOutsideUntouched();
    }

    /** The path itself was never handed out, so changing it later changes nothing. */
    @Test
    void staysWhatItIsWhenThePathIsExchangedLater() throws Exception {
        Path data = Files.createDirectory(prefix.resolve("data"));
        Path evil = Files.createSymbolicLink(prefix.resolve("evil"), outside);
        Path handed = setUp(data, "Directory").path();

        exchange(bytes(data), bytes(evil));

        assertThat(data.resolve("secret")).exists();
        assertThat(handed).isEmptyDirectory();
    }

    private void refusesEvenAdmins(Path path, String words) {
        assertThat(refusal(path, "", Optional.of("admin"))).hasMessageContaining(words);
    }

    @Test
    void refusesWhatContainsMooringsOwnDirectoryUnlessTheAdministratorAllowsIt() throws Exception {
        Files.createSymbolicLink(base.resolve("up"), Path.of("."));
        Files.createSymbolicLink(base.resolve("all"), Path.of("/"));

        refusesEvenAdmins(base, base + " contains Mooring's own directory " + layout.root() + ": no Pod may have it");
        refusesEvenAdmins(base.resolve("up"), "leads to " + base + ", which contains");
        refusesEvenAdmins(Path.of("/"), "/ is the whole machine: no Pod may have it unless");
        refusesEvenAdmins(base.resolve("all"), "leads to /, which is the whole machine");
        refusesEvenAdmins(Path.of("/proc/self/root"), "leads to /, which is the whole machine");

        guarded = guarded.allowing(List.of(base));

        assertThat(plugin(SystemCalls.real()).setUp(wanting(base, "Directory", Optional.of("admin")), Progress.IGNORED))
                .isEqualTo(SetUpDone.at(base));
        refusesEvenAdmins(layout.root(), "which no Pod may see");
    }

    @Test
    void refusesTheEnginesSocketAlsoThroughLinks() throws Exception {
        Path socket = Files.createFile(prefix.resolve("engine.sock"));
        Path link = Files.createSymbolicLink(prefix.resolve("innocent"), socket);
        guarded = guarded.withEngine(List.of(socket));

        refusesEvenAdmins(socket, "is a place of the container engine");
        refusesEvenAdmins(link, "leads to " + socket);
        assertThat(refusal(link, "", Optional.of(prefix.toString()))).hasMessageContaining("leads to " + socket);
    }

    private void assertOutsideUntouched() throws Exception {
        assertThat(Machine.below(outside)).containsExactly("inner", "inner/secret", "secret");
    }
}
