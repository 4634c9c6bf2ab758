package dev.mooring.chaos.path;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.chaos.path.AttackRun.RoundResult;
import dev.mooring.host.ChildProcess;
import dev.mooring.host.HostMachine;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.HostPathGrant;
import dev.mooring.model.ObjectKey;
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
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.content.ConfigMapPlugin;
import dev.mooring.volume.emptydir.EmptyDirPlugin;
import dev.mooring.volume.hostpath.HostPathPlugin;
import dev.mooring.volume.subpath.GroupOwnership;
import dev.mooring.volume.subpath.SubPathRequest;
import dev.mooring.volume.subpath.SubPaths;
import dev.mooring.volume.work.DirectorySize;
import dev.mooring.volume.work.PodDirectory;
import dev.mooring.volume.work.PodDirectoryRemoval;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Attacks the paths that the node uses for Pods: subPaths, hostPaths, directories and volumes of Pods. Some attackers
 * can do what a container can, others more.
 */
@Timeout(600)
@Tag("chaos")
class PodPathAttackTest {
    private static final String POD = "0f3a";
    private static final Duration DEADLINE = Duration.ofSeconds(20);

    @TempDir
    Path temp;

    private Path node;
    private NodeLayout layout;
    private ProtectedFiles protectedFiles;
    private LinuxMounter mounter;
    private PluginContext context;
    private int version;

    @BeforeEach
    void createNode() throws IOException {
        HostMachine.assumeRoot();
        Path root = temp.toRealPath();
        node = Files.createDirectory(root.resolve("node"));
        layout = new NodeLayout(Files.createDirectory(node.resolve("own")));
        protectedFiles = ProtectedFiles.in(root);
        ChildProcess commands = new ChildProcess();
        mounter = new LinuxMounter(layout, SystemCalls.real(), commands);
        context = new PluginContext(
                layout, mounter, commands, SystemCalls.real(), this::object, Clock.systemUTC(), DEADLINE);
        Files.createDirectories(layout.pod(POD));
    }

    @AfterEach
    void unmountAll() throws Exception {
        if (node != null) {
            AttackRun.unmountBelow(node.getParent());
        }
    }

