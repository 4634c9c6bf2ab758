package dev.mooring.chaos.path;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.host.HostPathGrant;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.model.view.VolumeOperation.Work;
import dev.mooring.volume.Access;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.PodIdentity;
import dev.mooring.volume.Progress;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.block.BlockPlugin;
import dev.mooring.volume.host.HostPathPlugin;
import dev.mooring.volume.local.LocalPlugin;
import dev.mooring.volume.mount.LinuxMounter;
import dev.mooring.volume.path.Machine;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.ChildProcess;
import dev.mooring.volume.subpath.SubPathExpr;
import dev.mooring.volume.subpath.SubPathRequest;
import dev.mooring.volume.subpath.SubPaths;
import dev.mooring.volume.work.NfsSettings;
import dev.mooring.volume.work.VolumeWork;
import dev.mooring.volume.work.VolumeWorkException;
import dev.mooring.volume.work.VolumeWorkers;
import dev.mooring.volume.work.WorkerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Words that a user may write where a path is expected. What is not refused stays where it belongs; what is refused is said in words. */
class HostileNamesTest {
    private static final String UID = "0123abcd-1947-4000-8000-00000000000a";
    private static final String POD = "0f3a";

    @TempDir
    Path temp;

    private Path node;
    private Path allowed;
    private Path volume;
    private Treasure treasure;
    private NodeLayout layout;
    private VolumeWorkers workers;
    private SubPaths subPaths;
    private PluginParts parts;

    @BeforeEach
    void aNode() throws IOException {
        Machine.assumeRoot();
        Path root = temp.toRealPath();
        node = Files.createDirectory(root.resolve("node"));
        allowed = Files.createDirectory(node.resolve("allowed"));
        volume = Files.createDirectories(node.resolve("srv/volume"));
        treasure = Treasure.in(root);
        plantLinks();
        layout = new NodeLayout(Files.createDirectory(node.resolve("own")));
        ChildProcess commands = new ChildProcess();
        LinuxMounter mounter = new LinuxMounter(layout, SystemCalls.real(), commands);
        Duration deadline = Duration.ofSeconds(20);
        parts = new PluginParts(
                layout, mounter, commands, SystemCalls.real(), key -> Optional.empty(), Clock.systemUTC(), deadline);
        workers = VolumeWorkers.of(WorkerSettings.below(
                Files.createDirectory(node.resolve("data")), List.of(allowed), NfsSettings.none()));
        subPaths = new SubPaths(layout, mounter, SystemCalls.real(), commands, deadline);
    }

    @AfterEach
    void nothingStaysMounted() throws Exception {
        if (node != null) {
            Siege.unmountBelow(node.getParent());
        }
    }

    /** OUT stands for the outside. */
    private static List<String> hostileWords() {
        return List.of(
                "",
                ".",
                "..",
                "/",
                "//",
                "./",
                "../",
                "./.",
                "a/..",
                "a/../..",
                "../outside/treasure",
                "../../outside/treasure",
                "../".repeat(40) + "OUT",
                "OUT",
                "/OUT",
                "//OUT//",
                "OUT/",
                "OUT/.",
                "evil",
                "evil/",
                "evil/a",
                "evil/a/b",
                "evil/../a",
                "./evil/./a",
                "evil//a",
                "a\0b",
                "a\0/../evil",
                "\0",
                "a\nb",
                "\n",
                "a\r\nevil",
                "a\tb",
                " ",
                " ../a",
                ".. /a",
                "a\\..\\b",
                "\uff0e\uff0e/treasure",
                "\u2024\u2024/treasure",
                "\u2025/treasure",
                "..\u2215treasure",
                "..\uff0ftreasure",
                "%2e%2e/%2e%2e/treasure",
                "..%2ftreasure",
                "\u202e..",
                "\ud800",
                "..\ud800",
                "-rf",
                "--help",
                "-o/evil",
                "$(reboot)",
                "`id`",
                "a;b|c&d",
                "*",
                "~root",
                "~/.ssh",
                ".mooring",
                ".mooring/x",
                ".mooring./x",
                "archived-x",
                "x".repeat(255),
                "x".repeat(256),
                "\u00e4".repeat(200),
                "x".repeat(5000),
                "a/".repeat(150));
    }

