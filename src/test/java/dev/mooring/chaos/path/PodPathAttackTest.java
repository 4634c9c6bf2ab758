package dev.mooring.chaos.path;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.chaos.path.Siege.End;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.host.HostPathGrant;
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
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.content.ConfigMapPlugin;
import dev.mooring.volume.empty.EmptyDirPlugin;
import dev.mooring.volume.group.GroupOwnership;
import dev.mooring.volume.host.HostPathPlugin;
import dev.mooring.volume.mount.LinuxMounter;
import dev.mooring.volume.orphan.PodDirectory;
import dev.mooring.volume.orphan.Removal;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.ChildProcess;
import dev.mooring.volume.subpath.SubPathRequest;
import dev.mooring.volume.subpath.SubPaths;
import dev.mooring.volume.usage.DirectorySize;
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
 * What is done for Pods, while their containers, and others with more power than any container, bend the paths of it: parts of volumes, paths of
 * the machine, directories of Pods and what is in them.
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
    private Treasure treasure;
    private LinuxMounter mounter;
    private PluginParts parts;
    private int version;

    @BeforeEach
    void aNode() throws IOException {
        Machine.assumeRoot();
        Path root = temp.toRealPath();
        node = Files.createDirectory(root.resolve("node"));
        layout = new NodeLayout(Files.createDirectory(node.resolve("own")));
        treasure = Treasure.in(root);
        ChildProcess commands = new ChildProcess();
        mounter = new LinuxMounter(layout, SystemCalls.real(), commands);
        parts = new PluginParts(
                layout, mounter, commands, SystemCalls.real(), this::object, Clock.systemUTC(), DEADLINE);
        Files.createDirectories(layout.pod(POD));
    }

    @AfterEach
    void nothingStaysMounted() throws Exception {
        if (node != null) {
            Siege.unmountBelow(node.getParent());
        }
    }

    /** A ConfigMap that is another one each time. */
    private Optional<ObjectNode> object(ObjectKey key) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.putObject("data").put("a", "a").put("b", "b" + version++);
        object.putObject("metadata").put("name", key.name()).put("uid", "u").put("resourceVersion", "" + version);
        return Optional.of(object);
    }

    private SetUp wanting(VolumePlugin plugin, ObjectNode source, Optional<Ownership> ownership) {
        ObjectNode pod = JsonNodeFactory.instance.objectNode();
        ObjectNode metadata = pod.putObject("metadata");
        metadata.put("name", "web").put("namespace", "team").put("uid", POD);
        metadata.putObject("annotations")
                .put(HostPathGrant.ANNOTATION, node.resolve("srv").toString());
        pod.putObject("spec").putArray("volumes").addObject().put("name", "v").setAll(source);
        return new SetUp(
                new VolumeSpec("v", "v", source, VolumeMode.FILESYSTEM, List.of(), 0),
                new PodIdentity("team", "web", POD),
                layout.volume(POD, plugin.name(), "v"),
                Access.READ_WRITE,
                Optional.empty(),
                ownership,
                pod);
    }

    private static void tearDown(VolumePlugin plugin, SetUp what) throws VolumeException, InterruptedException {
        plugin.tearDown(new TearDown("v", "v", POD, what.target(), VolumeMode.FILESYSTEM, ""), Progress.IGNORED);
    }

    private static ObjectNode source(String field) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject(field);
        return source;
    }

    private void mustNotBeOutside(Path shown) throws IOException {
        assertThat(treasure.has(shown)).as("%s is the treasure", shown).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a/b", "a/b/new/one"})
    void showsPartsOfVolumes(String subPath) throws Exception {
        Path volume = Files.createDirectories(layout.volume(POD, EmptyDirPlugin.NAME, "v"));
        Files.createDirectories(volume.resolve("a/b"));
        SubPaths subPaths = new SubPaths(layout, mounter, SystemCalls.real(), new ChildProcess(), DEADLINE);
        SubPathRequest request =
                new SubPathRequest(volume, subPath, new SubPathRequest.Use(POD, "v", "v", "web", 0), Access.READ_WRITE);
        try (Siege siege = new Siege("subPath " + subPath, node, treasure)) {
            siege.attack(volume.resolve("a"), Decoy.ofContainers())
                    .attack(volume.resolve("a/b"), Decoy.ofContainers())
                    .run(round -> {
                        Hands.makeBelow(volume, List.of("a", "b"));
                        try {
                            mustNotBeOutside(subPaths.set(request));
                        } finally {
                            subPaths.clean(POD, "v");
                        }
                        return End.AS_IF_ALONE;
                    });
        }
    }

    /** The Pod was granted what is below srv, and nothing else. */
    @ParameterizedTest
    @ValueSource(strings = {"", "Directory", "DirectoryOrCreate", "FileOrCreate"})
    void bindsPathsOfTheMachine(String type) throws Exception {
        Path srv = Files.createDirectory(node.resolve("srv"));
        Files.createDirectories(srv.resolve("a/b"));
        HostPathPlugin plugin = new HostPathPlugin(parts);
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        String name = type.equals("Directory") ? "b" : "new";
        source.putObject("hostPath")
                .put("path", srv.resolve("a").resolve(name).toString())
                .put("type", type);
        SetUp wanted = wanting(plugin, source, Optional.empty());
        try (Siege siege = new Siege("hostPath " + type, node, treasure)) {
            siege.attack(srv.resolve("a"), Decoy.ofContainers())
                    .attack(srv.resolve("a").resolve(name), Decoy.ofContainers())
                    .run(round -> {
                        Hands.makeBelow(srv, List.of("a", "b"));
                        try {
                            mustNotBeOutside(
                                    plugin.setUp(wanted, Progress.IGNORED).path());
                        } finally {
                            tearDown(plugin, wanted);
                        }
                        if (round % 4 == 0) {
                            Hands.empty(srv);
                        }
                        return End.AS_IF_ALONE;
                    });
        }
    }

    @Test
    void makesAndDeletesEmptyDirs() throws Exception {
        EmptyDirPlugin plugin = new EmptyDirPlugin(parts);
        SetUp wanted = wanting(plugin, source("emptyDir"), Optional.of(new Ownership(1234, Ownership.When.ALWAYS)));
        Path above = wanted.target().getParent();
        try (Siege siege = new Siege("emptyDir", node, treasure)) {
            siege.attack(wanted.target(), Decoy.withoutHardLinks())
                    .attack(wanted.target().resolve("sub"), Decoy.withoutHardLinks())
                    .attack(above, EnumSet.of(Decoy.LINK, Decoy.LINK_UP, Decoy.NOTHING))
                    .run(round -> {
                        plugin.setUp(wanted, Progress.IGNORED);
                        Hands.makeBelow(wanted.target(), List.of("sub", "inner"));
                        tearDown(plugin, wanted);
                        return End.AS_IF_ALONE;
                    });
        }
    }

    @Test
    void writesFilesOfObjects() throws Exception {
        VolumePlugin plugin = new ConfigMapPlugin(parts);
        ObjectNode source = source("configMap");
        ((ObjectNode) source.get("configMap")).put("name", "conf");
        SetUp wanted = wanting(plugin, source, Optional.of(new Ownership(1234, Ownership.When.ALWAYS)));
        Set<Decoy> decoys = EnumSet.of(
                Decoy.LINK, Decoy.LINK_UP, Decoy.LOOP, Decoy.FIFO, Decoy.FILE, Decoy.DIRECTORY, Decoy.DANGLING);
        try (Siege siege = new Siege("configMap", node, treasure)) {
            siege.attack(wanted.target(), Decoy.ofContainers())
                    .attack(wanted.target().resolve("..data"), decoys)
                    .attack(wanted.target().resolve("a"), decoys)
                    .run(round -> {
                        SetUpDone done = plugin.setUp(wanted, Progress.IGNORED);
                        assertThat(done.path()).isEqualTo(wanted.target());
                        if (round % 4 == 0) {
                            tearDown(plugin, wanted);
                        }
                        return End.AS_IF_ALONE;
                    });
        }
    }

    @Test
    void handsVolumesToTheirGroup() throws Exception {
        Path volume = Files.createDirectory(node.resolve("volume"));
        GroupOwnership ownership = new GroupOwnership(SystemCalls.real(), Clock.systemUTC());
        try (Siege siege = new Siege("fsGroup", node, treasure)) {
            siege.attack(volume, EnumSet.of(Decoy.LINK, Decoy.LINK_UP, Decoy.LOOP, Decoy.FIFO, Decoy.NOTHING))
                    .attack(volume.resolve("sub"), Decoy.withoutHardLinks())
                    .attack(volume.resolve("sub/inner"), Decoy.withoutHardLinks())
                    .run(round -> {
                        Hands.makeBelow(volume, List.of("sub", "inner", "deep"));
                        ownership.apply(
                                volume,
                                new Ownership(2000 + round % 7, Ownership.When.ALWAYS),
                                Access.READ_WRITE,
                                Progress.IGNORED);
                        return End.AS_IF_ALONE;
                    });
        }
    }

    @Test
    void removesDirectoriesOfPodsThatAreGone() throws Exception {
        PodDirectory directory = new PodDirectory(layout, mounter, SystemCalls.real());
        Path pod = layout.pod(POD);
        try (Siege siege = new Siege("orphan", node, treasure)) {
            siege.attack(pod, Decoy.all())
                    .attack(pod.resolve("volumes"), Decoy.all())
                    .attack(pod.resolve("plugins/sub"), Decoy.all())
                    .attack(pod.resolve("volumes/v/inner"), Decoy.all())
                    .run(round -> {
                        Hands.makeBelow(layout.pods(), List.of(POD, "volumes", "v", "inner"));
                        Hands.makeBelow(layout.pods(), List.of(POD, "plugins", "sub", "deep"));
                        Hands.makeBelow(layout.pods(), List.of(POD, "containers", "web"));
                        Removal removal = directory.remove(POD);
                        assertThat(removal.toString()).doesNotContain(Treasure.SECRET);
                        if (round % 8 == 0) {
                            Hands.empty(layout.pods());
                        }
                        return removal instanceof Removal.Removed ? End.AS_IF_ALONE : End.DISTURBED;
                    });
        }
    }

    /** Nothing outside is counted. */
    @Test
    void measuresDirectories() throws Exception {
        Path volume = Files.createDirectory(node.resolve("volume"));
        Files.createDirectories(volume.resolve("sub/inner/deep"));
        DirectorySize size = new DirectorySize(new ChildProcess());
        long alone = size.of(volume);
        try (Siege siege = new Siege("du", node, treasure)) {
            siege.attack(volume.resolve("sub"), Decoy.ofContainers())
                    .attack(volume.resolve("sub/inner"), Decoy.ofContainers())
                    .run(round -> {
                        long found = size.of(volume);
                        assertThat(found).isLessThan(Treasure.HOARD_BYTES);
                        Hands.makeBelow(volume, List.of("sub", "inner", "deep"));
                        return found == alone ? End.AS_IF_ALONE : End.DISTURBED;
                    });
        }
    }
}
