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

/** Cuts, flips and power failures: what was acknowledged is there afterwards, or the log says that it is damaged. */
class LogCrashTest {
    private final SimulatedDisk disk = new SimulatedDisk();

    /** What a log held after each batch. */
    private record Written(Path lastSegment, List<LogPosition> ends, List<dev.mooring.world.World> worlds) {
        /** The batches that end at or before an offset of the last segment. */
        int wholeUpTo(long offset) {
            int whole = 0;
            for (int i = 0; i < ends.size(); i++) {
                boolean inLast = lastSegment
                        .getFileName()
                        .toString()
                        .equals(LogFiles.segment(ends.get(i).segment()));
                if (!inLast || ends.get(i).offset() <= offset) {
                    whole = i;
                }
            }
            return whole;
        }

        long firstRevisionOfBatchAt(long offset) {
            return ends.get(wholeUpTo(offset)).revision() + 1;
        }
    }

    /** Holds all that is written here in one segment, and keeps what is preallocated small. */
    private static final long ONE_SEGMENT = 16_000;

    private Written write(long segmentBytes) throws IOException {
        try (LogUnderTest log = LogUnderTest.open(disk, LogUnderTest.DIRECTORY, segmentBytes)) {
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
    void shouldReopenWithExactlyTheAcknowledgedPrefixWhereverTheLogIsCut() throws IOException {
        for (long segmentBytes : new long[] {ONE_SEGMENT, 1_000}) {
            Written written = write(segmentBytes);
            byte[] content = disk.content(written.lastSegment);
            int end = (int) written.ends.get(written.ends.size() - 1).offset();
            for (int cut = Frames.SEGMENT_HEADER; cut <= end; cut++) {
                byte[] shortened = Arrays.copyOf(content, cut);
                reopenAfterCut(written, shortened, cut, "cut at " + cut);
                reopenAfterCut(written, Arrays.copyOf(shortened, content.length), cut, "zeros from " + cut);
            }
            disk.delete(LogUnderTest.DIRECTORY.resolve(LogFiles.STATE));
            for (long segment : LogFiles.segments(disk, LogUnderTest.DIRECTORY)) {
                disk.delete(LogUnderTest.DIRECTORY.resolve(LogFiles.segment(segment)));
            }
        }
    }

    private void reopenAfterCut(Written written, byte[] content, int cut, String what) throws IOException {
        SimulatedDisk crashed = disk.copy();
        crashed.overwrite(written.lastSegment, content);
        int whole = written.wholeUpTo(cut);
        try (LogUnderTest log = LogUnderTest.open(crashed, LogUnderTest.DIRECTORY, ONE_SEGMENT)) {
            assertThat(log.restored).as(what).isEqualTo(written.worlds.get(whole));
            log.append("goes on");
        } catch (LogDamagedException e) {
            fail(what + ": expected " + whole + " batches, but " + e.getMessage());
        }
        try (LogUnderTest log = LogUnderTest.open(crashed, LogUnderTest.DIRECTORY, ONE_SEGMENT)) {
            assertThat(log.log.lastRevision())
                    .as(what)
                    .isEqualTo(written.worlds.get(whole).revision() + 1);
        }
    }

    @Test
    void shouldDetectEachFlippedBit() throws IOException {
        Written written = write(ONE_SEGMENT);
        byte[] content = disk.content(written.lastSegment);
        int end = (int) written.ends.get(written.ends.size() - 1).offset();
        var whole = written.worlds.get(written.worlds.size() - 1);
        for (int bit = 0; bit < end * 8; bit++) {
            byte[] flipped = content.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            SimulatedDisk damaged = disk.copy();
            damaged.overwrite(written.lastSegment, flipped);
            String what = "bit " + bit % 8 + " of byte " + bit / 8 + " of " + end;
            LogDamagedException damage = catchDamage(damaged, what);
            assertThat(damage.file())
                    .as(what)
                    .isEqualTo(written.lastSegment.getFileName().toString());
            assertThat(damage.revision()).as(what).isEqualTo(written.firstRevisionOfBatchAt(bit / 8));
            assertThat(damaged.content(written.lastSegment))
                    .as(what + ": nothing is changed")
                    .isEqualTo(flipped);
        }
        for (int bit = end * 8; bit < (end + 2_000) * 8; bit += 3) {
            byte[] flipped = content.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            SimulatedDisk harmless = disk.copy();
            harmless.overwrite(written.lastSegment, flipped);
            try (LogUnderTest log = LogUnderTest.open(harmless, LogUnderTest.DIRECTORY, ONE_SEGMENT)) {
                assertThat(log.restored).isEqualTo(whole);
                log.append("goes on");
            }
        }
    }

    private static LogDamagedException catchDamage(SimulatedDisk disk, String what) throws IOException {
        try (LogUnderTest log = LogUnderTest.open(disk, LogUnderTest.DIRECTORY, ONE_SEGMENT)) {
            return fail(what + " was not noticed: opened at revision " + log.log.lastRevision());
        } catch (LogDamagedException e) {
            return e;
        }
    }

    @Test
    void shouldDetectAFlippedBitInASegmentThatIsNotTheLast() throws IOException {
        Written written = write(1_000);
        Path first = LogUnderTest.DIRECTORY.resolve(LogFiles.segment(1));
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
    void shouldSurvivePowerFailuresInTheMiddleOfAnything() throws IOException {
        for (long seed = 0; seed < 3_000; seed++) {
            Random chance = new Random(seed);
            SimulatedDisk machine = new SimulatedDisk();
            dev.mooring.world.World acknowledged = dev.mooring.world.World.EMPTY;
            for (int life = 0; life < 3; life++) {
                int syncsToLive = chance.nextInt(12);
                SimulatedDisk current = machine;
                int before = current.syncs();
                current.onSync(file -> {
                    if (current.syncs() - before >= syncsToLive) {
                        throw new PowerOff();
                    }
                });
                try (LogUnderTest log = LogUnderTest.open(current, LogUnderTest.DIRECTORY, 1_200)) {
                    assertThat(log.restored.revision())
                            .as("seed " + seed)
                            .isGreaterThanOrEqualTo(acknowledged.revision());
                    acknowledged = log.restored;
                    while (true) {
                        log.append(contents(chance));
                        acknowledged = log.world;
                        if (chance.nextInt(5) == 0) {
                            log.snapshot();
                        }
                    }
                } catch (PowerOff e) {
                    machine = chance.nextInt(4) == 0 ? current.killedProcess() : current.powerFailure(chance);
                } catch (IOException e) {
                    fail("seed " + seed + ": " + e.getMessage(), e);
                }
            }
            try (LogUnderTest log = LogUnderTest.open(machine, LogUnderTest.DIRECTORY, 1_200)) {
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

    private static String[] contents(Random chance) {
        String[] contents = new String[1 + chance.nextInt(3)];
        for (int i = 0; i < contents.length; i++) {
            contents[i] = "z".repeat(chance.nextInt(700));
        }
        return contents;
    }

    @Test
    void shouldFallBackToTheSnapshotBeforeADamagedOne() throws IOException {
        try (LogUnderTest log = LogUnderTest.open(disk, LogUnderTest.DIRECTORY, ONE_SEGMENT)) {
            log.append("a", "b");
            log.snapshot();
            log.append("c");
            log.snapshot();
            log.append("d");
        }
        dev.mooring.world.World whole;
        try (LogUnderTest log = LogUnderTest.open(disk, LogUnderTest.DIRECTORY, ONE_SEGMENT)) {
            whole = log.restored;
        }
        Path newest = LogUnderTest.DIRECTORY.resolve(LogFiles.snapshot(3));
        byte[] content = disk.content(newest);
        for (int bit = 0; bit < content.length * 8; bit++) {
            byte[] flipped = content.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            SimulatedDisk damaged = disk.copy();
            damaged.overwrite(newest, flipped);
            Snapshots snapshots = new Snapshots(damaged, LogUnderTest.DIRECTORY, (name, damage) -> {});
            assertThatThrownBy(() -> snapshots.load(3)).as("bit " + bit).isInstanceOf(LogDamagedException.class);
            try (LogUnderTest log = LogUnderTest.open(damaged, LogUnderTest.DIRECTORY, ONE_SEGMENT)) {
                assertThat(log.restored).isEqualTo(whole);
            }
        }
    }

    @Test
    void shouldRefuseALogThatEndsBeforeItsSnapshot() throws IOException {
        try (LogUnderTest log = LogUnderTest.open(disk, LogUnderTest.DIRECTORY, ONE_SEGMENT)) {
            log.append("a");
            long end = log.log.end().offset();
            log.append("b".repeat(2_000));
            log.snapshot();
            byte[] content = disk.content(log.segment(1));
            disk.overwrite(log.segment(1), Arrays.copyOf(content, (int) end));
        }
        assertThatThrownBy(() -> LogUnderTest.open(disk.copy()))
                .isInstanceOf(LogDamagedException.class)
                .hasMessageContaining("had been committed");
    }
}
