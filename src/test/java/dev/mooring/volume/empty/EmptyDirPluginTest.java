package dev.mooring.volume.empty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.Ownership;
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
    void aNode() throws IOException {
        Machine.assumeRoot();
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
            Machine.run("umount", left.get(i).point());
        }
    }

    private EmptyDirPlugin plugin(SystemCalls calls) {
        ChildProcess commands = new ChildProcess();
        return new EmptyDirPlugin(new PluginParts(
                layout,
                new LinuxMounter(layout, calls, commands),
                commands,
                calls,
                key -> Optional.empty(),
                Clock.systemUTC(),
                Duration.ofSeconds(20)));
    }

    private SetUp wanting(String medium, long bytes, Optional<Ownership> ownership) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("emptyDir").put("medium", medium);
        return new SetUp(
                new VolumeSpec("v", "cache", source, VolumeMode.FILESYSTEM, List.of(), bytes),
                new PodIdentity("team", "web", UID),
                target,
                Access.READ_WRITE,
                Optional.empty(),
                ownership,
                JsonNodeFactory.instance.objectNode());
    }

    private SetUpDone setUp(String medium) throws Exception {
        return plugin.setUp(wanting(medium, 0, Optional.empty()), Progress.IGNORED);
    }

    private TearDown gone() {
        return new TearDown("v", "cache", UID, target, VolumeMode.FILESYSTEM, "");
    }

    private void tearDown() throws Exception {
        plugin.tearDown(gone(), Progress.IGNORED);
    }

    private boolean isMounted() throws IOException {
        return MountTable.read().isMountPoint(target);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Memory"})
    void isADirectoryForEverybodyAndGoesWithAllThatIsInIt(String medium) throws Exception {
        int before = Machine.umask(0077);
        try {
            assertThat(setUp(medium).path()).isEqualTo(target);
        } finally {
            Machine.umask(before);
        }
        assertThat(Machine.permissions(target)).isEqualTo("777");
        assertThat(marker).exists();
        assertThat(isMounted()).isEqualTo(medium.equals("Memory"));
        Files.createDirectories(target.resolve("deep/down"));
        Files.writeString(target.resolve("deep/down/file"), "x");

        tearDown();

        assertThat(isMounted()).isFalse();
        assertThat(Machine.below(layout.pod(UID))).isEmpty();
        tearDown();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Memory"})
    void keepsWhatContainersHaveWrittenWhenSetUpAgain(String medium) throws Exception {
        setUp(medium);
        Files.writeString(target.resolve("file"), "precious");
        Machine.run("chmod", "0700", target.toString());

        setUp(medium);
        assertThat(Machine.permissions(target))
                .as("it is ready, and left alone")
                .isEqualTo("700");
        Files.delete(marker);
        setUp(medium);

        assertThat(Files.readString(target.resolve("file"))).isEqualTo("precious");
        assertThat(marker).exists();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Memory"})
    void isMadeAgainIfOnlyItsMarkerIsLeft(String medium) throws Exception {
        setUp(medium);
        if (medium.equals("Memory")) {
            Machine.run("umount", target.toString());
        }
        Files.delete(target);

        setUp(medium);

        assertThat(Machine.permissions(target)).isEqualTo("777");
        assertThat(isMounted()).isEqualTo(medium.equals("Memory"));
    }

    @ParameterizedTest
    @CsvSource({"1048576, 1048576", "5000, 8192"})
    void holdsAsMuchInMemoryAsItMay(long bytes, long rounded) throws Exception {
        SetUpDone done = plugin.setUp(wanting("Memory", bytes, Optional.empty()), Progress.IGNORED);

        FileStore store = Files.getFileStore(target);
        assertThat(store.type()).isEqualTo("tmpfs");
        assertThat(store.getTotalSpace()).isEqualTo(rounded);
        assertThat(done.source()).isEqualTo("tmpfs");
        assertThat(catchThrowableOfType(
                        IOException.class, () -> Files.write(target.resolve("big"), new byte[(int) rounded + 1])))
                .hasMessageContaining("No space left");
    }

    @Test
    void holdsWhatTheKernelAllowsIfNobodyLimitsIt() throws Exception {
        setUp("Memory");

        assertThat(Files.getFileStore(target).getTotalSpace()).isGreaterThan(64L << 20);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Memory"})
    void belongsToTheGroupOfThePod(String medium) throws Exception {
        plugin.setUp(wanting(medium, 0, Optional.of(new Ownership(1234, Ownership.When.ALWAYS))), Progress.IGNORED);

        assertThat(Files.getAttribute(target, "unix:gid")).isEqualTo(1234);
        assertThat(Machine.permissions(target)).isEqualTo("2777");
    }

    @ParameterizedTest
    @CsvSource({
        "HugePages,     storage medium \"HugePages\" is not supported",
        "HugePages-2Mi, storage medium \"HugePages-2Mi\" is not supported",
        "Tape,          unknown storage medium \"Tape\""
    })
    void refusesOtherMedia(String medium, String words) throws Exception {
        VolumeException refusal = catchThrowableOfType(VolumeException.class, () -> setUp(medium));

        assertThat(refusal.reason()).isEqualTo("Unsupported");
        assertThat(refusal).hasMessageStartingWith(words);
        assertThat(Machine.below(layout.pod(UID))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"'', false", "'', true", "Memory, false", "Memory, true"})
    void survivesACrashBeforeEachCall(String medium, boolean whileDeleting) throws Exception {
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
                EmptyDirPlugin dying = plugin(CallsWithout.after(at));
                if (whileDeleting) {
                    dying.tearDown(gone(), Progress.IGNORED);
                } else {
                    dying.setUp(wanting(medium, 0, Optional.empty()), Progress.IGNORED);
                }
            } catch (CallsWithout.Crash expected) {
                crashed = true;
            }
            if (!whileDeleting) {
                setUp(medium);
                assertThat(Machine.permissions(target)).as("crash at %d", at).isEqualTo("777");
                assertThat(MountTable.read().allAt(target)).hasSize(medium.equals("Memory") ? 1 : 0);
            }
            tearDown();
            assertThat(Machine.below(layout.pod(UID))).as("crash at %d", at).isEmpty();
            assertThat(isMounted()).isFalse();
        }
        assertThat(at).isGreaterThan(10);
    }

    @Test
    void deletesLinksButNothingTheyPointTo() throws Exception {
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
        assertThat(Machine.below(layout.pod(UID))).isEmpty();
    }

    @Test
    void deletesALinkThatHasTakenItsPlaceButNothingItPointsTo() throws Exception {
        Path outside = Files.createDirectory(base.resolve("outside"));
        Files.writeString(outside.resolve("file"), "precious");
        setUp("");
        Files.delete(target);
        Files.createSymbolicLink(target, outside);

        tearDown();

        assertThat(Machine.below(outside)).containsExactly("file");
        assertThat(Machine.below(layout.pod(UID))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"directory", "file"})
    void deletesNothingWhileSomethingIsMountedInIt(String kind) throws Exception {
        Path outside = Files.createDirectory(base.resolve("outside"));
        Files.writeString(outside.resolve("file"), "precious");
        setUp("");
        Files.createDirectory(target.resolve("directory"));
        Files.createFile(target.resolve("file"));
        Files.writeString(target.resolve("other"), "x");
        Path source = kind.equals("file") ? outside.resolve("file") : outside;
        Machine.run("mount", "--bind", source.toString(), target.resolve(kind).toString());

        VolumeException refusal = catchThrowableOfType(VolumeException.class, this::tearDown);

        assertThat(refusal.reason()).isEqualTo("MountedInside");
        assertThat(refusal).hasMessageContaining(" is mounted at " + target.resolve(kind));
        assertThat(Files.readString(outside.resolve("file"))).isEqualTo("precious");
        assertThat(target.resolve("other")).exists();
        Machine.run("umount", target.resolve(kind).toString());
        tearDown();
        assertThat(Machine.below(layout.pod(UID))).isEmpty();
        assertThat(Machine.below(outside)).containsExactly("file");
    }

    @Test
    void deletesNothingAfterAnUnmountThatFailed() throws Exception {
        setUp("Memory");
        Files.createDirectory(target.resolve("in"));
        Machine.run("mount", "-t", "tmpfs", "tmpfs", target.resolve("in").toString());
        Files.writeString(target.resolve("in/file"), "precious");

        VolumeException refusal = catchThrowableOfType(VolumeException.class, this::tearDown);

        assertThat(refusal.left()).isEqualTo(VolumeException.Left.PERHAPS_SOMETHING);
        assertThat(Files.readString(target.resolve("in/file"))).isEqualTo("precious");
    }

    @Test
    void knowsOnlyEmptyDirs() {
        assertThat(plugin.name()).isEqualTo("kubernetes.io/empty-dir");
        assertThat(plugin.supports(wanting("", 0, Optional.empty()).volume().source()))
                .isTrue();
        assertThat(plugin.supports(JsonNodeFactory.instance.objectNode())).isFalse();
    }
}
