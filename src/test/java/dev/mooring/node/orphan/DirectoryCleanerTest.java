package dev.mooring.node.orphan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.StoredJson;
import dev.mooring.control.Worlds;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.node.WorldPort;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.mount.FakeMounter;
import dev.mooring.volume.orphan.PodDirectory;
import dev.mooring.volume.path.SystemCalls;
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
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is done to directories of Pods, and what is told of them. */
final class DirectoryCleanerTest implements WorldPort {
    @TempDir
    Path temporary;

    private final Deque<Runnable> threads = new ArrayDeque<>();
    private World world = Worlds.of("""
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

    /** As of a new process. */
    private DirectoryCleaner cleaner() {
        Clock clock = Clock.fixed(Instant.EPOCH, ZoneOffset.UTC);
        return new DirectoryCleaner(
                "n1",
                new PodDirectory(layout, mounter, SystemCalls.real()),
                this,
                new NodeWarnings("n1", this, clock),
                threads::add);
    }

    @Override
    public World world() {
        return world;
    }

    @Override
    public CompletionStage<Outcome> propose(Proposal proposal) {
        world = Worlds.after(world, proposal);
        return new CompletableFuture<>();
    }

    private void runAll() {
        while (!threads.isEmpty()) {
            assertThat(threads).as("at a time").hasSize(1);
            threads.poll().run();
        }
    }

    private List<String> told() {
        List<String> told = new ArrayList<>();
        for (StoredObject each : world.list(Scope.resource("events"))) {
            var event = StoredJson.tree(each);
            told.add(event.path("involvedObject").path("kind").asText()
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
        return told;
    }

    private Path volume(String uid) throws IOException {
        return Files.createDirectories(layout.volume(uid, "kubernetes.io/nfs", "v"));
    }

    @Test
    void removesTheDirectoryOnAThreadOfItsOwn() throws IOException {
        volume("u");

        cleaner.remove("u");
        assertThat(layout.pod("u")).exists();
        runAll();

        assertThat(layout.pod("u")).doesNotExist();
        assertThat(told()).isEmpty();
    }

    @Test
    void tellsOnceOfWhatIsLeftInTheKubeletsWordsAndRemovesItWhenItCan() throws IOException {
        Path volume = volume("u");
        Path file = Files.writeString(volume.resolve("file"), "data");

        for (int i = 0; i < 3; i++) {
            cleaner.remove("u");
            runAll();
        }
        cleaner = cleaner();
        cleaner.sweep(uid -> false);
        runAll();

        assertThat(told())
                .containsExactly(
                        "Node n1 Warning OrphanedPodDirectory 1 orphaned pod \"u\" found, but failed to rmdir()"
                                + " volume at path " + volume
                                + ": directory not empty. Nothing of it was deleted: look at what"
                                + " is there and move it to where it belongs; what is empty is then removed by itself");
        assertThat(file).hasContent("data");
        Files.delete(file);
        cleaner.sweep(uid -> false);
        runAll();
        assertThat(layout.pod("u")).doesNotExist();
    }

    @Test
    void namesOnePathAndCountsTheOthers() throws IOException {
        Files.createFile(volume("u").resolve("file"));
        Files.createFile(Files.createDirectories(layout.volume("u", "kubernetes.io/nfs", "w"))
                .resolve("file"));

        cleaner.remove("u");
        runAll();

        assertThat(told()).singleElement().asString().contains(": directory not empty (and 1 more, see the log). ");
    }

    @Test
    void tellsWhatIsStillMounted() throws IOException {
        mounter.alreadyMounted(volume("u"), "nfs4", "nas:/x");

        cleaner.remove("u");
        runAll();

        assertThat(told())
                .singleElement()
                .asString()
                .contains("orphaned pod \"u\" found, but nas:/x (nfs4) is still mounted at " + volume("u")
                        + ". Nothing was deleted");
        assertThat(volume("u")).exists();
    }

    @Test
    void aSweepRemovesWhatNobodyKnowsAndNothingElse() throws IOException {
        for (String each : List.of("known", "gone", "pod", "desired", "mounted")) {
            volume(each);
        }
        world = Worlds.put(world, Worlds.objects("""
            {kind: Pod, metadata: {name: pod, namespace: ns, uid: pod}}
            """).get(0));
        world = Worlds.put(world, Worlds.objects("""
            {apiVersion: mooring.dev/v1, kind: DesiredVolume, metadata: {name: d}, spec: {node: n1, pod: {uid: desired}}}
            """).get(0));
        world = Worlds.put(world, Worlds.objects("""
            {apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: v}, spec: {node: n1},
             status: {mounts: [{pod: {uid: mounted}}]}}
            """).get(0));

        // Who is asked first has not heard of the Pod yet.
        cleaner.sweep("known"::equals);
        runAll();

        assertThat(layout.pods().toFile().list()).containsExactlyInAnyOrder("known", "pod", "desired", "mounted");
    }

    @Test
    void aSweepWithoutAnythingToSweepIsFine() {
        cleaner.sweep(uid -> false);
        runAll();

        assertThat(told()).isEmpty();
    }

    @Test
    void doesOneAfterTheOtherHoweverManyThereAre() throws IOException {
        for (int i = 0; i < 100; i++) {
            volume("u" + i);
            cleaner.remove("u" + i);
            cleaner.remove("u" + i);
        }
        cleaner.sweep(uid -> false);
        assertThat(threads).hasSize(1);
        runAll();

        assertThat(layout.pods()).isEmptyDirectory();
    }

    @Test
    void aTaskThatFailsDoesNotKeepTheOthers() {
        OneByOne tasks = new OneByOne(threads::add);
        List<String> done = new ArrayList<>();
        tasks.run("a", () -> {
            throw new IllegalStateException("meant to fail");
        });
        tasks.run("b", () -> done.add("old b"));
        tasks.run("c", () -> done.add("c"));
        tasks.run("b", () -> done.add("b"));
        runAll();
        tasks.run("d", () -> done.add("d"));
        runAll();

        assertThat(done).containsExactly("b", "c", "d");
    }

    @Test
    void atTheEndOfTheProcessNothingIsBegun() {
        OneByOne tasks = new OneByOne(task -> {
            throw new RejectedExecutionException("closed");
        });

        tasks.run("a", () -> {});
        tasks.run("b", () -> {});

        assertThat(threads).isEmpty();
    }
}
