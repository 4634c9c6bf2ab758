package dev.mooring.chaos.path;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.host.ChildProcess;
import dev.mooring.host.HostMachine;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.HostPathGrant;
import dev.mooring.model.view.BlockSource;
import dev.mooring.model.view.HostPathSource;
import dev.mooring.model.view.LocalSource;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.model.view.VolumeOperation.OperationType;
import dev.mooring.volume.Access;
import dev.mooring.volume.LinuxMounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.PodIdentity;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.block.BlockPlugin;
import dev.mooring.volume.hostpath.HostPathPlugin;
import dev.mooring.volume.local.LocalPlugin;
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

/** Tests hostile paths in user input: an operation refuses them with a message or works only where it may. */
class HostileNamesTest {
    private static final String UID = "0123abcd-1947-4000-8000-00000000000a";
    private static final String POD = "0f3a";

    @TempDir
    Path temp;

    private Path node;
    private Path allowed;
    private Path volume;
    private ProtectedFiles protectedFiles;
    private NodeLayout layout;
    private VolumeWorkers workers;
    private SubPaths subPaths;
    private PluginContext context;

    @BeforeEach
    void createNode() throws IOException {
        HostMachine.assumeRoot();
        Path root = temp.toRealPath();
        node = Files.createDirectory(root.resolve("node"));
        allowed = Files.createDirectory(node.resolve("allowed"));
        volume = Files.createDirectories(node.resolve("srv/volume"));
        protectedFiles = ProtectedFiles.in(root);
        createLinks();
        layout = new NodeLayout(Files.createDirectory(node.resolve("own")));
        ChildProcess commands = new ChildProcess();
        LinuxMounter mounter = new LinuxMounter(layout, SystemCalls.real(), commands);
        Duration deadline = Duration.ofSeconds(20);
        context = new PluginContext(
                layout, mounter, commands, SystemCalls.real(), key -> Optional.empty(), Clock.systemUTC(), deadline);
        workers = VolumeWorkers.of(WorkerSettings.below(
                Files.createDirectory(node.resolve("data")), List.of(allowed), NfsSettings.none()));
        subPaths = new SubPaths(layout, mounter, SystemCalls.real(), commands, deadline);
    }

    @AfterEach
    void unmountAll() throws Exception {
        if (node != null) {
            AttackRun.unmountBelow(node.getParent());
        }
    }

    /** Returns hostile paths; OUT stands for the path of the protected files. */
    private static List<String> hostilePaths() {
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
                "../outside/protected",
                "../../outside/protected",
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
                "\uff0e\uff0e/protected",
                "\u2024\u2024/protected",
                "\u2025/protected",
                "..\u2215protected",
                "..\uff0fprotected",
                "%2e%2e/%2e%2e/protected",
                "..%2fprotected",
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
        void run(String path) throws Exception;
    }

    /** Runs an operation, which may succeed or fail with a known exception, but not otherwise. */
    private void attempt(String what, String hostilePath, Trial trial) throws Exception {
        String text = hostilePath.replace("OUT", protectedFiles.root().toString());
        String shown = what + " \"" + text.replace("\0", "\\0") + '"';
        try {
            trial.run(text);
        } catch (VolumeException | VolumeWorkException e) {
            assertThat(e.getMessage()).as(shown).isNotBlank().doesNotContain(ProtectedFiles.SECRET);
            assertThat(e.getMessage().indexOf('\0')).as(shown).isNegative();
        }
    }

