package dev.mooring.world;

import static dev.mooring.testing.Samples.claim;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.log.Retention;
import dev.mooring.testing.SimulatedDisk;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.schedulers.TestScheduler;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SnapshotterTest {
    private final SimulatedDisk disk = new SimulatedDisk();
    private final TestScheduler time = new TestScheduler();

    private Disposable start(LedgerFixture fixture, long everyBytes, Retention retention) throws IOException {
        Snapshotter.Policy policy = new Snapshotter.Policy(everyBytes, Duration.ofHours(1), retention);
        Disposable running = new Snapshotter(
                        fixture.store.log(), fixture.ledger(), fixture.store.hub(), policy, time, fixture.registry)
                .start(e -> {});
        time.triggerActions();
        return running;
    }

    private static List<Long> snapshots(LedgerFixture fixture) throws IOException {
        return fixture.store.log().snapshots().revisions();
    }

    /** Creates or replaces an object and waits until the dispatcher's thread has notified the snapshotter. */
    private void put(LedgerFixture fixture, String content) {
        fixture.put(claim("c" + fixture.world().revision() % 3), content);
        fixture.awaitDispatch();
        time.triggerActions();
    }

    @Test
    void snapshotter_logGrowsByThreshold_writesSnapshot() throws IOException {
        try (LedgerFixture fixture = new LedgerFixture(disk).start()) {
            Disposable running = start(fixture, 10_000, Retention.KEEP_ALL);
            for (int i = 0; i < 7; i++) {
                put(fixture, "x".repeat(1_000));
            }
            assertThat(snapshots(fixture)).isEmpty();
            put(fixture, "x".repeat(1_000));
            assertThat(snapshots(fixture)).containsExactly(8L);
            running.dispose();
        }
        try (LedgerFixture fixture = new LedgerFixture(disk)) {
            assertThat(fixture.world().revision()).isEqualTo(8);
            assertThat(fixture.world().size()).isEqualTo(3);
        }
    }

    @Test
    void snapshotter_hourPassed_writesSnapshotOnlyAfterEvents() throws IOException {
        try (LedgerFixture fixture = new LedgerFixture(disk).start()) {
            Disposable running = start(fixture, 1 << 20, Retention.KEEP_ALL);
            time.advanceTimeBy(5, TimeUnit.HOURS);
            assertThat(snapshots(fixture)).isEmpty();
            put(fixture, "x");
            time.advanceTimeBy(59, TimeUnit.MINUTES);
            assertThat(snapshots(fixture)).isEmpty();
            time.advanceTimeBy(1, TimeUnit.MINUTES);
            assertThat(snapshots(fixture)).containsExactly(1L);
            time.advanceTimeBy(5, TimeUnit.HOURS);
            assertThat(snapshots(fixture)).containsExactly(1L);
            running.dispose();
        }
    }

    @Test
    void snapshotter_largeWorld_writesNoMoreSnapshotBytesThanLogBytes() throws IOException {
        try (LedgerFixture fixture = new LedgerFixture(disk).start()) {
            for (int i = 0; i < 40; i++) {
                fixture.put(claim("large" + i), "x".repeat(1_000));
            }
            Disposable running = start(fixture, 5_000, Retention.KEEP_ALL);
            assertThat(snapshots(fixture)).containsExactly(40L);
            long size = fixture.store.log().snapshots().size(40);
            assertThat(size).isGreaterThan(40_000);
            int more = 0;
            while (snapshots(fixture).size() == 1 && more < 100) {
                put(fixture, "y".repeat(1_000));
                more++;
            }
            assertThat(more * 1_300L).isGreaterThan(size);
            assertThat(more).isLessThan(100);
            running.dispose();
        }
    }

    @Test
    void snapshotter_diskFull_retriesLater() throws IOException {
        try (LedgerFixture fixture = new LedgerFixture(disk).start()) {
            Disposable running = start(fixture, 10_000, Retention.KEEP_ALL);
            for (int i = 0; i < 7; i++) {
                put(fixture, "x".repeat(1_000));
            }
            disk.leaveRoomFor(100);
            put(fixture, "x".repeat(1_000));
            assertThat(snapshots(fixture)).isEmpty();
            assertThat(fixture.registry
                            .get("mooring.snapshot.failures")
                            .counter()
                            .count())
                    .isEqualTo(1);
            disk.leaveRoomFor(Long.MAX_VALUE);
            time.advanceTimeBy(1, TimeUnit.MINUTES);
            assertThat(snapshots(fixture)).containsExactly(8L);
            running.dispose();
        }
    }

    @Test
    void snapshotter_afterSnapshot_appliesRetention() throws IOException {
        try (LedgerFixture fixture = new LedgerFixture(disk).start()) {
            Retention small = new Retention(Optional.empty(), OptionalLong.of(30_000));
            Disposable running = start(fixture, 10_000, small);
            for (int i = 0; i < 120; i++) {
                put(fixture, "x".repeat(1_000));
            }
            assertThat(fixture.store.log().firstRevision()).isGreaterThan(50);
            assertThat(fixture.store.history().at(fixture.store.history().oldest()))
                    .isNotNull();
            running.dispose();
        }
    }
}
