package dev.mooring.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.model.Cause;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.SearchOrder;
import dev.mooring.testing.Samples;
import dev.mooring.testing.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Events are found by object, cause and time: in memory, in index files, and after their loss, damage or age. */
class SegmentIndexTest {
    private static final long SEGMENT_BYTES = 300_000;
    private static final int OBJECTS = 50;
    private static final long START = 1_700_000_000_000L;

    private final SimulatedDisk disk = new SimulatedDisk();
    private final List<Event> events = new ArrayList<>();
    private final Random random = new Random(3);

    private FileEventLog open() throws IOException {
        return FileEventLog.open(disk, EventLogFixture.DIRECTORY, SEGMENT_BYTES, Clock.systemUTC(), Replay.IGNORE);
    }

    private void append(FileEventLog log, int count) throws IOException {
        while (count > 0) {
            List<Event> batch = new ArrayList<>();
            for (int size = Math.min(count, 1 + random.nextInt(20)); size > 0; size--, count--) {
                long revision = events.size() + 1L;
                Change change = Change.put(
                        Samples.draft(key(random.nextInt(OBJECTS)), "x".repeat(random.nextInt(200)))
                                .at(revision),
                        0);
                Cause cause = revision % 3 == 0 ? Cause.revision(revision - 2) : Cause.request("r" + revision);
                // Several events share a time.
                Instant time = Instant.ofEpochMilli(START + revision / 4 * 10);
                Event event = new Event(revision, time, "Put", "tester", cause, List.of(change));
                events.add(event);
                batch.add(event);
            }
            log.append(new Batch(batch, 0));
        }
    }

    private static ObjectKey key(int number) {
        return Samples.claim("claim-" + number);
    }

    @BeforeEach
    void write() throws IOException {
        try (FileEventLog log = open()) {
            append(log, 4000);
            check(log);
        }
        assertThat(segments()).hasSizeGreaterThan(4);
    }

    private List<String> segments() throws IOException {
        return disk.list(EventLogFixture.DIRECTORY).stream()
                .filter(name -> name.endsWith(".log"))
                .toList();
    }

    private List<Path> indexes() throws IOException {
        return disk.list(EventLogFixture.DIRECTORY).stream()
                .filter(name -> name.endsWith(".index"))
                .map(EventLogFixture.DIRECTORY::resolve)
                .toList();
    }

    private void check(FileEventLog log) throws IOException {
        long first = log.firstRevision();
        for (int i = 0; i < OBJECTS; i += 7) {
            ObjectKey key = key(i);
            List<Long> expected = revisions(event ->
                    event.revision() >= first && event.changes().get(0).key().equals(key));
            assertThat(find(log, EventTerm.object(key), 1, Long.MAX_VALUE, SearchOrder.OLDEST_FIRST))
                    .isEqualTo(expected);
            Collections.reverse(expected);
            assertThat(find(log, EventTerm.object(key), 1, Long.MAX_VALUE, SearchOrder.NEWEST_FIRST))
                    .isEqualTo(expected);
            assertThat(find(log, EventTerm.object(key), 1000, 2000, SearchOrder.NEWEST_FIRST))
                    .isEqualTo(expected.stream()
                            .filter(revision -> revision >= 1000 && revision <= 2000)
                            .toList());
        }
        assertThat(find(log, EventTerm.object(Samples.claim("unknown")), 1, 9000, SearchOrder.OLDEST_FIRST))
                .isEmpty();
        for (long cause = 1; cause < 4000; cause += 301) {
            long wanted = cause;
            assertThat(find(log, EventTerm.cause(cause), 1, Long.MAX_VALUE, SearchOrder.OLDEST_FIRST))
                    .isEqualTo(revisions(
                            event -> event.revision() >= first && event.cause().revision() == wanted));
        }
        for (long millis = START - 20; millis < START + 11_000; millis += 77) {
            long wanted = millis;
            long expected = events.stream()
                    .filter(event -> event.time().toEpochMilli() <= wanted)
                    .mapToLong(Event::revision)
                    .reduce(0, Math::max);
            assertThat(log.revisionAt(millis)).isEqualTo(Math.max(expected, first - 1));
        }
        for (long revision = first; revision <= events.size(); revision += 333) {
            try (EventReader reader = log.read(revision)) {
                assertThat(reader.next().orElseThrow().events().get(0)).isEqualTo(events.get((int) revision - 1));
            }
        }
    }