    private static VolumeWork work(
            OperationType work,
            String provisioner,
            String path,
            Optional<ObjectNode> source,
            Map<String, String> parameters) {
        return new VolumeWork(
                work,
                provisioner,
                "pv-a",
                UID,
                path,
                source,
                VolumeMode.FILESYSTEM,
                1 << 20,
                parameters,
                Optional.empty());
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

    private interface PathTable {
        void row(String hostilePath) throws Exception;
    }

    /** Runs the table for each path and checks the protected files afterwards. */
    private void forEachHostilePath(PathTable table) throws Exception {
        for (String hostilePath : hostilePaths()) {
            String shown = hostilePath.replace("\0", "\\0");
            table.row(hostilePath);
            AttackRun.unmountBelow(layout.root());
            protectedFiles.assertUnchanged(shown);
            TestFileOperations.empty(volume);
            TestFileOperations.empty(allowed);
            createLinks();
        }
        protectedFiles.assertNotLeakedBelow(node, "all");
    }

    private void createLinks() throws IOException {
        Files.createSymbolicLink(allowed.resolve("evil"), protectedFiles.root());
        Files.createSymbolicLink(volume.resolve("evil"), protectedFiles.root());
    }

    @Test
    void provisioners_hostilePathOrParameter_changeNothingOutside() throws Exception {
        forEachHostilePath(this::useAsPathAndParameterOfClass);
    }

    private void useAsPathAndParameterOfClass(String hostilePath) throws Exception {
        for (String provisioner :
                List.of(HostPathSource.PROVISIONER, LocalSource.PROVISIONER, BlockSource.PROVISIONER)) {
            for (OperationType work : List.of(OperationType.PROVISION, OperationType.DELETE)) {
                attempt(
                        provisioner + " " + work + " pathPattern",
                        hostilePath,
                        text -> workers.perform(work(
                                work, provisioner, text, Optional.empty(), Map.of("basePath", allowed.toString()))));
                for (String parameter : List.of("basePath", "mode", "uid", "onDelete", "fsType")) {
                    attempt(
                            provisioner + " " + work + " " + parameter,
                            hostilePath,
                            text -> workers.perform(
                                    work(work, provisioner, "claim", Optional.empty(), Map.of(parameter, text))));
                }
                attempt(
                        provisioner + " " + work + " basePath below",
                        hostilePath,
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
    void volumeWork_hostilePathOfVolume_changesNothingOutside() throws Exception {
        forEachHostilePath(this::useAsPathOfVolume);
    }

    private void useAsPathOfVolume(String hostilePath) throws Exception {
        Map<String, String> kinds = Map.of(
                "hostPath",
                HostPathSource.PROVISIONER,
                "local",
                LocalSource.PROVISIONER,
                "csi",
                BlockSource.PROVISIONER);
        for (Map.Entry<String, String> kind : kinds.entrySet()) {
            for (OperationType work : List.of(OperationType.DELETE, OperationType.SCRUB, OperationType.GROW)) {
                for (String prefix : List.of("", allowed + "/", allowed.resolve("evil") + "/../")) {
                    // Scrub empties the path that the administrator names, so the protected files are not named here.
                    boolean intended = work == OperationType.SCRUB && prefix.isEmpty() && hostilePath.contains("OUT");
                    if (!intended) {
                        attempt(
                                kind.getKey() + " " + work + " " + prefix,
                                hostilePath,
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
    void subPath_hostileName_exposesNothingOutside() throws Exception {
        forEachHostilePath(this::useAsSubPath);
    }

    private void useAsSubPath(String hostilePath) throws Exception {
        SubPathRequest.SubPathOwner owner = new SubPathRequest.SubPathOwner(POD, "v", "v", "web", 0);
        attempt("subPath", hostilePath, text -> {
            try {
                Path shown = subPaths.prepare(new SubPathRequest(volume, text, owner, Access.READ_WRITE));
                assertThat(protectedFiles.has(shown)).isFalse();
            } finally {
                subPaths.clean(POD, "v");
            }
        });
        attempt("subPathExpr", hostilePath, text -> {
            String expanded = SubPathExpr.expand("$(NAME)/x", Map.of("NAME", text));
            try {
                Path shown = subPaths.prepare(new SubPathRequest(volume, expanded, owner, Access.READ_ONLY));
                assertThat(protectedFiles.has(shown)).isFalse();
            } finally {
                subPaths.clean(POD, "v");
            }
        });
    }

    @Test
    void plugins_hostileSourcePath_exposeNothingOutside() throws Exception {
        forEachHostilePath(this::useAsSourcePath);
    }

    private void useAsSourcePath(String hostilePath) throws Exception {
        HostPathPlugin plugin = new HostPathPlugin(context);
        for (String type : List.of("", "DirectoryOrCreate", "FileOrCreate")) {
            for (String prefix : List.of("", volume + "/")) {
                attempt("hostPath " + type, hostilePath, text -> {
                    ObjectNode source = source("hostPath", prefix + text);
                    ((ObjectNode) source.get("hostPath")).put("type", type);
                    Path shown = plugin.setUp(confined(source, plugin.name()), OperationProgress.NO_OP)
                            .path();
                    assertThat(protectedFiles.has(shown)).isFalse();
                });
            }
        }
        attempt("local", hostilePath, text -> {
            LocalPlugin local = new LocalPlugin(context);
            local.mountDevice(
                    confined(source("local", text), local.name()).volume(),
                    "",
                    Access.READ_WRITE,
                    OperationProgress.NO_OP);
        });
        attempt("image", hostilePath, text -> {
            BlockPlugin block = new BlockPlugin(context);
            block.attach(confined(source("csi", text), block.name()).volume(), OperationProgress.NO_OP);
        });
    }

    private SetUpRequest confined(ObjectNode source, String plugin) {
        ObjectNode pod = JsonNodeFactory.instance.objectNode();
        pod.putObject("metadata").putObject("annotations").put(HostPathGrant.ANNOTATION, volume.toString());
        pod.putObject("spec").putArray("volumes").addObject().put("name", "v").setAll(source);
        return new SetUpRequest(
                new VolumeSpec("v", "v", source, VolumeMode.FILESYSTEM, List.of(), 0),
                new PodIdentity("team", "web", POD),
                layout.volume(POD, plugin, "v"),
                Access.READ_WRITE,
                Optional.empty(),
                Optional.empty(),
                pod);
    }
}
