package dev.mooring.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.world.History.PastWorld;
import dev.mooring.world.History.Reader;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class PastWorldsTest {
    private static final long MAX_BYTES = 80L << 20;
    private static final Reader ADMIN = new Reader("admin", true);
    private static final Reader ANNA = new Reader("anna", false);
    private static final Reader BERT = new Reader("bert", false);
    private static final Reader CARL = new Reader("carl", false);

    /** Started builds that have not run yet. */
    private final Deque<Runnable> tasks = new ArrayDeque<>();

    private final List<Long> built = new ArrayList<>();
    private final Map<Long, Long> sizes = new HashMap<>();

    /** Revisions that builds ask for a start after, the starts that they got, and the Worlds that they return. */
    private final Map<Long, Long> startsFrom = new HashMap<>();

    private final Map<Long, World> started = new HashMap<>();
    private final Map<Long, World> results = new HashMap<>();

    private final PastWorlds worlds =
            new PastWorlds(this::build, new History.Limits(2, 4, 3, MAX_BYTES), () -> MAX_BYTES);

    private World build(long revision, PastWorlds.Memory memory) throws IOException {
        built.add(revision);
        if (startsFrom.containsKey(revision)) {
            started.put(revision, memory.startAfter(startsFrom.get(revision)).orElse(World.EMPTY));
        }
        memory.claim(sizes.getOrDefault(revision, 0L));
        return results.getOrDefault(revision, World.EMPTY);
    }

    private CompletableFuture<PastWorld> open(long revision, Reader reader) {
        return worlds.open(revision, reader, tasks::add).toCompletableFuture();
    }

    private PastWorld opened(long revision, Reader reader) throws Exception {
        CompletableFuture<PastWorld> opened = open(revision, reader);
        runAll();
        return opened.get();
    }

    private void runAll() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    private static void assertBusy(ThrowingCallable request) {
        assertThatThrownBy(request)
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        HistoryUnavailableException.class,
                        refused -> assertThat(refused.isRetryable()).isTrue())
                .hasMessageContaining("try again");
    }

    @Test
    void requests_forTheSameRevision_shareOneBuild() {
        List<CompletableFuture<PastWorld>> waiting = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            waiting.add(open(7, i % 2 == 0 ? ANNA : BERT));
        }
        assertThat(tasks).hasSize(1);
        runAll();
        assertThat(waiting).allSatisfy(each -> assertThat(each).isCompleted());
        assertThat(built).containsExactly(7L);
    }

    @Test
    void build_startsFromTheNearestEarlierWorldInMemoryAndClaimsItsBytes() throws Exception {
        for (long revision : List.of(10L, 20L, 40L)) {
            results.put(revision, World.EMPTY.sharingIndexesOf(World.EMPTY));
            sizes.put(revision, revision << 16);
            opened(revision, ANNA).close();
        }
        for (long revision : List.of(30L, 35L, 36L, 15L)) {
            startsFrom.put(revision, revision == 15 ? 12L : 5L);
        }

        opened(30, ANNA).close();
        assertThat(started.get(30L)).isSameAs(results.get(20L));
        assertThat(worlds.bytes()).isEqualTo((10L + 20 + 40 + 20) << 16);
        opened(35, ANNA).close();
        assertThat(started.get(35L)).as("30 was built from 20").isSameAs(results.get(20L));
        opened(36, ANNA).close();
        assertThat(started.get(36L)).as("20 stays cached while it is used").isSameAs(results.get(20L));
        opened(15, ANNA).close();
        assertThat(started.get(15L)).as("10 is before the snapshot").isSameAs(World.EMPTY);
    }

    @Test
    void builds_areLimitedToTwoAndOneMoreForAdmins() {
        List<CompletableFuture<PastWorld>> unused = List.of(open(1, ANNA), open(2, ANNA));
        CompletableFuture<PastWorld> queued = open(3, BERT);
        assertThat(tasks).hasSize(2);
        CompletableFuture<PastWorld> admin = open(4, ADMIN);
        assertThat(tasks).hasSize(3);
        CompletableFuture<PastWorld> second = open(5, ADMIN);
        assertThat(tasks).hasSize(3);
        assertThat(second).isNotDone();
        assertThat(unused).noneMatch(CompletableFuture::isDone);
        tasks.removeLast().run();
        assertThat(admin).isCompleted();
        assertThat(queued).isNotDone();
        runAll();
        assertThat(queued).isCompleted();
        assertThat(built).containsExactly(4L, 1L, 2L, 5L, 3L);
    }

    @Test
    void queue_isLimitedPerReaderAndInTotalExceptForAdmins() {
        for (int i = 1; i <= 3; i++) {
            assertThat(open(i, ANNA)).isNotDone();
        }
        assertBusy(() -> open(4, ANNA).get());
        for (int i = 11; i <= 13; i++) {
            assertThat(open(i, BERT)).isNotDone();
        }
        assertThat(tasks).as("builds in progress").hasSize(2);
        assertBusy(() -> open(21, CARL).get());
        CompletableFuture<PastWorld> admin = open(31, ADMIN);
        runAll();
        assertThat(admin).isCompleted();
        assertThat(open(4, ANNA)).as("request after the queue is empty").isNotDone();
    }

    @Test
    void world_exceedsMemoryLimit_isRefusedAndMemoryIsFreed() {
        sizes.put(1L, MAX_BYTES + 1);
        CompletableFuture<PastWorld> request = open(1, ADMIN);
        runAll();
        assertThatThrownBy(request::get)
                .cause()
                .isInstanceOfSatisfying(
                        HistoryUnavailableException.class,
                        refused -> assertThat(refused.isRetryable()).isFalse())
                .hasMessageContaining("Revision 1 needs more than " + MAX_BYTES + " bytes")
                .hasMessageContaining("-Xmx");
        assertThat(worlds.bytes()).isZero();
    }

    @Test
    void worlds_memoryNeeded_idleOnesAreEvicted() throws Exception {
        for (long revision = 1; revision <= 5; revision++) {
            sizes.put(revision, 25L << 20);
        }
        try (PastWorld first = opened(1, ANNA);
                PastWorld second = opened(2, BERT)) {
            assertThat(worlds.bytes()).isEqualTo(50L << 20);
            CompletableFuture<PastWorld> third = open(3, CARL);
            runAll();
            assertBusy(third::get);
            assertThat(worlds.bytes()).isEqualTo(50L << 20);
            try (PastWorld admin = opened(4, ADMIN)) {
                assertThat(admin.world()).isSameAs(first.world()).isSameAs(second.world());
            }
        }
        try (PastWorld fifth = opened(5, CARL)) {
            assertThat(fifth.world()).isNotNull();
            assertThat(worlds.bytes()).isEqualTo(50L << 20);
        }
    }

    @Test
    void worlds_ofOneReader_useAtMostHalfOfTheMemory() throws Exception {
        sizes.put(1L, 30L << 20);
        sizes.put(2L, 15L << 20);
        try (PastWorld first = opened(1, ANNA)) {
            CompletableFuture<PastWorld> second = open(2, ANNA);
            runAll();
            assertBusy(second::get);
            try (PastWorld other = opened(2, BERT)) {
                assertThat(other.world()).isSameAs(first.world());
            }
        }
    }

    @Test
    void idleWorlds_areLimitedInNumber() throws Exception {
        for (long revision = 1; revision <= 10; revision++) {
            sizes.put(revision, 1L << 20);
            opened(revision, ANNA).close();
        }
        assertThat(worlds.bytes()).isEqualTo(4L << 20);
        built.clear();
        opened(10, BERT).close();
        assertThat(built).isEmpty();
        opened(1, BERT).close();
        assertThat(built).containsExactly(1L);
    }

    @Test
    void build_executorRejects_failsAndFreesItsSlot() throws Exception {
        CompletableFuture<PastWorld> rejected = worlds.open(1, ANNA, task -> {
                    throw new IllegalStateException("ended");
                })
                .toCompletableFuture();
        assertThatThrownBy(rejected::get).hasRootCauseMessage("ended");
        opened(1, ANNA).close();
        assertThat(built).containsExactly(1L);
    }
}
