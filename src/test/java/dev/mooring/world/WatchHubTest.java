package dev.mooring.world;

import static dev.mooring.testing.Samples.claim;
import static dev.mooring.testing.Samples.volume;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.log.Retention;
import dev.mooring.model.CompactedException;
import dev.mooring.model.Scope;
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

    /** A memory of 16 events: whoever is further behind reads the log. */
    private SpineUnderTest open() throws IOException {
        return new SpineUnderTest(disk, SpineUnderTest.DIRECTORY, 4_000, 16, SpineUnderTest.LIMITS).start();
    }

    private static List<Long> revisions(TestSubscriber<WorldEvent> watcher) {
        return watcher.values().stream().map(WorldEvent::revision).toList();
    }

    private static List<Long> range(long from, long to) {
        return LongStream.rangeClosed(from, to).boxed().toList();
    }

    @Test
    void shouldGiveASlowWatcherEverythingAndHoldNobodyUp() throws Exception {
        try (SpineUnderTest spine = open()) {
            TestSubscriber<WorldEvent> fast = new TestSubscriber<>();
            TestSubscriber<WorldEvent> slow = new TestSubscriber<>(0);
            spine.spine.hub().events(0, Scope.all(), scheduler).subscribe(fast);
            spine.spine.hub().events(0, Scope.all(), scheduler).subscribe(slow);
            for (int i = 0; i < 200; i++) {
                spine.put(claim("c" + i % 9), "content " + i);
            }
            fast.awaitCount(200);
            assertThat(revisions(fast)).isEqualTo(range(1, 200));
            slow.assertNoValues();
            for (int i = 1; i <= 200; i++) {
                slow.request(1);
                slow.awaitCount(i);
            }
            assertThat(revisions(slow)).isEqualTo(range(1, 200));
            assertThat(spine.spine.hub().watchers()).isEqualTo(2);
            fast.cancel();
            slow.cancel();
        }
    }

    @Test
    void shouldShareOneEncodingAmongAllWatchers() throws Exception {
        try (SpineUnderTest spine = open()) {
            List<TestSubscriber<WorldEvent>> watchers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                TestSubscriber<WorldEvent> watcher = new TestSubscriber<>();
                spine.spine.hub().events(0, Scope.all(), scheduler).subscribe(watcher);
                watchers.add(watcher);
            }
            spine.put(claim("a"), "x");
            spine.put(claim("a"), "y");
            spine.remove(claim("a"));
            List<byte[]> first = null;
            for (TestSubscriber<WorldEvent> watcher : watchers) {
                watcher.awaitCount(3);
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
    void shouldGiveOnlyWhatIsInScopeAndWhatWasThereBefore() throws Exception {
        try (SpineUnderTest spine = open()) {
            TestSubscriber<WorldEvent> live = new TestSubscriber<>();
            spine.spine
                    .hub()
                    .events(0, Scope.resource("persistentvolumes"), scheduler)
                    .subscribe(live);
            for (int i = 0; i < 50; i++) {
                spine.put(claim("c" + i), "");
                spine.put(volume("v" + i % 3), "content " + i);
            }
            TestSubscriber<WorldEvent> late = new TestSubscriber<>();
            spine.spine
                    .hub()
                    .events(0, Scope.resource("persistentvolumes"), scheduler)
                    .subscribe(late);
            for (TestSubscriber<WorldEvent> watcher : List.of(live, late)) {
                watcher.awaitCount(50);
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
            spine.spine.hub().events(10, Scope.object(volume("v1")), scheduler).subscribe(one);
            one.awaitCount(15);
            assertThat(one.values())
                    .hasSize(15)
                    .allMatch(event -> event.event().changes().get(0).key().equals(volume("v1")));
            one.cancel();
        }
    }

    @Test
    void shouldTellAWatcherWhoseRevisionIsNoLongerKept() throws Exception {
        try (SpineUnderTest spine = open()) {
            for (int i = 1; i <= 90; i++) {
                spine.put(claim("c" + i % 5), "content " + i);
                if (i % 30 == 0) {
                    Ledger.Checkpoint now = spine.ledger().checkpoint();
                    spine.spine
                            .log()
                            .snapshots()
                            .write(
                                    now.position(),
                                    now.world().size(),
                                    now.world().list(Scope.all()));
                }
            }
            spine.spine.log().applyRetention(new Retention(Optional.empty(), OptionalLong.of(1)));
            TestSubscriber<WorldEvent> watcher = new TestSubscriber<>();
            spine.spine.hub().events(3, Scope.all(), scheduler).subscribe(watcher);
            watcher.awaitDone(30, java.util.concurrent.TimeUnit.SECONDS);
            watcher.assertError(CompactedException.class);
            assertThat(spine.spine.hub().watchers()).isZero();
        }
    }

    @Test
    void shouldCloseTheTapWhenTheSubscriberLeaves() throws Exception {
        TestScheduler byHand = new TestScheduler();
        try (SpineUnderTest spine = open()) {
            spine.put(claim("a"), "");
            spine.put(claim("b"), "");
            spine.awaitDispatch();
            TestSubscriber<WorldEvent> both = new TestSubscriber<>();
            spine.spine.hub().events(0, Scope.all(), byHand).take(2).subscribe(both);
            TestSubscriber<WorldEvent> waiting = new TestSubscriber<>();
            spine.spine.hub().events(2, Scope.all(), byHand).subscribe(waiting);
            assertThat(spine.spine.hub().watchers()).isEqualTo(2);
            byHand.triggerActions();
            both.assertComplete();
            assertThat(spine.spine.hub().watchers()).as("one has seen enough").isEqualTo(1);
            waiting.cancel();
            byHand.triggerActions();
            assertThat(spine.spine.hub().watchers()).isZero();
        }
    }

    /** A reader of the log is left behind when an event is found in memory, and must not hand out what has been seen. */
    @Test
    void shouldNotRepeatAnythingWhenItChangesBetweenMemoryAndLog() throws Exception {
        TestScheduler byHand = new TestScheduler();
        try (SpineUnderTest spine = open()) {
            for (int i = 0; i < 40; i++) {
                spine.put(claim("c" + i % 5), "content " + i);
            }
            List<Long> seen = new ArrayList<>();
            Disposable watch = spine.spine.hub().events(0, Scope.all(), byHand).subscribe(event -> {
                seen.add(event.revision());
                // While the tap is in the middle of its turn, more happens and pushes others out of memory.
                if (event.revision() % 4 == 0 && event.revision() < 400) {
                    for (int more = 0; more < 3; more++) {
                        spine.put(claim("more"), "");
                    }
                }
            });
            while (seen.isEmpty() || seen.get(seen.size() - 1) < spine.world().revision()) {
                spine.awaitDispatch();
                byHand.triggerActions();
            }
            assertThat(seen).isEqualTo(range(1, spine.world().revision())).hasSizeGreaterThan(100);
            watch.dispose();
        }
    }

    @Test
    void shouldNotLookAtWhatDoesNotConcernAWatcherThatWaits() throws Exception {
        TestScheduler byHand = new TestScheduler();
        try (SpineUnderTest spine = open()) {
            TestSubscriber<WorldEvent> quiet = new TestSubscriber<>(1);
            spine.spine
                    .hub()
                    .events(0, Scope.resource("persistentvolumes"), byHand)
                    .subscribe(quiet);
            byHand.triggerActions();
            for (int i = 0; i < 200; i++) {
                spine.put(claim("c" + i % 9), "content " + i);
                // With so small a memory, a dispatcher that falls behind would have to wake everybody.
                spine.awaitDispatch();
            }
            int before = disk.reads();
            quiet.request(5);
            byHand.triggerActions();
            assertThat(disk.reads()).as("nothing is read for it").isEqualTo(before);
            spine.put(volume("v"), "at last");
            spine.awaitDispatch();
            byHand.triggerActions();
            assertThat(revisions(quiet)).containsExactly(201L);
            assertThat(disk.reads()).isEqualTo(before);
            quiet.cancel();
        }
    }

    /** Watchers that start anywhere, ask for little, leave and come back: each sees each event once and in order. */
    @Test
    void shouldGiveEachEventOnceAndInOrderWhateverTheWatcherDoes() throws Exception {
        for (long seed = 0; seed < 15; seed++) {
            Random chance = new Random(seed);
            SimulatedDisk machine = new SimulatedDisk();
            try (SpineUnderTest spine =
                    new SpineUnderTest(machine, SpineUnderTest.DIRECTORY, 4_000, 16, SpineUnderTest.LIMITS).start()) {
                int total = 400;
                List<Thread> threads = new ArrayList<>();
                List<Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
                for (int w = 0; w < 12; w++) {
                    Random own = new Random(chance.nextLong());
                    Thread thread = new Thread(() -> watchAll(spine, own, total));
                    thread.setUncaughtExceptionHandler((t, e) -> failures.add(e));
                    thread.start();
                    threads.add(thread);
                }
                List<java.util.concurrent.CompletableFuture<Outcome>> answers = new ArrayList<>();
                for (int i = 0; i < total; i++) {
                    answers.add(spine.propose(SpineUnderTest.putting(claim("c" + chance.nextInt(20)), "content " + i)));
                    if (chance.nextInt(10) == 0) {
                        SpineUnderTest.get(answers.get(i));
                    }
                }
                answers.forEach(SpineUnderTest::get);
                for (Thread thread : threads) {
                    thread.join(60_000);
                    assertThat(thread.isAlive())
                            .as("seed " + seed + ": a watcher is stuck")
                            .isFalse();
                }
                assertThat(failures).as("seed " + seed).isEmpty();
            }
        }
    }

    private void watchAll(SpineUnderTest spine, Random chance, int total) {
        long start = chance.nextInt(50);
        long seen = start;
        while (seen < total) {
            int wanted = (int) Math.min(total - seen, 1 + chance.nextInt(60));
            int demand = 1 + chance.nextInt(5);
            List<Long> got = spine.spine
                    .hub()
                    .events(seen, Scope.all(), scheduler)
                    .rebatchRequests(demand)
                    .take(wanted)
                    .map(WorldEvent::revision)
                    .toList()
                    .blockingGet();
            assertThat(got).isEqualTo(range(seen + 1, seen + wanted));
            seen += wanted;
        }
    }
}
