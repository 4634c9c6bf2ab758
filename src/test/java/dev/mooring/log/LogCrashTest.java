package dev.mooring.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import dev.mooring.testing.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** After cuts, flipped bits and power failures the log holds all acknowledged events or reports damage. */
class LogCrashTest {
    private final SimulatedDisk disk = new SimulatedDisk();

    /** The positions and Worlds of a log after each batch. */
    private record Written(Path lastSegment, List<LogPosition> ends, List<dev.mooring.world.World> worlds) {
        /** Returns the number of batches that end at or before an offset of the last segment. */
        int completeBatches(long offset) {
            int complete = 0;
            for (int i = 0; i < ends.size(); i++) {
                boolean inLast = lastSegment
                        .getFileName()
                        .toString()
                        .equals(LogFiles.segment(ends.get(i).segment()));
                if (!inLast || ends.get(i).offset() <= offset) {
                    complete = i;
                }
            }
            return complete;
        }

        long firstRevisionOfBatchAt(long offset) {
            return ends.get(completeBatches(offset)).revision() + 1;
        }
    }

    /** Large enough for all events of these tests, small enough for fast preallocation. */
    private static final long ONE_SEGMENT = 16_000;

    private Written write(long segmentBytes) throws IOException {
        try (EventLogFixture log = EventLogFixture.open(disk, EventLogFixture.DIRECTORY, segmentBytes)) {
            List<dev.mooring.world.World> worlds = new ArrayList<>(List.of(log.world));
            String[][] batches = {{"first"}, {"second", "third"}, {"x".repeat(700), "short", "y".repeat(900)}, {"last"}
            };
            for (String[] contents : batches) {
                log.append(contents);
                worlds.add(log.world);
            }
            return new Written(log.segment(log.log.end().segment()), List.copyOf(log.ends), worlds);
        }
    }

    @Test
    void eventLog_cutAtAnyByte_restoresCompleteBatches() throws IOException {
        for (long segmentBytes : new long[] {ONE_SEGMENT, 1_000}) {
            Written written = write(segmentBytes);
            byte[] content = disk.content(written.lastSegment);
            int end = (int) written.ends.get(written.ends.size() - 1).offset();
            for (int cut = SegmentFormat.SEGMENT_HEADER; cut <= end; cut++) {
                byte[] shortened = Arrays.copyOf(content, cut);
                reopenAfterCut(written, shortened, cut, "cut at " + cut);
                reopenAfterCut(written, Arrays.copyOf(shortened, content.length), cut, "zeros from " + cut);
            }
            disk.delete(EventLogFixture.DIRECTORY.resolve(LogFiles.STATE));
            for (long segment : LogFiles.segments(disk, EventLogFixture.DIRECTORY)) {
                disk.delete(EventLogFixture.DIRECTORY.resolve(LogFiles.segment(segment)));
            }
        }
    }

    private void reopenAfterCut(Written written, byte[] content, int cut, String description) throws IOException {
        SimulatedDisk crashed = disk.copy();
        crashed.overwrite(written.lastSegment, content);
        int complete = written.completeBatches(cut);
        try (EventLogFixture log = EventLogFixture.open(crashed, EventLogFixture.DIRECTORY, ONE_SEGMENT)) {
            assertThat(log.restored).as(description).isEqualTo(written.worlds.get(complete));
            log.append("goes on");
        } catch (LogDamagedException e) {
            fail(description + ": expected " + complete + " batches, but " + e.getMessage());
        }
        try (EventLogFixture log = EventLogFixture.open(crashed, EventLogFixture.DIRECTORY, ONE_SEGMENT)) {
            assertThat(log.log.lastRevision())
                    .as(description)
                    .isEqualTo(written.worlds.get(complete).revision() + 1);
        }
    }

    @Test
    void eventLog_bitFlippedInLastSegment_isDamagedUnlessBehindTheEnd() throws IOException {
        Written written = write(ONE_SEGMENT);
        byte[] content = disk.content(written.lastSegment);
        int end = (int) written.ends.get(written.ends.size() - 1).offset();
        var complete = written.worlds.get(written.worlds.size() - 1);
        for (int bit = 0; bit < end * 8; bit++) {
            byte[] flipped = content.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            SimulatedDisk damaged = disk.copy();
            damaged.overwrite(written.lastSegment, flipped);
            String description = "bit " + bit % 8 + " of byte " + bit / 8 + " of " + end;
            LogDamagedException damage = catchDamage(damaged, description);
            assertThat(damage.file())
                    .as(description)
                    .isEqualTo(written.lastSegment.getFileName().toString());
            assertThat(damage.revision()).as(description).isEqualTo(written.firstRevisionOfBatchAt(bit / 8));
            assertThat(damaged.content(written.lastSegment))
                    .as(description + ": file is unchanged")
                    .isEqualTo(flipped);
        }
        for (int bit = end * 8; bit < (end + 2_000) * 8; bit += 3) {
            byte[] flipped = content.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            SimulatedDisk harmless = disk.copy();
            harmless.overwrite(written.lastSegment, flipped);
            try (EventLogFixture log = EventLogFixture.open(harmless, EventLogFixture.DIRECTORY, ONE_SEGMENT)) {
                assertThat(log.restored).isEqualTo(complete);
                log.append("goes on");
            }
        }
    }