    private List<Long> revisions(Predicate<Event> wanted) {
        return new ArrayList<>(
                events.stream().filter(wanted).map(Event::revision).toList());
    }

    private static List<Long> find(FileEventLog log, EventTerm term, long from, long to, SearchOrder order)
            throws IOException {
        RevisionReader reader = log.find(term, from, to, order);
        List<Long> found = new ArrayList<>();
        for (OptionalLong next = reader.next(); next.isPresent(); next = reader.next()) {
            found.add(next.getAsLong());
        }
        return found;
    }

    @Test
    void reopenedLog_withoutIndexes_makesThemOnTheFirstSearch() throws IOException {
        try (FileEventLog log = open()) {
            check(log);
            assertThat(indexes()).hasSize(segments().size() - 1);
            append(log, 700);
            check(log);
        }
    }

    @Test
    void storeIndexes_movesThemFromMemoryToFiles() throws IOException {
        try (FileEventLog log = open()) {
            append(log, 4000);
            log.storeIndexes();
            assertThat(indexes()).hasSize(segments().size() - 1);
            check(log);
            append(log, 1500);
            check(log);
        }
        try (FileEventLog log = open()) {
            check(log);
        }
    }

    @Test
    void damagedIndex_isMadeAgain() throws IOException {
        try (FileEventLog log = open()) {
            log.storeIndexes();
            for (Path index : indexes()) {
                for (long at = 100; at < disk.size(index); at += 1500) {
                    flip(index, at);
                }
            }
            check(log);
        }
        for (Path index : indexes()) {
            flip(index, 20);
        }
        try (FileEventLog log = open()) {
            check(log);
        }
    }

    private void flip(Path file, long at) throws IOException {
        try (Disk.DiskFile open = disk.openForWriting(file)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            open.read(at, one);
            open.write(at, ByteBuffer.wrap(new byte[] {(byte) ~one.get(0)}));
        }
    }

    @Test
    void indexOfAnotherSegmentContent_isNotUsed() throws IOException {
        try (FileEventLog log = open()) {
            log.storeIndexes();
        }
        List<Path> old = indexes();
        SimulatedDisk other = new SimulatedDisk();
        events.clear();
        try (FileEventLog log =
                FileEventLog.open(other, EventLogFixture.DIRECTORY, SEGMENT_BYTES, Clock.systemUTC(), Replay.IGNORE)) {
            append(log, 4000);
        }
        copy(disk, other, old.get(0));
        try (FileEventLog log =
                FileEventLog.open(other, EventLogFixture.DIRECTORY, SEGMENT_BYTES, Clock.systemUTC(), Replay.IGNORE)) {
            check(log);
        }
    }

    private static void copy(Disk from, Disk to, Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) from.size(file));
        try (Disk.DiskFile source = from.openForReading(file);
                Disk.DiskFile target = to.openForWriting(file)) {
            source.read(0, bytes);
            target.write(0, bytes.flip());
        }
    }

    @Test
    void retention_removesIndexesWithTheirSegments() throws IOException {
        try (FileEventLog log = open()) {
            log.storeIndexes();
            for (int i = 0; i < 2; i++) {
                append(log, 30);
                log.snapshots().write(log.end(), 0, List.of());
            }
            assertThat(log.applyRetention(new Retention(Optional.empty(), OptionalLong.of(400_000))))
                    .isPositive();
            assertThat(indexes()).hasSize(segments().size() - 1);
            check(log);
        }
    }

    @Test
    void killedWriter_afterRecovery_findsTheBatchThatWasDurable() throws IOException {
        try (FileEventLog log = open()) {
            append(log, 100);
            disk.onSync(file -> {
                throw new ThreadDeath();
            });
            assertThatThrownBy(() -> append(log, 1)).isInstanceOf(ThreadDeath.class);
            disk.onSync(file -> {});
            log.recover();
            assertThat(log.lastRevision()).isEqualTo(events.size());
            append(log, 100);
            check(log);
            append(log, 2000);
            log.storeIndexes();
            check(log);
        }
    }

    @Test
    void indexThatCannotBeWritten_isSearchedInMemory() throws IOException {
        try (FileEventLog log = open()) {
            disk.onWrite(file -> {
                throw new IOException("No space left on device");
            });
            check(log);
            assertThat(indexes()).isEmpty();
        } finally {
            disk.onWrite(file -> {});
        }
    }
}
