package dev.mooring.node.volumemanager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.StateStoreFixture;
import dev.mooring.host.MountTable;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.LocalSource;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.node.WorldPort;
import dev.mooring.volume.work.NfsSettings;
import dev.mooring.volume.work.VolumeWork;
import dev.mooring.volume.work.VolumeWorkers;
import dev.mooring.volume.work.WorkerSettings;
import dev.mooring.world.World;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests discovery on a real file system. */
class DirectoryScanTest {
    private static final Path MOUNTS = Path.of("/proc/self/mountinfo");

    @TempDir
    Path temporary;

    private static ScanResult scan(List<String> mounts, DiscoveryDirectory... directories) {
        return new DirectoryScan(MountTable.parse(String.join("\n", mounts))).of(List.of(directories));
    }

    private Path directory(String... entries) throws IOException {
        Path disks = Files.createDirectory(temporary.toRealPath().resolve("disks"));
        for (String each : entries) {
            Files.createDirectory(disks.resolve(each));
        }
        return disks;
    }

    private static List<String> names(ScanResult result) {
        return result.found().stream()
                .map(found -> found.path().getFileName() + " " + found.type())
                .sorted()
                .toList();
    }

    @Test
    void scan_findsDirectoriesButNotHiddenEntriesLinksOrFiles() throws IOException {
        Path disks = directory("a", "b b", ".mooring", ".hidden", "lost+found");
        Files.writeString(disks.resolve("file"), "x");
        Files.createSymbolicLink(disks.resolve("link"), temporary);
        Files.createSymbolicLink(disks.resolve("nowhere"), temporary.resolve("nothing"));
        ScanResult result = scan(Files.readAllLines(MOUNTS), new DiscoveryDirectory(disks, "local", false, false));
        assertThat(names(result)).containsExactly("a PLAIN", "b b PLAIN");
        assertThat(result.found().get(0).bytes())
                .isEqualTo(Files.getFileStore(disks).getTotalSpace());
        assertThat(result.scanned()).containsExactly(disks);
        assertThat(result.problems()).isEmpty();
    }

    @Test
    void scan_onlyMountPoints_findsMountedDirectoriesOnly() throws IOException {
        Path disks = directory("a", "b b");
        String line = "36 35 98:0 / " + disks + "/b\\040b rw,noatime shared:1 master:2 - ext4 /dev/sdb rw";
        assertThat(names(scan(List.of(line), new DiscoveryDirectory(disks, "local", true, false))))
                .containsExactly("b b MOUNTED");
    }

    @Test
    void scan_remoteFileSystem_isSkippedAndReported() throws IOException {
        Path disks = directory("a", "b");
        DiscoveryDirectory configured = new DiscoveryDirectory(disks, "local", false, false);
        ScanResult below = scan(List.of("36 35 0:5 / " + disks + "/a rw - nfs4 nas:/x rw"), configured);
        assertThat(names(below)).containsExactly("b PLAIN");
        assertThat(below.problems().toString()).contains(disks + "/a", "nfs4");
        for (String type : List.of("nfs", "cifs", "fuse.sshfs")) {
            ScanResult above = scan(
                    List.of(
                            "1 0 8:1 / / rw - ext4 x rw",
                            "36 35 0:5 / " + temporary.toRealPath() + " rw - " + type + " x rw"),
                    configured);
            assertThat(above.found()).isEmpty();
            assertThat(above.scanned()).isEmpty();
            assertThat(above.problems().toString()).contains(disks.toString(), "is on " + type);
        }
    }

    @Test
    void scan_missingOrLinkedDirectory_isReported() throws IOException {
        Path disks = directory("a");
        Path link = Files.createSymbolicLink(temporary.toRealPath().resolve("link"), disks);
        ScanResult result = scan(
                List.of(),
                new DiscoveryDirectory(disks.resolve("missing"), "local", false, false),
                new DiscoveryDirectory(link, "local", false, false));
        assertThat(result.scanned()).isEmpty();
        assertThat(result.problems()).hasSize(2);
        assertThat(result.problems().get(0)).contains("missing", "NoSuchFileException");
        assertThat(result.problems().get(1)).contains("is a symbolic link to " + disks);
    }

    @Test
    void scan_linkToBlockDevice_isFoundAsDevice() throws IOException {
        Path device = blockDevice();
        Path disks = directory();
        Files.createSymbolicLink(disks.resolve("disk"), device);
        ScanResult result = scan(List.of(), new DiscoveryDirectory(disks, "local", true, false));
        assertThat(names(result)).containsExactly("disk DEVICE");
        assertThat(result.found().get(0).bytes()).isPositive();
    }

