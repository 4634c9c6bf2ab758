package dev.mooring.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.model.Cause;
import dev.mooring.model.Change;
import dev.mooring.model.CompactedException;
import dev.mooring.model.Event;
import dev.mooring.testing.Samples;
import dev.mooring.testing.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileEventLogTest {
    private final SimulatedDisk disk = new SimulatedDisk();

    @Test
    void eventLog_reopened_returnsAppendedEvents() throws IOException {
        List<Event> written;
        try (EventLogFixture log = EventLogFixture.open(disk)) {
            log.append("one");
            log.append("two", "three with ü and \u0000 and \ud83d\ude00");
            written = log.readFrom(1);
        }
        try (EventLogFixture log = EventLogFixture.open(disk)) {
            assertThat(log.log.lastRevision()).isEqualTo(3);
            assertThat(log.readFrom(1)).isEqualTo(written).hasSize(3);
            assertThat(log.readFrom(3)).isEqualTo(written.subList(2, 3));
            assertThat(log.readFrom(4)).isEmpty();
        }
    }

    @Test
    void eventLog_event_keepsTypeActorCauseTimeAndChanges() throws IOException {
        Change created = Change.put(Samples.draft(Samples.claim("a"), "x").at(1), 0);
        Change bound = Change.put(Samples.draft(Samples.volume("v"), "y").at(1), 0);
        Event event = new Event(
                1,
                java.time.Instant.ofEpochMilli(1_234_567),
                "VolumeBound",
                "persistentvolume-controller",
                Cause.of(812, "request-7"),
                List.of(created, bound));
        try (EventLogFixture log = EventLogFixture.open(disk)) {
            log.log.append(Samples.batch(log.world.after(event), event));
            assertThat(log.readFrom(1)).containsExactly(event);
        }
    }

    @Test
    void eventLog_severalSegments_isReadFromAnyRevision() throws IOException {
        try (EventLogFixture log = EventLogFixture.open(disk, EventLogFixture.DIRECTORY, 2_000)) {
            for (int i = 0; i < 40; i++) {
                log.append("a" + i, "b" + i);
            }
            assertThat(LogFiles.segments(disk, EventLogFixture.DIRECTORY)).hasSizeGreaterThan(5);
            for (int from = 1; from <= 81; from++) {
                List<Event> events = log.readFrom(from);
                assertThat(events).hasSize(81 - from);
                assertThat(events.isEmpty() ? from : events.get(0).revision()).isEqualTo(from);
            }
        }
        try (EventLogFixture log = EventLogFixture.open(disk, EventLogFixture.DIRECTORY, 2_000)) {
            assertThat(log.readFrom(17)).hasSize(64);
        }
    }

    @Test
    void eventLog_largeSegment_findsRevisionByIndex() throws IOException {
        String large = "x".repeat(5_000);
        try (EventLogFixture log = EventLogFixture.open(disk)) {
            for (int i = 0; i < 100; i++) {
                log.append(large + i);
            }
            assertThat(log.readFrom(57).get(0).revision()).isEqualTo(57);
        }
        try (EventLogFixture log = EventLogFixture.open(disk)) {
            assertThat(log.readFrom(57).get(0).revision()).isEqualTo(57);
            log.append("more");
            assertThat(log.readFrom(101)).hasSize(1);
        }
    }

    @Test
    void reader_eventsAppendedAcrossSegments_continues() throws IOException {
        try (EventLogFixture log = EventLogFixture.open(disk, EventLogFixture.DIRECTORY, 1_500);
                EventReader reader = log.log.read(1)) {
            assertThat(reader.next()).isEmpty();
            for (int i = 1; i <= 30; i++) {
                log.append("e" + i);
                assertThat(reader.next().orElseThrow().firstRevision()).isEqualTo(i);
                assertThat(reader.next()).isEmpty();
            }
        }
    }

    @Test
    void eventLog_batchLargerThanSegment_isAccepted() throws IOException {
        try (EventLogFixture log = EventLogFixture.open(disk, EventLogFixture.DIRECTORY, 1_000)) {
            log.append("small");
            log.append("y".repeat(300_000), "z".repeat(3_000_000));
            log.append("small again");
        }
        try (EventLogFixture log = EventLogFixture.open(disk, EventLogFixture.DIRECTORY, 1_000)) {
            assertThat(log.readFrom(1)).hasSize(4);
        }
    }

    @Test
    void eventLog_directoryInUse_doesNotOpen(@TempDir Path directory) throws IOException {
        Disk real = new RealDisk();
        try (EventLogFixture owner = EventLogFixture.open(real, directory, 1 << 20)) {
            assertThatThrownBy(() -> EventLogFixture.open(real, directory, 1 << 20))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(directory.toString())
                    .hasMessageContaining("another Mooring process");
        }
        EventLogFixture.open(real, directory, 1 << 20).close();
    }

    @Test
    void eventLog_batchWithRevisionGap_isRejected() throws IOException {
        try (EventLogFixture log = EventLogFixture.open(disk)) {
            Event third = Samples.event(
                    3, Change.put(Samples.draft(Samples.claim("a"), "x").at(3), 0));
            assertThatThrownBy(() -> log.log.append(Samples.batch(log.world, third)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("must start with revision 1");
            log.append("still works");
        }
    }

    @Test
    void eventLog_batchOfSeveralEvents_syncsOnce() throws IOException {
        try (EventLogFixture log = EventLogFixture.open(disk)) {
            int before = disk.syncs();
            log.append("a", "b", "c");
            assertThat(disk.syncs()).isEqualTo(before + 1);
        }
    }

    @Test
    void retention_bySize_keepsEventsSinceTheSecondNewestSnapshot() throws IOException {
        Retention tiny = new Retention(Optional.empty(), OptionalLong.of(1));
        try (EventLogFixture log = EventLogFixture.open(disk, EventLogFixture.DIRECTORY, 1_500)) {
            for (int i = 0; i < 30; i++) {
                log.append("e" + i);
                if (i == 10 || i == 20 || i == 25) {
                    log.snapshot();
                }
            }
            assertThat(log.log.applyRetention(Retention.KEEP_ALL)).isZero();
            assertThat(log.log.applyRetention(tiny)).isPositive();
            assertThat(log.log.firstRevision()).isGreaterThan(11).isLessThanOrEqualTo(22);
            assertThat(log.log.snapshots().revisions()).containsExactly(21L, 26L);
            assertThatThrownBy(() -> log.readFrom(5))
                    .isInstanceOf(CompactedException.class)
                    .hasMessageContaining("Revision 5 is no longer kept")
                    .hasMessageContaining("" + log.log.firstRevision());
        }
        try (EventLogFixture log = EventLogFixture.open(disk, EventLogFixture.DIRECTORY, 1_500)) {
            assertThat(log.log.lastRevision()).isEqualTo(30);
            assertThat(log.world.size()).isEqualTo(7);
        }
    }

    @Test
    void retention_byAge_removesOldSegments() throws IOException {
        try (EventLogFixture log = EventLogFixture.open(disk, EventLogFixture.DIRECTORY, 1_500)) {
            for (int i = 0; i < 30; i++) {
                log.append("e" + i);
                if (i == 20 || i == 25) {
                    log.snapshot();
                }
            }
            Retention ages = new Retention(Optional.of(Duration.ofDays(365_000)), OptionalLong.empty());
            assertThat(log.log.applyRetention(ages)).isZero();
            Retention hour = new Retention(Optional.of(Duration.ofHours(1)), OptionalLong.empty());
            assertThat(log.log.applyRetention(hour)).isPositive();
        }
    }

    @Test
    void eventLog_segmentMissing_isDamaged() throws IOException {
        try (EventLogFixture log = EventLogFixture.open(disk, EventLogFixture.DIRECTORY, 1_500)) {
            for (int i = 0; i < 30; i++) {
                log.append("e" + i);
            }
        }
        List<Long> segments = LogFiles.segments(disk, EventLogFixture.DIRECTORY);
        SimulatedDisk withoutMiddle = disk.copy();
        withoutMiddle.delete(EventLogFixture.DIRECTORY.resolve(LogFiles.segment(segments.get(2))));
        assertThatThrownBy(() -> EventLogFixture.open(withoutMiddle))
                .isInstanceOf(LogDamagedException.class)
                .hasMessageContaining("does not continue")
                .hasMessageContaining("mooring log verify")
                .hasMessageContaining("mooring log export");
        SimulatedDisk withoutFirst = disk.copy();
        withoutFirst.delete(EventLogFixture.DIRECTORY.resolve(LogFiles.segment(1)));
        assertThatThrownBy(() -> EventLogFixture.open(withoutFirst))
                .isInstanceOf(LogDamagedException.class)
                .hasMessageContaining("does not start with revision 1");
    }

    @Test
    void replay_longLog_isInOrderAndPropagatesExceptions() throws IOException {
        int batches = 3_000;
        try (EventLogFixture log = EventLogFixture.open(disk)) {
            for (int i = 0; i < batches; i++) {
                log.append("a" + i, "b" + i);
            }
        }
        Collector whole = new Collector(Long.MAX_VALUE);
        open(whole).close();
        assertThat(whole.seen).isEqualTo(2L * batches);

        Collector failing = new Collector(4_500);
        assertThatThrownBy(() -> open(failing)).isInstanceOf(IOException.class).hasMessage("limit reached");
        assertThat(failing.seen).isLessThan(4_500);
        open(whole).close();
    }

    private FileEventLog open(RestoreTarget restore) throws IOException {
        return FileEventLog.open(disk, EventLogFixture.DIRECTORY, 1 << 20, java.time.Clock.systemUTC(), restore);
    }

    /** Checks that revisions are consecutive, and fails at a limit. */
    private static final class Collector implements RestoreTarget {
        private final long limit;
        private long seen;

        Collector(long limit) {
            this.limit = limit;
        }

        @Override
        public void snapshot(Snapshot snapshot) {
            throw new AssertionError("unexpected snapshot");
        }

        @Override
        public void batch(Batch batch) throws IOException {
            if (batch.lastRevision() >= limit) {
                throw new IOException("limit reached");
            }
            seen = batch.firstRevision() == 1 ? 0 : seen;
            assertThat(batch.firstRevision()).isEqualTo(seen + 1);
            seen = batch.lastRevision();
        }
    }
}
