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

    private Disposable start(SpineUnderTest spine, long everyBytes, Retention retention) throws IOException {
        Snapshotter.Policy policy = new Snapshotter.Policy(everyBytes, Duration.ofHours(1), retention);
        Disposable running = new Snapshotter(
                        spine.spine.log(), spine.ledger(), spine.spine.hub(), policy, time, spine.registry)
                .start(e -> {});
        time.triggerActions();
        return running;
    }

    private static List<Long> snapshots(SpineUnderTest spine) throws IOException {
        return spine.spine.log().snapshots().revisions();
    }

    /** Puts something and lets the snapshotter hear of it: watchers are woken on the dispatcher's thread. */
    private void put(SpineUnderTest spine, String content) {
        spine.put(claim("c" + spine.world().revision() % 3), content);
        spine.awaitDispatch();
        time.triggerActions();
    }

    @Test
    void shouldWriteASnapshotAfterSoMuchLog() throws IOException {
        try (SpineUnderTest spine = new SpineUnderTest(disk).start()) {
            Disposable running = start(spine, 10_000, Retention.KEEP_ALL);
            for (int i = 0; i < 7; i++) {
                put(spine, "x".repeat(1_000));
            }
            assertThat(snapshots(spine)).isEmpty();
            put(spine, "x".repeat(1_000));
            assertThat(snapshots(spine)).containsExactly(8L);
            running.dispose();
        }
        try (SpineUnderTest spine = new SpineUnderTest(disk)) {
            assertThat(spine.world().revision()).isEqualTo(8);
            assertThat(spine.world().size()).isEqualTo(3);
        }
    }

    @Test
    void shouldWriteASnapshotAfterAnHourIfAnythingHappened() throws IOException {
        try (SpineUnderTest spine = new SpineUnderTest(disk).start()) {
            Disposable running = start(spine, 1 << 20, Retention.KEEP_ALL);
            time.advanceTimeBy(5, TimeUnit.HOURS);
            assertThat(snapshots(spine)).isEmpty();
            put(spine, "x");
            time.advanceTimeBy(59, TimeUnit.MINUTES);
            assertThat(snapshots(spine)).isEmpty();
            time.advanceTimeBy(1, TimeUnit.MINUTES);
            assertThat(snapshots(spine)).containsExactly(1L);
            time.advanceTimeBy(5, TimeUnit.HOURS);
            assertThat(snapshots(spine)).containsExactly(1L);
            running.dispose();
        }
    }

    @Test
    void shouldNotWriteMoreSnapshotThanLog() throws IOException {
        try (SpineUnderTest spine = new SpineUnderTest(disk).start()) {
            for (int i = 0; i < 40; i++) {
                spine.put(claim("large" + i), "x".repeat(1_000));
            }
            Disposable running = start(spine, 5_000, Retention.KEEP_ALL);
            assertThat(snapshots(spine)).containsExactly(40L);
            long size = spine.spine.log().snapshots().size(40);
            assertThat(size).isGreaterThan(40_000);
            int more = 0;
            while (snapshots(spine).size() == 1 && more < 100) {
                put(spine, "y".repeat(1_000));
                more++;
            }
            assertThat(more * 1_300L).isGreaterThan(size);
            assertThat(more).isLessThan(100);
            running.dispose();
        }
    }

    @Test
    void shouldTryAgainLaterWhenTheDiskIsFull() throws IOException {
        try (SpineUnderTest spine = new SpineUnderTest(disk).start()) {
            Disposable running = start(spine, 10_000, Retention.KEEP_ALL);
            for (int i = 0; i < 7; i++) {
                put(spine, "x".repeat(1_000));
            }
            disk.leaveRoomFor(100);
            put(spine, "x".repeat(1_000));
            assertThat(snapshots(spine)).isEmpty();
            assertThat(spine.registry.get("mooring.snapshot.failures").counter().count())
                    .isEqualTo(1);
            disk.leaveRoomFor(Long.MAX_VALUE);
            time.advanceTimeBy(1, TimeUnit.MINUTES);
            assertThat(snapshots(spine)).containsExactly(8L);
            running.dispose();
        }
    }

    @Test
    void shouldApplyTheRetention() throws IOException {
        try (SpineUnderTest spine = new SpineUnderTest(disk).start()) {
            Retention little = new Retention(Optional.empty(), OptionalLong.of(30_000));
            Disposable running = start(spine, 10_000, little);
            for (int i = 0; i < 120; i++) {
                put(spine, "x".repeat(1_000));
            }
            assertThat(spine.spine.log().firstRevision()).isGreaterThan(50);
            assertThat(spine.spine.history().at(spine.spine.history().oldest())).isNotNull();
            running.dispose();
        }
    }
}