    /** Returns a ConfigMap whose content differs each time. */
    private Optional<ObjectNode> object(ObjectKey key) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.putObject("data").put("a", "a").put("b", "b" + version++);
        object.putObject("metadata").put("name", key.name()).put("uid", "u").put("resourceVersion", "" + version);
        return Optional.of(object);
    }

    private SetUpRequest setUpRequest(VolumePlugin plugin, ObjectNode source, Optional<FsGroup> ownership) {
        ObjectNode pod = JsonNodeFactory.instance.objectNode();
        ObjectNode metadata = pod.putObject("metadata");
        metadata.put("name", "web").put("namespace", "team").put("uid", POD);
        metadata.putObject("annotations")
                .put(HostPathGrant.ANNOTATION, node.resolve("srv").toString());
        pod.putObject("spec").putArray("volumes").addObject().put("name", "v").setAll(source);
        return new SetUpRequest(
                new VolumeSpec("v", "v", source, VolumeMode.FILESYSTEM, List.of(), 0),
                new PodIdentity("team", "web", POD),
                layout.volume(POD, plugin.name(), "v"),
                Access.READ_WRITE,
                Optional.empty(),
                ownership,
                pod);
    }

    private static void tearDown(VolumePlugin plugin, SetUpRequest setUp) throws VolumeException, InterruptedException {
        plugin.tearDown(
                new TearDownRequest("v", "v", POD, setUp.target(), VolumeMode.FILESYSTEM, ""), OperationProgress.NO_OP);
    }

    private static ObjectNode source(String field) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject(field);
        return source;
    }

    private void assertNotOutside(Path shown) throws IOException {
        assertThat(protectedFiles.has(shown))
                .as("%s is a protected file", shown)
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a/b", "a/b/new/one"})
    void subPaths_pathsReplaced_exposeNothingOutside(String subPath) throws Exception {
        Path volume = Files.createDirectories(layout.volume(POD, EmptyDirPlugin.NAME, "v"));
        Files.createDirectories(volume.resolve("a/b"));
        SubPaths subPaths = new SubPaths(layout, mounter, SystemCalls.real(), new ChildProcess(), DEADLINE);
        SubPathRequest request = new SubPathRequest(
                volume, subPath, new SubPathRequest.SubPathOwner(POD, "v", "v", "web", 0), Access.READ_WRITE);
        try (AttackRun attackRun = new AttackRun("subPath " + subPath, node, protectedFiles)) {
            attackRun
                    .attack(volume.resolve("a"), Decoy.ofContainers())
                    .attack(volume.resolve("a/b"), Decoy.ofContainers())
                    .run(round -> {
                        TestFileOperations.makeBelow(volume, List.of("a", "b"));
                        try {
                            assertNotOutside(subPaths.prepare(request));
                        } finally {
                            subPaths.clean(POD, "v");
                        }
                        return RoundResult.UNDISTURBED;
                    });
        }
    }

    /** The grant of the Pod allows only paths below srv. */
    @ParameterizedTest
    @ValueSource(strings = {"", "Directory", "DirectoryOrCreate", "FileOrCreate"})
    void hostPath_pathsReplaced_exposesNothingOutside(String type) throws Exception {
        Path srv = Files.createDirectory(node.resolve("srv"));
        Files.createDirectories(srv.resolve("a/b"));
        HostPathPlugin plugin = new HostPathPlugin(context);
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        String name = type.equals("Directory") ? "b" : "new";
        source.putObject("hostPath")
                .put("path", srv.resolve("a").resolve(name).toString())
                .put("type", type);
        SetUpRequest request = setUpRequest(plugin, source, Optional.empty());
        try (AttackRun attackRun = new AttackRun("hostPath " + type, node, protectedFiles)) {
            attackRun
                    .attack(srv.resolve("a"), Decoy.ofContainers())
                    .attack(srv.resolve("a").resolve(name), Decoy.ofContainers())
                    .run(round -> {
                        TestFileOperations.makeBelow(srv, List.of("a", "b"));
                        try {
                            assertNotOutside(plugin.setUp(request, OperationProgress.NO_OP)
                                    .path());
                        } finally {
                            tearDown(plugin, request);
                        }
                        if (round % 4 == 0) {
                            TestFileOperations.empty(srv);
                        }
                        return RoundResult.UNDISTURBED;
                    });
        }
    }

    @Test
    void emptyDir_pathsReplaced_changesNothingOutside() throws Exception {
        EmptyDirPlugin plugin = new EmptyDirPlugin(context);
        SetUpRequest request = setUpRequest(
                plugin, source("emptyDir"), Optional.of(new FsGroup(1234, FsGroup.FsGroupChangePolicy.ALWAYS)));
        Path above = request.target().getParent();
        try (AttackRun attackRun = new AttackRun("emptyDir", node, protectedFiles)) {
            attackRun
                    .attack(request.target(), Decoy.withoutHardLinks())
                    .attack(request.target().resolve("sub"), Decoy.withoutHardLinks())
                    .attack(above, EnumSet.of(Decoy.LINK, Decoy.LINK_UP, Decoy.NOTHING))
                    .run(round -> {
                        plugin.setUp(request, OperationProgress.NO_OP);
                        TestFileOperations.makeBelow(request.target(), List.of("sub", "inner"));
                        tearDown(plugin, request);
                        return RoundResult.UNDISTURBED;
                    });
        }
    }

    @Test
    void configMap_pathsReplaced_changesNothingOutside() throws Exception {
        VolumePlugin plugin = new ConfigMapPlugin(context);
        ObjectNode source = source("configMap");
        ((ObjectNode) source.get("configMap")).put("name", "conf");
        SetUpRequest request =
                setUpRequest(plugin, source, Optional.of(new FsGroup(1234, FsGroup.FsGroupChangePolicy.ALWAYS)));
        Set<Decoy> decoys = EnumSet.of(
                Decoy.LINK, Decoy.LINK_UP, Decoy.LOOP, Decoy.FIFO, Decoy.FILE, Decoy.DIRECTORY, Decoy.DANGLING);
        try (AttackRun attackRun = new AttackRun("configMap", node, protectedFiles)) {
            attackRun
                    .attack(request.target(), Decoy.ofContainers())
                    .attack(request.target().resolve("..data"), decoys)
                    .attack(request.target().resolve("a"), decoys)
                    .run(round -> {
                        SetUpResult done = plugin.setUp(request, OperationProgress.NO_OP);
                        assertThat(done.path()).isEqualTo(request.target());
                        if (round % 4 == 0) {
                            tearDown(plugin, request);
                        }
                        return RoundResult.UNDISTURBED;
                    });
        }
    }

    @Test
    void fsGroup_pathsReplaced_changesNothingOutside() throws Exception {
        Path volume = Files.createDirectory(node.resolve("volume"));
        GroupOwnership ownership = new GroupOwnership(SystemCalls.real(), Clock.systemUTC());
        try (AttackRun attackRun = new AttackRun("fsGroup", node, protectedFiles)) {
            attackRun
                    .attack(volume, EnumSet.of(Decoy.LINK, Decoy.LINK_UP, Decoy.LOOP, Decoy.FIFO, Decoy.NOTHING))
                    .attack(volume.resolve("sub"), Decoy.withoutHardLinks())
                    .attack(volume.resolve("sub/inner"), Decoy.withoutHardLinks())
                    .run(round -> {
                        TestFileOperations.makeBelow(volume, List.of("sub", "inner", "deep"));
                        ownership.apply(
                                volume,
                                new FsGroup(2000 + round % 7, FsGroup.FsGroupChangePolicy.ALWAYS),
                                Access.READ_WRITE,
                                OperationProgress.NO_OP);
                        return RoundResult.UNDISTURBED;
                    });
        }
    }

    @Test
    void podDirectoryRemoval_pathsReplaced_changesNothingOutside() throws Exception {
        PodDirectory directory = new PodDirectory(layout, mounter, SystemCalls.real());
        Path pod = layout.pod(POD);
        try (AttackRun attackRun = new AttackRun("orphan", node, protectedFiles)) {
            attackRun
                    .attack(pod, Decoy.all())
                    .attack(pod.resolve("volumes"), Decoy.all())
                    .attack(pod.resolve("plugins/sub"), Decoy.all())
                    .attack(pod.resolve("volumes/v/inner"), Decoy.all())
                    .run(round -> {
                        TestFileOperations.makeBelow(layout.pods(), List.of(POD, "volumes", "v", "inner"));
                        TestFileOperations.makeBelow(layout.pods(), List.of(POD, "plugins", "sub", "deep"));
                        TestFileOperations.makeBelow(layout.pods(), List.of(POD, "containers", "web"));
                        PodDirectoryRemoval removal = directory.remove(POD);
                        assertThat(removal.toString()).doesNotContain(ProtectedFiles.SECRET);
                        if (round % 8 == 0) {
                            TestFileOperations.empty(layout.pods());
                        }
                        return removal instanceof PodDirectoryRemoval.Removed
                                ? RoundResult.UNDISTURBED
                                : RoundResult.DISTURBED;
                    });
        }
    }

    @Test
    void directorySize_pathsReplaced_countsNothingOutside() throws Exception {
        Path volume = Files.createDirectory(node.resolve("volume"));
        Files.createDirectories(volume.resolve("sub/inner/deep"));
        DirectorySize size = new DirectorySize(new ChildProcess());
        long undisturbedSize = size.of(volume);
        try (AttackRun attackRun = new AttackRun("du", node, protectedFiles)) {
            attackRun
                    .attack(volume.resolve("sub"), Decoy.ofContainers())
                    .attack(volume.resolve("sub/inner"), Decoy.ofContainers())
                    .run(round -> {
                        long measured = size.of(volume);
                        assertThat(measured).isLessThan(ProtectedFiles.FILE_BYTES);
                        TestFileOperations.makeBelow(volume, List.of("sub", "inner", "deep"));
                        return measured == undisturbedSize ? RoundResult.UNDISTURBED : RoundResult.DISTURBED;
                    });
        }
    }
}
