package dev.mooring.world;

import static dev.mooring.testing.Samples.claim;
import static dev.mooring.testing.Samples.volume;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.log.Retention;
import dev.mooring.model.CompactedException;
import dev.mooring.model.Scope;
import dev.mooring.testing.ConditionPoller;
import dev.mooring.testing.SimulatedDisk;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.reactivex.rxjava3.schedulers.TestScheduler;
import io.reactivex.rxjava3.subscribers.TestSubscriber;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class WatchHubTest {
    private final SimulatedDisk disk = new SimulatedDisk();
    private final Scheduler scheduler = Schedulers.io();

    /** Keeps 16 events in memory; watchers further behind read the log. */
    private LedgerFixture open() throws IOException {
        return new LedgerFixture(disk, LedgerFixture.DIRECTORY, 4_000, 16, LedgerFixture.LIMITS).start();
    }

    private static List<Long> revisions(TestSubscriber<WorldEvent> watcher) {
        return watcher.values().stream().map(WorldEvent::revision).toList();
    }

    /** Waits without a limit of its own: that of TestSubscriber.awaitCount is too short for a busy machine. */
    private static void awaitCount(TestSubscriber<WorldEvent> watcher, int count) throws Exception {
        ConditionPoller.until(() -> {
            watcher.assertNoErrors();
            return watcher.values().size() >= count;
        });
    }

    private static List<Long> range(long from, long to) {
        return LongStream.rangeClosed(from, to).boxed().toList();
    }

    @Test
    void watcher_slow_receivesAllEventsWithoutDelayingOthers() throws Exception {
        try (LedgerFixture fixture = open()) {
            TestSubscriber<WorldEvent> fast = new TestSubscriber<>();
            TestSubscriber<WorldEvent> slow = new TestSubscriber<>(0);
            fixture.store.hub().events(0, Scope.all(), scheduler).subscribe(fast);
            fixture.store.hub().events(0, Scope.all(), scheduler).subscribe(slow);
            for (int i = 0; i < 200; i++) {
                fixture.put(claim("c" + i % 9), "content " + i);
            }
            awaitCount(fast, 200);
            assertThat(revisions(fast)).isEqualTo(range(1, 200));
            slow.assertNoValues();
            for (int i = 1; i <= 200; i++) {
                slow.request(1);
                awaitCount(slow, i);
            }
            assertThat(revisions(slow)).isEqualTo(range(1, 200));
            assertThat(fixture.store.hub().watchers()).isEqualTo(2);
            fast.cancel();
            slow.cancel();
        }
    }

    @Test
    void watchers_ofTheSameEvent_shareOneEncoding() throws Exception {
        try (LedgerFixture fixture = open()) {
            List<TestSubscriber<WorldEvent>> watchers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                TestSubscriber<WorldEvent> watcher = new TestSubscriber<>();
                fixture.store.hub().events(0, Scope.all(), scheduler).subscribe(watcher);
                watchers.add(watcher);
            }
            fixture.put(claim("a"), "x");
            fixture.put(claim("a"), "y");
            fixture.remove(claim("a"));
            List<byte[]> first = null;
            for (TestSubscriber<WorldEvent> watcher : watchers) {
                awaitCount(watcher, 3);
                List<byte[]> lines =
                        watcher.values().stream().map(event -> event.line(0)).toList();
                first = first == null ? lines : first;
                for (int i = 0; i < 3; i++) {
                    assertThat(lines.get(i)).isSameAs(first.get(i));
                }
                watcher.cancel();
            }
            List<String> texts = first.stream()
                    .map(line -> new String(line, StandardCharsets.UTF_8))
                    .toList();
            assertThat(texts.get(0))
                    .startsWith("{\"type\":\"ADDED\",\"object\":{")
                    .endsWith("}}\n");
            assertThat(texts.get(1)).startsWith("{\"type\":\"MODIFIED\"");
            assertThat(texts.get(2)).startsWith("{\"type\":\"DELETED\"").contains("\"resourceVersion\":\"3\"");
        }
    }

    @Test
    void watcher_withScope_receivesItsEventsWithPriorObjects() throws Exception {
        try (LedgerFixture fixture = open()) {
            TestSubscriber<WorldEvent> live = new TestSubscriber<>();
            fixture.store
                    .hub()
                    .events(0, Scope.resource("persistentvolumes"), scheduler)
                    .subscribe(live);
            for (int i = 0; i < 50; i++) {
                fixture.put(claim("c" + i), "");
                fixture.put(volume("v" + i % 3), "content " + i);
            }
            TestSubscriber<WorldEvent> late = new TestSubscriber<>();
            fixture.store
                    .hub()
                    .events(0, Scope.resource("persistentvolumes"), scheduler)
                    .subscribe(late);
            for (TestSubscriber<WorldEvent> watcher : List.of(live, late)) {
                awaitCount(watcher, 50);
                assertThat(revisions(watcher))
                        .isEqualTo(IntStream.rangeClosed(1, 50)
                                .mapToObj(i -> 2L * i)
                                .toList());
                for (int i = 0; i < 50; i++) {
                    Optional<Long> before = watcher.values().get(i).before(0).map(object -> object.revision());
                    assertThat(before).isEqualTo(i < 3 ? Optional.empty() : Optional.of(2L * (i + 1) - 6));
                }
                watcher.cancel();
            }
            TestSubscriber<WorldEvent> one = new TestSubscriber<>();
            fixture.store
                    .hub()
                    .events(10, Scope.object(volume("v1")), scheduler)
                    .subscribe(one);
            awaitCount(one, 15);
            assertThat(one.values())
                    .hasSize(15)
                    .allMatch(event -> event.event().changes().get(0).key().equals(volume("v1")));
            one.cancel();
        }
    }

    @Test
    void watcher_compactedRevision_fails() throws Exception {
        try (LedgerFixture fixture = open()) {
            for (int i = 1; i <= 90; i++) {
                fixture.put(claim("c" + i % 5), "content " + i);
                if (i % 30 == 0) {
                    Ledger.Checkpoint now = fixture.ledger().checkpoint();
                    fixture.store
                            .log()
                            .snapshots()
                            .write(
                                    now.position(),
                                    now.world().size(),
                                    now.world().list(Scope.all()));
                }
            }
            fixture.store.log().applyRetention(new Retention(Optional.empty(), OptionalLong.of(1)));
            TestSubscriber<WorldEvent> watcher = new TestSubscriber<>();
            fixture.store.hub().events(3, Scope.all(), scheduler).subscribe(watcher);
            watcher.awaitDone(90, java.util.concurrent.TimeUnit.SECONDS);
            watcher.assertError(CompactedException.class);
            assertThat(fixture.store.hub().watchers()).isZero();
        }
    }

    @Test
    void watcher_cancelled_closesItsCursor() throws Exception {
        TestScheduler manual = new TestScheduler();
        try (LedgerFixture fixture = open()) {
            fixture.put(claim("a"), "");
            fixture.put(claim("b"), "");
            fixture.awaitDispatch();
            TestSubscriber<WorldEvent> both = new TestSubscriber<>();
            fixture.store.hub().events(0, Scope.all(), manual).take(2).subscribe(both);
            TestSubscriber<WorldEvent> waiting = new TestSubscriber<>();
            fixture.store.hub().events(2, Scope.all(), manual).subscribe(waiting);
            assertThat(fixture.store.hub().watchers()).isEqualTo(2);
            manual.triggerActions();
            both.assertComplete();
            assertThat(fixture.store.hub().watchers())
                    .as("watchers after one has completed")
                    .isEqualTo(1);
            waiting.cancel();
            manual.triggerActions();
            assertThat(fixture.store.hub().watchers()).isZero();
        }
    }

    /** A log reader is abandoned when the next event is in memory, and must not return delivered events again. */
    @Test
    void watcher_switchesBetweenMemoryAndLog_repeatsNoEvent() throws Exception {
        TestScheduler manual = new TestScheduler();
        try (LedgerFixture fixture = open()) {
            for (int i = 0; i < 40; i++) {
                fixture.put(claim("c" + i % 5), "content " + i);
            }
            List<Long> seen = new ArrayList<>();
            Disposable watch = fixture.store
                    .hub()
                    .events(0, Scope.all(), manual)
                    .subscribe(event -> {
                        seen.add(event.revision());
                        // While the cursor delivers, new events push older ones out of memory.
                        if (event.revision() % 4 == 0 && event.revision() < 400) {
                            for (int more = 0; more < 3; more++) {
                                fixture.put(claim("more"), "");
                            }
                        }
                    });
            while (seen.isEmpty() || seen.get(seen.size() - 1) < fixture.world().revision()) {
                fixture.awaitDispatch();
                manual.triggerActions();
            }
            assertThat(seen).isEqualTo(range(1, fixture.world().revision())).hasSizeGreaterThan(100);
            watch.dispose();
        }
    }

    @Test
    void watcher_idleAndEventsOutOfScope_readsNothing() throws Exception {
        TestScheduler manual = new TestScheduler();
        try (LedgerFixture fixture = open()) {
            TestSubscriber<WorldEvent> quiet = new TestSubscriber<>(1);
            fixture.store
                    .hub()
                    .events(0, Scope.resource("persistentvolumes"), manual)
                    .subscribe(quiet);
            manual.triggerActions();
            for (int i = 0; i < 200; i++) {
                fixture.put(claim("c" + i % 9), "content " + i);
                // With so few events in memory a dispatcher that falls behind would have to wake all watchers.
                fixture.awaitDispatch();
            }
            int before = disk.reads();
            quiet.request(5);
            manual.triggerActions();
            assertThat(disk.reads()).as("disk reads").isEqualTo(before);
            fixture.put(volume("v"), "at last");
            fixture.awaitDispatch();
            manual.triggerActions();
            assertThat(revisions(quiet)).containsExactly(201L);
            assertThat(disk.reads()).isEqualTo(before);
            quiet.cancel();
        }
    }

    /** Watchers that start anywhere, request few events, cancel and resume receive each event once and in order. */
    @Test
    void watchers_randomRequestsAndRestarts_receiveEachEventOnceInOrder() throws Exception {
        for (long seed = 0; seed < 15; seed++) {
            Random random = new Random(seed);
            SimulatedDisk machine = new SimulatedDisk();
            try (LedgerFixture fixture =
                    new LedgerFixture(machine, LedgerFixture.DIRECTORY, 4_000, 16, LedgerFixture.LIMITS).start()) {
                int total = 400;
                List<Thread> threads = new ArrayList<>();
                List<Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
                for (int w = 0; w < 12; w++) {
                    Random watcherRandom = new Random(random.nextLong());
                    Thread thread = new Thread(() -> watchAll(fixture, watcherRandom, total));
                    thread.setUncaughtExceptionHandler((t, e) -> failures.add(e));
                    thread.start();
                    threads.add(thread);
                }
                List<java.util.concurrent.CompletableFuture<Outcome>> outcomes = new ArrayList<>();
                for (int i = 0; i < total; i++) {
                    outcomes.add(
                            fixture.propose(LedgerFixture.putting(claim("c" + random.nextInt(20)), "content " + i)));
                    if (random.nextInt(10) == 0) {
                        LedgerFixture.get(outcomes.get(i));
                    }
                }
                outcomes.forEach(LedgerFixture::get);
                for (Thread thread : threads) {
                    thread.join(90_000);
                    assertThat(thread.isAlive())
                            .as("seed " + seed + ": watcher is still running")
                            .isFalse();
                }
                assertThat(failures).as("seed " + seed).isEmpty();
            }
        }
    }

    private void watchAll(LedgerFixture fixture, Random random, int total) {
        long start = random.nextInt(50);
        long seen = start;
        while (seen < total) {
            int wanted = (int) Math.min(total - seen, 1 + random.nextInt(60));
            int demand = 1 + random.nextInt(5);
            List<Long> received = fixture.store
                    .hub()
                    .events(seen, Scope.all(), scheduler)
                    .rebatchRequests(demand)
                    .take(wanted)
                    .map(WorldEvent::revision)
                    .toList()
                    .blockingGet();
            assertThat(received).isEqualTo(range(seen + 1, seen + wanted));
            seen += wanted;
        }
    }
}
