package dev.mooring.node.volumemanager;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.WorldFixture;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.node.WorldPort;
import dev.mooring.volume.FakeMounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.work.PodDirectory;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the removal of Pod directories, and the Events about those that cannot be removed. */
final class DirectoryCleanerTest implements WorldPort {
    @TempDir
    Path temporary;

    private final Deque<Runnable> threads = new ArrayDeque<>();
    private World world = WorldFixture.of("""
        {kind: Namespace, metadata: {name: default}}
        ---
        {kind: Node, metadata: {name: n1}}
        """);
    private NodeLayout layout;
    private FakeMounter mounter;
    private DirectoryCleaner cleaner;

    @BeforeEach
    void prepare() throws IOException {
        layout = new NodeLayout(temporary.toRealPath());
        mounter = FakeMounter.inMemory(layout);
        cleaner = cleaner();
    }

    /** Returns a cleaner that has not warned yet, as after a restart. */
    private DirectoryCleaner cleaner() {
        Clock clock = Clock.fixed(Instant.EPOCH, ZoneOffset.UTC);
        return new DirectoryCleaner(
                "n1",
                new PodDirectory(layout, mounter, SystemCalls.real()),
                this,
                "running"::equals,
                new NodeWarnings("n1", this, clock),
                threads::add);
    }

    @Override
    public World world() {
        return world;
    }

    @Override
    public CompletionStage<Outcome> propose(Proposal proposal) {
        world = WorldFixture.after(world, proposal);
        return new CompletableFuture<>();
    }

    private void remove(String podUid) {
        cleaner.execute(new PodDirectoryController.RemoveDirectory(podUid));
    }

    private void sweep() {
        cleaner.execute(new PodDirectoryController.SweepDirectories());
    }

    private void runAll() {
        while (!threads.isEmpty()) {
            assertThat(threads).as("tasks at a time").hasSize(1);
            threads.poll().run();
        }
    }

    private List<String> recordedEvents() {
        List<String> events = new ArrayList<>();
        for (StoredObject each : world.list(Scope.resource("events"))) {
            var event = each.toTree();
            events.add(event.path("involvedObject").path("kind").asText()
                    + ' '
                    + event.path("involvedObject").path("name").asText()
                    + ' '
                    + event.path("type").asText()
                    + ' '
                    + event.path("reason").asText()
                    + ' '
                    + event.path("count").asText()
                    + ' '
                    + event.path("message").asText());
        }
        return events;
    }

    private Path volume(String uid) throws IOException {
        return Files.createDirectories(layout.volume(uid, "kubernetes.io/nfs", "v"));
    }

    @Test
    void remove_emptyDirectory_isRemovedOnExecutor() throws IOException {
        volume("u");

        remove("u");
        assertThat(layout.pod("u")).exists();
        runAll();

        assertThat(layout.pod("u")).doesNotExist();
        assertThat(recordedEvents()).isEmpty();
    }

    @Test
    void remove_fileLeftInVolume_warnsOnceAndRemovesWhenFileIsGone() throws IOException {
        Path volume = volume("u");
        Path file = Files.writeString(volume.resolve("file"), "data");

        for (int i = 0; i < 3; i++) {
            remove("u");
            runAll();
        }
        cleaner = cleaner();
        sweep();
        runAll();

        assertThat(recordedEvents())
                .containsExactly(
                        "Node n1 Warning OrphanedPodDirectory 1 orphaned pod \"u\" found, but failed to rmdir()"
                                + " volume at path " + volume
                                + ": directory not empty. Nothing was deleted: inspect the files and"
                                + " move them away; empty directories are then removed automatically");
        assertThat(file).hasContent("data");
        Files.delete(file);
        sweep();
        runAll();
        assertThat(layout.pod("u")).doesNotExist();
    }

    @Test
    void remove_severalLeftovers_warningNamesOneAndCountsOthers() throws IOException {
        Files.createFile(volume("u").resolve("file"));
        Files.createFile(Files.createDirectories(layout.volume("u", "kubernetes.io/nfs", "w"))
                .resolve("file"));

        remove("u");
        runAll();

        assertThat(recordedEvents())
                .singleElement()
                .asString()
                .contains(": directory not empty (and 1 more, see the log). ");
    }

    @Test
    void remove_volumeStillMounted_warnsAndKeepsDirectory() throws IOException {
        mounter.alreadyMounted(volume("u"), "nfs4", "nas:/x");

        remove("u");
        runAll();

        assertThat(recordedEvents())
                .singleElement()
                .asString()
                .contains("orphaned pod \"u\" found, but nas:/x (nfs4) is still mounted at " + volume("u")
                        + ". Nothing was deleted");
        assertThat(volume("u")).exists();
    }

    @Test
    void sweep_removesUnreferencedDirectoriesOnly() throws IOException {
        for (String each : List.of("running", "gone", "pod", "desired", "mounted")) {
            volume(each);
        }
        world = WorldFixture.put(world, WorldFixture.objects("""
            {kind: Pod, metadata: {name: pod, namespace: ns, uid: pod}}
            """).get(0));
        world = WorldFixture.put(world, WorldFixture.objects("""
            {apiVersion: mooring.dev/v1, kind: DesiredVolume, metadata: {name: d}, spec: {node: n1, pod: {uid: desired}}}
            """).get(0));
        world = WorldFixture.put(world, WorldFixture.objects("""
            {apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: v}, spec: {node: n1},
             status: {mounts: [{pod: {uid: mounted}}]}}
            """).get(0));

        sweep();
        runAll();

        assertThat(layout.pods().toFile().list()).containsExactlyInAnyOrder("running", "pod", "desired", "mounted");
    }

    @Test
    void sweep_noDirectories_doesNothing() {
        sweep();
        runAll();

        assertThat(recordedEvents()).isEmpty();
    }

    @Test
    void remove_manyDirectories_runsOneTaskAtATime() throws IOException {
        for (int i = 0; i < 100; i++) {
            volume("u" + i);
            remove("u" + i);
            remove("u" + i);
        }
        sweep();
        assertThat(threads).hasSize(1);
        runAll();

        assertThat(layout.pods()).isEmptyDirectory();
    }
}
