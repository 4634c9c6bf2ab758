package dev.mooring.volume.hostpath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.host.ChildProcess;
import dev.mooring.host.FaultySystemCalls;
import dev.mooring.host.HostMachine;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.HostPathGrant;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.FakeMounter;
import dev.mooring.volume.FsGroup;
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
import dev.mooring.volume.WorkerPoolKey;
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

/** Tests of inline hostPath volumes of Pods of admins; {@link PersistentHostPathTest} tests PersistentVolumes. */
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
    void createNode() throws IOException {
        base = temp.toRealPath();
        layout = new NodeLayout(Files.createDirectory(base.resolve("own")));
        mounter = FakeMounter.onDisk(layout);
        plugin = plugin(SystemCalls.real());
    }

    private HostPathPlugin plugin(SystemCalls calls) {
        return new HostPathPlugin(new PluginContext(
                layout,
                mounter,
                new ChildProcess(),
                calls,
                key -> Optional.empty(),
                Clock.systemUTC(),
                Duration.ofSeconds(60)));
    }

    private static SetUpRequest setUpRequest(String path, String type) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        ObjectNode hostPath = source.putObject("hostPath").put("path", path);
        if (!type.isEmpty()) {
            hostPath.put("type", type);
        }
        ObjectNode pod = JsonNodeFactory.instance.objectNode();
        pod.putObject("metadata").putObject("annotations").put(HostPathGrant.ANNOTATION, "admin");
        pod.putObject("spec")
                .putArray("volumes")
                .addObject()
                .put("name", "data")
                .setAll(source);
        return new SetUpRequest(
                new VolumeSpec("v", "data", source, VolumeMode.FILESYSTEM, List.of(), 0),
                new PodIdentity("team", "web", "uid-1"),
                Path.of("/never/used"),
                Access.READ_WRITE,
                Optional.empty(),
                Optional.of(new FsGroup(1234, FsGroup.FsGroupChangePolicy.ALWAYS)),
                pod);
    }

    private SetUpResult setUp(Path path, String type) throws Exception {
        return plugin.setUp(setUpRequest(path.toString(), type), OperationProgress.NO_OP);
    }

    private VolumeException refusal(String path, String type) {
        VolumeException refusal = catchThrowableOfType(
                VolumeException.class, () -> plugin.setUp(setUpRequest(path, type), OperationProgress.NO_OP));
        assertThat(refusal).as("refusal of %s as %s", path, type).isNotNull();
        assertThat(refusal.failureState()).isEqualTo(FailureState.CLEAN);
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
        HostMachine.run("mkfifo", base.resolve("pipe").toString());
        kinds.put("a named pipe", base.resolve("pipe"));
        kinds.put("a character device", Path.of("/dev/null"));
        Path loop = Path.of("/dev/loop0");
        if (Files.exists(loop)) {
            kinds.put("a block device", loop);
        }
        return kinds;
    }

    private String result(Path path, String type) throws Exception {
        try {
            SetUpResult done = setUp(path, type);
            assertThat(done).isEqualTo(SetUpResult.at(path));
            return "ok";
        } catch (VolumeException e) {
            assertThat(e.reason()).isEqualTo("WrongType");
            return e.getMessage().replace(path.toString(), "X");
        }
    }

    @Test
    void setUp_eachFileTypeAndHostPathType_checksType() throws Exception {
        Map<String, String> descriptions = Map.of(
                "DirectoryOrCreate", "a directory",
                "Directory", "a directory",
                "FileOrCreate", "a file",
                "File", "a file",
                "Socket", "a socket file",
                "CharDevice", "a character device",
                "BlockDevice", "a block device");
        Map<String, String> matching = Map.of(
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
                String expected = type.isEmpty() || matching.get(type).equals(kind.getKey())
                        ? "ok"
                        : "hostPath type check failed: X is not " + descriptions.get(type) + ": found " + kind.getKey();
                assertThat(result(kind.getValue(), type)).as(type).isEqualTo(expected);
                assertThat(result(link, type)).as("link, " + type).isEqualTo(expected);
            }
        }
        assertThat(Files.readString(base.resolve("file"))).isEqualTo("precious");
        assertThat(mounter.calls()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Directory", "File", "Socket", "CharDevice", "BlockDevice"})
    void setUp_missingPathOfStrictType_failsAndCreatesNothing(String type) throws Exception {
        VolumeException refusal = refusal(base + "/none/there", type);

        assertThat(refusal.reason()).isEqualTo("NotFound");
        assertThat(refusal)
                .hasMessageStartingWith("hostPath type check failed: " + base + "/none/there is not a ")
                .hasMessageEndingWith(": found nothing");
        assertThat(base.resolve("none")).doesNotExist();
    }

    @Test
    void setUp_unknownType_fails() {
        assertThat(refusal(base.toString(), "Bogus")).hasMessage("Bogus is an invalid volume type");
    }

    @Test
    void setUp_directoryOrCreate_createsDirectoriesWithMode755() throws Exception {
        int before = HostMachine.umask(0077);
        try {
            assertThat(setUp(base.resolve("a/b/c"), "DirectoryOrCreate"))
                    .isEqualTo(SetUpResult.at(base.resolve("a/b/c")));
        } finally {
            HostMachine.umask(before);
        }
        for (String each : List.of("a", "a/b", "a/b/c")) {
            assertThat(HostMachine.permissions(base.resolve(each))).as(each).isEqualTo("755");
        }
    }

    @Test
    void setUp_existingDirectory_keepsItsMode() throws Exception {
        Files.createDirectory(base.resolve("private"));
        HostMachine.run("chmod", "0700", base.resolve("private").toString());

        setUp(base.resolve("private/new"), "DirectoryOrCreate");
        setUp(base.resolve("private"), "DirectoryOrCreate");

        assertThat(HostMachine.permissions(base.resolve("private"))).isEqualTo("700");
    }

    @Test
    void setUp_fileOrCreate_createsFileButNotItsDirectory() throws Exception {
        int before = HostMachine.umask(0077);
        try {
            setUp(base.resolve("new"), "FileOrCreate");
        } finally {
            HostMachine.umask(before);
        }
        assertThat(base.resolve("new")).isEmptyFile();
        assertThat(HostMachine.permissions(base.resolve("new"))).isEqualTo("644");

        VolumeException refusal = refusal(base + "/none/new", "FileOrCreate");
        assertThat(refusal).hasMessageStartingWith("open " + base + "/none/new: no such file or directory");
        assertThat(base.resolve("none")).doesNotExist();
    }

    @Test
    void setUp_typeUnset_createsDirectoryAndReportsEvent() throws Exception {
        SetUpResult done = setUp(base.resolve("new/dir"), "");

        assertThat(done.path()).isEqualTo(base.resolve("new/dir")).isDirectory();
        assertThat(HostMachine.permissions(base.resolve("new/dir"))).isEqualTo("755");
        assertThat(done.events()).singleElement().satisfies(event -> {
            assertThat(event.reason()).isEqualTo("HostPathCreated");
            assertThat(event.message()).contains(base + "/new/dir did not exist");
        });
        assertThat(setUp(base.resolve("new/dir"), "").events())
                .as("the next Pod")
                .isEmpty();
    }

    @Test
    void setUp_danglingLink_failsAndCreatesNothing() throws Exception {
        Files.createSymbolicLink(base.resolve("link"), base.resolve("gone"));

        for (String type : List.of("", "DirectoryOrCreate", "FileOrCreate", "Directory")) {
            assertThat(refusal(base + "/link", type))
                    .hasMessageContaining("found a symbolic link, " + base + "/link, to missing " + base + "/gone");
        }
        refusal(base + "/link/below", "DirectoryOrCreate");
        assertThat(base.resolve("gone")).doesNotExist();
    }

    @Test
    void setUp_missingPathBelowLink_isCreatedInItsTarget() throws Exception {
        Files.createDirectory(base.resolve("real"));
        Files.createDirectory(base.resolve("other"));
        Files.createSymbolicLink(base.resolve("other/link"), Path.of("../real/."));

        setUp(base.resolve("other/link/new"), "DirectoryOrCreate");

        assertThat(base.resolve("real/new")).isDirectory();
    }

    @Test
    void setUp_linkLoopOrFileInPath_fails() throws Exception {
        Files.createSymbolicLink(base.resolve("one"), base.resolve("two"));
        Files.createSymbolicLink(base.resolve("two"), base.resolve("one"));
        Files.createFile(base.resolve("file"));

        assertThat(refusal(base + "/one", "Directory")).hasMessageContaining("too many levels of symbolic links");
        assertThat(refusal(base + "/file/below", "DirectoryOrCreate"))
                .hasMessageContaining("found a regular file at " + base + "/file, which is not a directory");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a/../b", "../a", "/..", "/a/.."})
    void setUp_pathWithDotDot_fails(String path) {
        for (String type : TYPES) {
            assertThat(refusal(path, type)).hasMessage("invalid HostPath `" + path + "`: must not contain '..'");
        }
    }

    @Test
    void setUp_relativePath_fails() {
        assertThat(refusal("data", "")).hasMessage("invalid HostPath `data`: must be an absolute path");
        assertThat(refusal("", "")).hasMessage("invalid HostPath ``: must be an absolute path");
        assertThat(refusal("/a\0b", "").reason()).isEqualTo("InvalidPath");
    }

    @Test
    void setUp_ownDirectory_failsAlsoThroughLinks() throws Exception {
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
        assertThat(HostMachine.below(layout.root())).containsExactly("pods", "pods/uid-2");
    }

    @Test
    void setUp_provisionedVolumeInDefaultBase_succeeds() throws Exception {
        Path data = Files.createDirectories(layout.root().resolve("volumes/hostpath/team/claim"));

        assertThat(setUp(data, "Directory")).isEqualTo(SetUpResult.at(data));
    }

    @Test
    void tearDown_createdDirectory_isKept() throws Exception {
        setUp(base.resolve("made"), "DirectoryOrCreate");
        Path target = layout.volume("uid-1", HostPathPlugin.NAME, "data");
        plugin.tearDown(
                new TearDownRequest("v", "data", "uid-1", target, VolumeMode.FILESYSTEM, ""), OperationProgress.NO_OP);

        assertThat(base.resolve("made")).isDirectory();
        assertThat(mounter.calls())
                .as("only its mount point, which does not exist")
                .containsExactly("removeDirectory " + layout.root().relativize(target));
    }

    @ParameterizedTest
    @ValueSource(strings = {"DirectoryOrCreate", "FileOrCreate"})
    void setUp_crashAtAnySystemCall_recovers(String type) throws Exception {
        boolean crashed = true;
        for (int at = 0; crashed; at++) {
            assertThat(at).isLessThan(300);
            Path path = base.resolve("crash-" + type + at);
            SetUpRequest request = setUpRequest(path.toString(), type);
            try {
                plugin(FaultySystemCalls.after(at)).setUp(request, OperationProgress.NO_OP);
                crashed = false;
            } catch (FaultySystemCalls.Crash expected) {
                plugin.setUp(request, OperationProgress.NO_OP);
            }
            assertThat(HostMachine.permissions(path)).isEqualTo(type.startsWith("File") ? "644" : "755");
        }
    }

    @Test
    void setUp_kernelWithoutOpenat2_succeeds() throws Exception {
        plugin = plugin(FaultySystemCalls.openat2(38));

        setUp(base.resolve("a/b"), "DirectoryOrCreate");
        setUp(base.resolve("a/f"), "FileOrCreate");

        assertThat(result(Path.of("/dev/null"), "CharDevice")).isEqualTo("ok");
        assertThat(base.resolve("a/f")).isEmptyFile();
    }

    @Test
    void workerPool_isPerTopLevelDirectory() {
        assertThat(plugin.workerPool(setUpRequest("/mnt/nas/x", "").volume()))
                .isEqualTo(new WorkerPoolKey("host", "mnt"));
        assertThat(plugin.workerPool(setUpRequest("/srv", "").volume())).isEqualTo(new WorkerPoolKey("host", "srv"));
        assertThat(plugin.workerPool(setUpRequest("/", "").volume())).isEqualTo(new WorkerPoolKey("host", ""));
    }

    @Test
    void plugin_supportsOnlyHostPathsAndFourMountOptions() {
        assertThat(plugin.name()).isEqualTo("kubernetes.io/host-path");
        assertThat(plugin.supports(setUpRequest("/x", "").volume().source())).isTrue();
        assertThat(plugin.supports(JsonNodeFactory.instance.objectNode())).isFalse();
        assertThat(plugin.mountOptionsError(List.of("suid", "dev", "nosuid", "nodev")))
                .isEmpty();
        assertThat(plugin.mountOptionsError(List.of("suid", "ro")))
                .contains(
                        "unsupported volume type: kubernetes.io/host-path takes no mountOptions but suid, nosuid, dev,"
                                + " nodev: found ro");
    }
}