    /**
     * Returns a block device of this machine with a size; aborts the test if there is none. Loop devices do not count:
     * other tests attach and detach them at any time.
     */
    private static Path blockDevice() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/sys/class/block"))) {
            for (Path each : all.filter(each -> !each.getFileName().toString().startsWith("loop"))
                    .sorted()
                    .toList()) {
                Path device = Path.of("/dev").resolve(each.getFileName());
                boolean sized = !Files.readString(each.resolve("size")).trim().equals("0");
                if (sized && Files.exists(device)) {
                    return device;
                }
            }
        }
        return abort("no block device");
    }

    private static int run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor();
    }

    @Test
    void scan_realTmpfs_isFoundAsMounted() throws Exception {
        Path disks = directory("a", "b");
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=1m", "none", disks + "/a") == 0,
                "mounting is not allowed here");
        try {
            ScanResult result = scan(Files.readAllLines(MOUNTS), new DiscoveryDirectory(disks, "local", true, false));
            assertThat(names(result)).containsExactly("a MOUNTED");
            assertThat(result.found().get(0).bytes()).isEqualTo(1 << 20);
            Files.createDirectories(disks.resolve("a/user/data"));
            Files.writeString(disks.resolve("a/.hidden"), "x");
            wipe(disks.resolve("a"));
            try (Stream<Path> left = Files.list(disks.resolve("a"))) {
                assertThat(left).isEmpty();
            }
        } finally {
            assertThat(run("umount", disks + "/a")).isZero();
        }
    }

    /** Wipes a volume with the worker of a node. */
    private void wipe(Path path) throws Exception {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        source.putObject("local").put("path", path.toString());
        VolumeWork work = new VolumeWork(
                VolumeOperation.OperationType.SCRUB,
                LocalSource.PROVISIONER,
                "pv",
                "u1",
                "",
                Optional.of(source),
                VolumeMode.FILESYSTEM,
                1 << 20,
                Map.of(),
                Optional.empty());
        Path data = Files.createDirectory(temporary.toRealPath().resolve("data"));
        VolumeWorkers.of(WorkerSettings.below(data, List.of(), NfsSettings.none()))
                .perform(work);
    }

    @Test
    void verticle_entriesAddedAndRemoved_updatesVolumes() throws Exception {
        Path disks = directory("a");
        Vertx vertx = Vertx.vertx();
        List<Throwable> errors = new CopyOnWriteArrayList<>();
        try (StateStoreFixture store = new StateStoreFixture()) {
            store.put("{kind: Namespace, metadata: {name: default}}");
            WorldPort port = WorldPort.of(
                    store.context(Schedulers.io(), Clock.systemUTC()).ledger());
            LocalVolumeDiscovery discovery = new LocalVolumeDiscovery(
                    "n1",
                    List.of(new DiscoveryDirectory(disks, "local", false, false)),
                    Duration.ofMinutes(5),
                    port,
                    Clock.systemUTC());
            String verticle = StateStoreFixture.get(vertx.deployVerticle(new DiscoveryVerticle(discovery, errors::add))
                    .toCompletionStage()
                    .toCompletableFuture());
            await(store, world -> offered(world).equals(Set.of(disks + "/a")));
            Files.createDirectory(disks.resolve("b"));
            await(store, world -> offered(world).equals(Set.of(disks + "/a", disks + "/b")));
            Files.delete(disks.resolve("a"));
            await(store, world -> offered(world).equals(Set.of(disks + "/b")));
            StateStoreFixture.get(vertx.undeploy(verticle).toCompletionStage().toCompletableFuture());
            assertThat(errors).isEmpty();
        } finally {
            StateStoreFixture.get(vertx.close().toCompletionStage().toCompletableFuture());
        }
    }

    private static Set<String> offered(World world) {
        Set<String> paths = new TreeSet<>();
        for (StoredObject each : world.list(Scope.resource(StorageNames.VOLUMES))) {
            Volume volume = Volume.of(each);
            if (!volume.isBeingDeleted()) {
                paths.add(volume.spec().path("local").path("path").asText());
            }
        }
        return paths;
    }

    private static void await(StateStoreFixture store, Predicate<World> reached) {
        CompletableFuture<World> found = new CompletableFuture<>();
        Disposable watch = store.context(Schedulers.io(), Clock.systemUTC())
                .hub()
                .events(0, Scope.all(), Schedulers.io())
                .takeUntil(event -> {
                    World world = store.world();
                    return reached.test(world) && found.complete(world);
                })
                .subscribe(event -> {}, found::completeExceptionally);
        try {
            StateStoreFixture.get(found);
        } finally {
            watch.dispose();
        }
    }
}