    private static LogDamagedException catchDamage(SimulatedDisk disk, String description) throws IOException {
        try (EventLogFixture log = EventLogFixture.open(disk, EventLogFixture.DIRECTORY, ONE_SEGMENT)) {
            return fail(description + " was not detected: opened at revision " + log.log.lastRevision());
        } catch (LogDamagedException e) {
            return e;
        }
    }

    @Test
    void eventLog_bitFlippedInEarlierSegment_isDamaged() throws IOException {
        Written written = write(1_000);
        Path first = EventLogFixture.DIRECTORY.resolve(LogFiles.segment(1));
        assertThat(first).isNotEqualTo(written.lastSegment);
        byte[] content = disk.content(first);
        for (int bit = 0; bit < content.length * 8; bit++) {
            byte[] flipped = content.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            SimulatedDisk damaged = disk.copy();
            damaged.overwrite(first, flipped);
            catchDamage(damaged, "bit " + bit);
        }
    }

    @Test
    void eventLog_powerFailureAtAnySync_keepsAcknowledgedEvents() throws IOException {
        for (long seed = 0; seed < 3_000; seed++) {
            Random random = new Random(seed);
            SimulatedDisk machine = new SimulatedDisk();
            dev.mooring.world.World acknowledged = dev.mooring.world.World.EMPTY;
            for (int run = 0; run < 3; run++) {
                int syncsBeforeFailure = random.nextInt(12);
                SimulatedDisk current = machine;
                int before = current.syncs();
                current.onSync(file -> {
                    if (current.syncs() - before >= syncsBeforeFailure) {
                        throw new PowerOff();
                    }
                });
                try (EventLogFixture log = EventLogFixture.open(current, EventLogFixture.DIRECTORY, 1_200)) {
                    assertThat(log.restored.revision())
                            .as("seed " + seed)
                            .isGreaterThanOrEqualTo(acknowledged.revision());
                    acknowledged = log.restored;
                    while (true) {
                        log.append(contents(random));
                        acknowledged = log.world;
                        if (random.nextInt(5) == 0) {
                            log.snapshot();
                        }
                    }
                } catch (PowerOff e) {
                    machine = random.nextInt(4) == 0 ? current.killedProcess() : current.powerFailure(random);
                } catch (IOException e) {
                    fail("seed " + seed + ": " + e.getMessage(), e);
                }
            }
            try (EventLogFixture log = EventLogFixture.open(machine, EventLogFixture.DIRECTORY, 1_200)) {
                assertThat(log.restored.revision()).as("seed " + seed).isGreaterThanOrEqualTo(acknowledged.revision());
                assertThat(log.readFrom(1)).hasSize((int) log.restored.revision());
            } catch (IOException e) {
                fail("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    /** Not an IOException: the log has no chance to react. */
    private static final class PowerOff extends Error {
        private static final long serialVersionUID = 1L;
    }

    private static String[] contents(Random random) {
        String[] contents = new String[1 + random.nextInt(3)];
        for (int i = 0; i < contents.length; i++) {
            contents[i] = "z".repeat(random.nextInt(700));
        }
        return contents;
    }

    @Test
    void eventLog_newestSnapshotDamaged_restoresFromEarlierOne() throws IOException {
        try (EventLogFixture log = EventLogFixture.open(disk, EventLogFixture.DIRECTORY, ONE_SEGMENT)) {
            log.append("a", "b");
            log.snapshot();
            log.append("c");
            log.snapshot();
            log.append("d");
        }
        dev.mooring.world.World complete;
        try (EventLogFixture log = EventLogFixture.open(disk, EventLogFixture.DIRECTORY, ONE_SEGMENT)) {
            complete = log.restored;
        }
        Path newest = EventLogFixture.DIRECTORY.resolve(LogFiles.snapshot(3));
        byte[] content = disk.content(newest);
        for (int bit = 0; bit < content.length * 8; bit++) {
            byte[] flipped = content.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            SimulatedDisk damaged = disk.copy();
            damaged.overwrite(newest, flipped);
            Snapshots snapshots =
                    new Snapshots(damaged, EventLogFixture.DIRECTORY, Encryption.NONE, (name, damage) -> {});
            assertThatThrownBy(() -> snapshots.load(3)).as("bit " + bit).isInstanceOf(LogDamagedException.class);
            try (EventLogFixture log = EventLogFixture.open(damaged, EventLogFixture.DIRECTORY, ONE_SEGMENT)) {
                assertThat(log.restored).isEqualTo(complete);
            }
        }
    }

    @Test
    void eventLog_endsBeforeSnapshot_isDamaged() throws IOException {
        try (EventLogFixture log = EventLogFixture.open(disk, EventLogFixture.DIRECTORY, ONE_SEGMENT)) {
            log.append("a");
            long end = log.log.end().offset();
            log.append("b".repeat(2_000));
            log.snapshot();
            byte[] content = disk.content(log.segment(1));
            disk.overwrite(log.segment(1), Arrays.copyOf(content, (int) end));
        }
        assertThatThrownBy(() -> EventLogFixture.open(disk.copy()))
                .isInstanceOf(LogDamagedException.class)
                .hasMessageContaining("had been committed");
    }
}
