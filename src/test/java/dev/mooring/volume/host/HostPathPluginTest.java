package dev.mooring.volume.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
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
import dev.mooring.volume.mount.FakeMounter;
import dev.mooring.volume.path.CallsWithout;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.ChildProcess;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostPathPluginTest {
    private static final List<String> TYPES = List.of(
            "", "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice");

    @TempDir
    Path temp;

    private Path base;
    private NodeLayout layout;
    private FakeMounter mounter;
    private HostPathPlugin plugin;

    @BeforeEach
    void aNode() throws IOException {
        base = temp.toRealPath();
        layout = new NodeLayout(Files.createDirectory(base.resolve("own")));
        mounter = FakeMounter.onDisk(layout);
        plugin = plugin(SystemCalls.real());
    }

    private HostPathPlugin plugin(SystemCalls calls) {
        return new HostPathPlugin(new PluginParts(
                layout,
                mounter,
                new ChildProcess(),
                calls,
                key -> Optional.empty(),
                Clock.systemUTC(),
                Duration.ofSeconds(20)));
    }

    private static SetUp wanting(String path, String type) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        ObjectNode hostPath = source.putObject("hostPath").put("path", path);
        if (!type.isEmpty()) {
            hostPath.put("type", type);
        }
        return new SetUp(
                new VolumeSpec("v", "data", source, VolumeMode.FILESYSTEM, List.of(), 0),
                new PodIdentity("team", "web", "uid-1"),
                Path.of("/never/used"),
                Access.READ_WRITE,
                Optional.empty(),
                Optional.of(new Ownership(1234, Ownership.When.ALWAYS)),
                JsonNodeFactory.instance.objectNode());
    }

    private SetUpDone setUp(Path path, String type) throws Exception {
        return plugin.setUp(wanting(path.toString(), type), Progress.IGNORED);
    }

    private VolumeException refusal(String path, String type) {
        VolumeException refusal =
                catchThrowableOfType(VolumeException.class, () -> plugin.setUp(wanting(path, type), Progress.IGNORED));
        assertThat(refusal).as("refusal of %s as %s", path, type).isNotNull();
        assertThat(refusal.left()).isEqualTo(Left.NOTHING);
        return refusal;
    }

    private Map<String, Path> kinds() throws Exception {
        Map<String, Path> kinds = new LinkedHashMap<>();
        kinds.put("a directory", Files.createDirectory(base.resolve("directory")));
        kinds.put("a regular file", Files.writeString(base.resolve("file"), "precious"));
        Path socket = base.resolve("socket");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
        }
        kinds.put("a socket", socket);
        Machine.run("mkfifo", base.resolve("pipe").toString());
        kinds.put("a named pipe", base.resolve("pipe"));
        kinds.put("a character device", Path.of("/dev/null"));
        Path loop = Path.of("/dev/loop0");
        if (Files.exists(loop)) {
            kinds.put("a block device", loop);
        }
        return kinds;
    }

    private String answer(Path path, String type) throws Exception {
        try {
            SetUpDone done = setUp(path, type);
            assertThat(done).isEqualTo(SetUpDone.at(path));
            return "ok";
        } catch (VolumeException e) {
            assertThat(e.reason()).isEqualTo("WrongType");
            return e.getMessage().replace(path.toString(), "X");
        }
    }

    @Test
    void judgesEachKindByEachTypeAndSaysWhatWasFound() throws Exception {
        Map<String, String> wanted = Map.of(
                "DirectoryOrCreate", "a directory",
                "Directory", "a directory",
                "FileOrCreate", "a file",
                "File", "a file",
                "Socket", "a socket file",
                "CharDevice", "a character device",
                "BlockDevice", "a block device");
        Map<String, String> right = Map.of(
                "DirectoryOrCreate", "a directory",
                "Directory", "a directory",
                "FileOrCreate", "a regular file",
                "File", "a regular file",
                "Socket", "a socket",
                "CharDevice", "a character device",
                "BlockDevice", "a block device");
        for (Map.Entry<String, Path> kind : kinds().entrySet()) {
            Path link = base.resolve("link-to-" + kind.getKey().replace(' ', '-'));
            Files.createSymbolicLink(link, kind.getValue());
            for (String type : TYPES) {
                String expected = type.isEmpty() || right.get(type).equals(kind.getKey())
                        ? "ok"
                        : "hostPath type check failed: X is not " + wanted.get(type) + ": found " + kind.getKey();
                assertThat(answer(kind.getValue(), type)).as(type).isEqualTo(expected);
                assertThat(answer(link, type)).as("link, " + type).isEqualTo(expected);
            }
        }
        assertThat(Files.readString(base.resolve("file"))).isEqualTo("precious");
        assertThat(mounter.calls()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Directory", "File", "Socket", "CharDevice", "BlockDevice"})
    void refusesWhatIsMissingAndMakesNothing(String type) throws Exception {
        VolumeException refusal = refusal(base + "/none/there", type);

        assertThat(refusal.reason()).isEqualTo("NotFound");
        assertThat(refusal)
                .hasMessageStartingWith("hostPath type check failed: " + base + "/none/there is not a ")
                .hasMessageEndingWith(": found nothing");
        assertThat(base.resolve("none")).doesNotExist();
    }

    @Test
    void refusesATypeThatNobodyKnows() {
        assertThat(refusal(base.toString(), "Bogus")).hasMessage("Bogus is an invalid volume type");
    }

    @Test
    void makesDirectoriesWithTheKubeletsPermissionsWhateverTheUmask() throws Exception {
        int before = Machine.umask(0077);
        try {
            assertThat(setUp(base.resolve("a/b/c"), "DirectoryOrCreate"))
                    .isEqualTo(SetUpDone.at(base.resolve("a/b/c")));
        } finally {
            Machine.umask(before);
        }
        for (String each : List.of("a", "a/b", "a/b/c")) {
            assertThat(Machine.permissions(base.resolve(each))).as(each).isEqualTo("755");
        }
    }

    @Test
    void leavesThePermissionsOfWhatIsThere() throws Exception {
        Files.createDirectory(base.resolve("private"));
        Machine.run("chmod", "0700", base.resolve("private").toString());

        setUp(base.resolve("private/new"), "DirectoryOrCreate");
        setUp(base.resolve("private"), "DirectoryOrCreate");

        assertThat(Machine.permissions(base.resolve("private"))).isEqualTo("700");
    }

    @Test
    void makesAnEmptyFileWhateverTheUmaskButNotItsDirectory() throws Exception {
        int before = Machine.umask(0077);
        try {
            setUp(base.resolve("new"), "FileOrCreate");
        } finally {
            Machine.umask(before);
        }
        assertThat(base.resolve("new")).isEmptyFile();
        assertThat(Machine.permissions(base.resolve("new"))).isEqualTo("644");

        VolumeException refusal = refusal(base + "/none/new", "FileOrCreate");
        assertThat(refusal).hasMessageStartingWith("open " + base + "/none/new: no such file or directory");
        assertThat(base.resolve("none")).doesNotExist();
    }

    @Test
    void makesADirectoryForATypeThatIsNotSaidAndTellsThePod() throws Exception {
        SetUpDone done = setUp(base.resolve("new/dir"), "");

        assertThat(done.path()).isEqualTo(base.resolve("new/dir")).isDirectory();
        assertThat(Machine.permissions(base.resolve("new/dir"))).isEqualTo("755");
        assertThat(done.remarks()).singleElement().satisfies(remark -> {
            assertThat(remark.reason()).isEqualTo("HostPathCreated");
            assertThat(remark.message()).contains(base + "/new/dir did not exist");
        });
        assertThat(setUp(base.resolve("new/dir"), "").remarks())
                .as("the next Pod")
                .isEmpty();
    }

    @Test
    void makesNothingThroughALinkToNothing() throws Exception {
        Files.createSymbolicLink(base.resolve("link"), base.resolve("gone"));

        for (String type : List.of("", "DirectoryOrCreate", "FileOrCreate", "Directory")) {
            assertThat(refusal(base + "/link", type))
                    .hasMessageContaining(
                            "found a symbolic link, " + base + "/link, to " + base + "/gone, where nothing is");
        }
        refusal(base + "/link/below", "DirectoryOrCreate");
        assertThat(base.resolve("gone")).doesNotExist();
    }

    @Test
    void makesWhatIsBelowALinkInTheDirectoryItPointsTo() throws Exception {
        Files.createDirectory(base.resolve("real"));
        Files.createDirectory(base.resolve("other"));
        Files.createSymbolicLink(base.resolve("other/link"), Path.of("../real/."));

        setUp(base.resolve("other/link/new"), "DirectoryOrCreate");

        assertThat(base.resolve("real/new")).isDirectory();
    }

    @Test
    void endsAtLinksThatGoInCirclesAndAtFilesOnTheWay() throws Exception {
        Files.createSymbolicLink(base.resolve("one"), base.resolve("two"));
        Files.createSymbolicLink(base.resolve("two"), base.resolve("one"));
        Files.createFile(base.resolve("file"));

        assertThat(refusal(base + "/one", "Directory")).hasMessageContaining("too many symbolic links");
        assertThat(refusal(base + "/file/below", "DirectoryOrCreate"))
                .hasMessageContaining("found a regular file at " + base + "/file, through which no path leads");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a/../b", "../a", "/..", "/a/.."})
    void refusesStepsBack(String path) {
        for (String type : TYPES) {
            assertThat(refusal(path, type)).hasMessage("invalid HostPath `" + path + "`: must not contain '..'");
        }
    }

    @Test
    void refusesWhatIsNoAbsolutePath() {
        assertThat(refusal("data", "")).hasMessage("invalid HostPath `data`: must be an absolute path");
        assertThat(refusal("", "")).hasMessage("invalid HostPath ``: must be an absolute path");
        assertThat(refusal("/a\0b", "").reason()).isEqualTo("InvalidPath");
    }

    @Test
    void refusesMooringsOwnDirectoryAlsoThroughLinks() throws Exception {
        Path pod = Files.createDirectories(layout.pod("uid-2"));
        Files.createSymbolicLink(base.resolve("sneaky"), layout.root());
        Files.createSymbolicLink(base.resolve("sneakier"), Path.of("own/pods"));

        for (Path each : List.of(
                layout.root(),
                pod,
                base.resolve("sneaky"),
                base.resolve("sneaky/pods/uid-2"),
                base.resolve("sneaky/new"),
                base.resolve("sneakier"),
                layout.root().resolve("volumes/hostpath"),
                layout.root().resolve("volumes/hostpath/.mooring/uid"))) {
            VolumeException refusal = refusal(each.toString(), "DirectoryOrCreate");
            assertThat(refusal.reason()).as("%s", each).isEqualTo("Refused");
        }
        assertThat(Machine.below(layout.root())).containsExactly("pods", "pods/uid-2");
    }

    @Test
    void handsOverWhatWasProvisionedInTheUsualPlace() throws Exception {
        Path data = Files.createDirectories(layout.root().resolve("volumes/hostpath/team/claim"));

        assertThat(setUp(data, "Directory")).isEqualTo(SetUpDone.at(data));
    }

    @Test
    void neverUndoesAnything() throws Exception {
        setUp(base.resolve("made"), "DirectoryOrCreate");
        Path target = layout.volume("uid-1", HostPathPlugin.NAME, "data");
        plugin.tearDown(new TearDown("v", "data", "uid-1", target, VolumeMode.FILESYSTEM, ""), Progress.IGNORED);

        assertThat(base.resolve("made")).isDirectory();
        assertThat(mounter.calls())
                .as("only its own place, where nothing is")
                .containsExactly("removeDirectory " + layout.root().relativize(target));
    }

    @ParameterizedTest
    @ValueSource(strings = {"DirectoryOrCreate", "FileOrCreate"})
    void madeAgainAfterACrashAnywhereItIsAsItShouldBe(String type) throws Exception {
        boolean crashed = true;
        for (int at = 0; crashed; at++) {
            assertThat(at).isLessThan(300);
            Path path = base.resolve("crash-" + type + at);
            SetUp what = wanting(path.toString(), type);
            try {
                plugin(CallsWithout.after(at)).setUp(what, Progress.IGNORED);
                crashed = false;
            } catch (CallsWithout.Crash expected) {
                plugin.setUp(what, Progress.IGNORED);
            }
            assertThat(Machine.permissions(path)).isEqualTo(type.startsWith("File") ? "644" : "755");
        }
    }

    @Test
    void worksOnKernelsThatDoNotKnowOpenat2() throws Exception {
        plugin = plugin(CallsWithout.openat2(38));

        setUp(base.resolve("a/b"), "DirectoryOrCreate");
        setUp(base.resolve("a/f"), "FileOrCreate");

        assertThat(answer(Path.of("/dev/null"), "CharDevice")).isEqualTo("ok");
        assertThat(base.resolve("a/f")).isEmptyFile();
    }

    @Test
    void keepsPathsOfDifferentTopDirectoriesInDifferentLanes() {
        assertThat(plugin.lane(wanting("/mnt/nas/x", "").volume())).isEqualTo(new Lane("host", "mnt"));
        assertThat(plugin.lane(wanting("/srv", "").volume())).isEqualTo(new Lane("host", "srv"));
        assertThat(plugin.lane(wanting("/", "").volume())).isEqualTo(new Lane("host", ""));
    }

    @Test
    void knowsOnlyHostPaths() {
        assertThat(plugin.name()).isEqualTo("kubernetes.io/host-path");
        assertThat(plugin.supports(wanting("/x", "").volume().source())).isTrue();
        assertThat(plugin.supports(JsonNodeFactory.instance.objectNode())).isFalse();
        assertThat(plugin.refusal(List.of("ro"))).isPresent();
    }
}