    private interface Trial {
        void run(String words) throws Exception;
    }

    /** Whether it succeeded or was refused: nothing else may happen. */
    private void tried(String what, String words, Trial trial) throws Exception {
        String text = words.replace("OUT", treasure.root().toString());
        String shown = what + " \"" + text.replace("\0", "\\0") + '"';
        try {
            trial.run(text);
        } catch (VolumeException | VolumeWorkException e) {
            assertThat(e.getMessage()).as(shown).isNotBlank().doesNotContain(Treasure.SECRET);
            assertThat(e.getMessage().indexOf('\0')).as(shown).isNegative();
        }
    }

    private static VolumeWork work(
            Work work, String provisioner, String path, Optional<ObjectNode> source, Map<String, String> parameters) {
        return new VolumeWork(work, provisioner, "pv-a", UID, path, source, VolumeMode.FILESYSTEM, 1 << 20, parameters);
    }

    private static ObjectNode source(String kind, String path) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        if (kind.equals("csi")) {
            source.putObject("csi")
                    .put("driver", StorageNames.BLOCK_DRIVER)
                    .put("volumeHandle", UID)
                    .putObject("volumeAttributes")
                    .put("image", path);
        } else {
            source.putObject(kind).put("path", path);
        }
        return source;
    }

    private interface Table {
        void row(String words) throws Exception;
    }

    /** In one place for all, since that is much to look at. */
    private void forEachOfThem(Table table) throws Exception {
        for (String words : hostileWords()) {
            String shown = words.replace("\0", "\\0");
            table.row(words);
            Siege.unmountBelow(layout.root());
            treasure.mustBeUntouched(shown);
            Hands.empty(volume);
            Hands.empty(allowed);
            plantLinks();
        }
        treasure.mustNotShowBelow(node, "all");
    }

    private void plantLinks() throws IOException {
        Files.createSymbolicLink(allowed.resolve("evil"), treasure.root());
        Files.createSymbolicLink(volume.resolve("evil"), treasure.root());
    }

    @Test
    void asPathsAndParametersOfClasses() throws Exception {
        forEachOfThem(this::asPathsAndParametersOfClasses);
    }

    private void asPathsAndParametersOfClasses(String words) throws Exception {
        for (String provisioner : List.of(
                StorageNames.HOST_PATH_PROVISIONER, StorageNames.LOCAL_PROVISIONER, StorageNames.BLOCK_PROVISIONER)) {
            for (Work work : List.of(Work.PROVISION, Work.DELETE)) {
                tried(
                        provisioner + " " + work + " pathPattern",
                        words,
                        text -> workers.perform(work(
                                work, provisioner, text, Optional.empty(), Map.of("basePath", allowed.toString()))));
                for (String parameter : List.of("basePath", "mode", "uid", "onDelete", "fsType")) {
                    tried(
                            provisioner + " " + work + " " + parameter,
                            words,
                            text -> workers.perform(
                                    work(work, provisioner, "claim", Optional.empty(), Map.of(parameter, text))));
                }
                tried(
                        provisioner + " " + work + " basePath below",
                        words,
                        text -> workers.perform(work(
                                work,
                                provisioner,
                                "claim",
                                Optional.empty(),
                                Map.of("basePath", allowed + "/" + text))));
            }
        }
    }

    @Test
    void asPathsOfVolumes() throws Exception {
        forEachOfThem(this::asPathsOfVolumes);
    }

    private void asPathsOfVolumes(String words) throws Exception {
        Map<String, String> kinds = Map.of(
                "hostPath",
                StorageNames.HOST_PATH_PROVISIONER,
                "local",
                StorageNames.LOCAL_PROVISIONER,
                "csi",
                StorageNames.BLOCK_PROVISIONER);
        for (Map.Entry<String, String> kind : kinds.entrySet()) {
            for (Work work : List.of(Work.DELETE, Work.SCRUB, Work.GROW)) {
                for (String prefix : List.of("", allowed + "/", allowed.resolve("evil") + "/../")) {
                    // What the administrator says is scrubbed, wherever it is; so not by the treasure's own name.
                    boolean meant = work == Work.SCRUB && prefix.isEmpty() && words.contains("OUT");
                    if (!meant) {
                        tried(
                                kind.getKey() + " " + work + " " + prefix,
                                words,
                                text -> workers.perform(work(
                                        work,
                                        kind.getValue(),
                                        "claim",
                                        Optional.of(source(kind.getKey(), prefix + text)),
                                        Map.of())));
                    }
                }
            }
        }
    }

    @Test
    void asPartsOfVolumes() throws Exception {
        forEachOfThem(this::asPartsOfVolumes);
    }

    private void asPartsOfVolumes(String words) throws Exception {
        SubPathRequest.Use use = new SubPathRequest.Use(POD, "v", "v", "web", 0);
        tried("subPath", words, text -> {
            try {
                Path shown = subPaths.set(new SubPathRequest(volume, text, use, Access.READ_WRITE));
                assertThat(treasure.has(shown)).isFalse();
            } finally {
                subPaths.clean(POD, "v");
            }
        });
        tried("subPathExpr", words, text -> {
            String expanded = SubPathExpr.expand("$(WORDS)/x", Map.of("WORDS", text));
            try {
                Path shown = subPaths.set(new SubPathRequest(volume, expanded, use, Access.READ_ONLY));
                assertThat(treasure.has(shown)).isFalse();
            } finally {
                subPaths.clean(POD, "v");
            }
        });
    }

    @Test
    void asPathsOfThisMachine() throws Exception {
        forEachOfThem(this::asPathsOfThisMachine);
    }

    private void asPathsOfThisMachine(String words) throws Exception {
        HostPathPlugin plugin = new HostPathPlugin(parts);
        for (String type : List.of("", "DirectoryOrCreate", "FileOrCreate")) {
            for (String prefix : List.of("", volume + "/")) {
                tried("hostPath " + type, words, text -> {
                    ObjectNode source = source("hostPath", prefix + text);
                    ((ObjectNode) source.get("hostPath")).put("type", type);
                    Path shown = plugin.setUp(confined(source, plugin.name()), Progress.IGNORED)
                            .path();
                    assertThat(treasure.has(shown)).isFalse();
                });
            }
        }
        tried("local", words, text -> {
            LocalPlugin local = new LocalPlugin(parts);
            local.mountDevice(
                    confined(source("local", text), local.name()).volume(), "", Access.READ_WRITE, Progress.IGNORED);
        });
        tried("image", words, text -> {
            BlockPlugin block = new BlockPlugin(parts);
            block.attach(confined(source("csi", text), block.name()).volume(), Progress.IGNORED);
        });
    }

    private SetUp confined(ObjectNode source, String plugin) {
        ObjectNode pod = JsonNodeFactory.instance.objectNode();
        pod.putObject("metadata").putObject("annotations").put(HostPathGrant.ANNOTATION, volume.toString());
        pod.putObject("spec").putArray("volumes").addObject().put("name", "v").setAll(source);
        return new SetUp(
                new VolumeSpec("v", "v", source, VolumeMode.FILESYSTEM, List.of(), 0),
                new PodIdentity("team", "web", POD),
                layout.volume(POD, plugin, "v"),
                Access.READ_WRITE,
                Optional.empty(),
                Optional.empty(),
                pod);
    }
}
