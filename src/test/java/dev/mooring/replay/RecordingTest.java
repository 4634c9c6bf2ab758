package dev.mooring.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.log.Batch;
import dev.mooring.log.FileEventLog;
import dev.mooring.log.LogInspector;
import dev.mooring.log.LogPosition;
import dev.mooring.log.Retention;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.testing.SampleLog;
import dev.mooring.testing.Samples;
import dev.mooring.testing.SimulatedDisk;
import dev.mooring.world.World;
import dev.mooring.world.WorldRestore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RecordingTest {
    private static final int EVENTS = 300;
    private static final Recording.Retained FEW = new Recording.Retained(8, 4);

    private final SimulatedDisk disk = new SimulatedDisk();

    private Recording open() throws IOException {
        return Recording.ofLog(new LogInspector(disk, SampleLog.DIRECTORY), FEW);
    }

    /** Returns the Worlds by an independent replay. */
    private List<World> replayed() throws IOException {
        List<World> worlds = new ArrayList<>(List.of(World.EMPTY));
        new LogInspector(disk, SampleLog.DIRECTORY).walk(1, (Batch batch, LogPosition end) -> {
            batch.events()
                    .forEach(event -> worlds.add(worlds.get(worlds.size() - 1).after(event)));
            return true;
        });
        return worlds;
    }

    @Test
    void world_anyOrderOfSteps_equalsTheReplayedOne() throws IOException {
        SampleLog.write(disk, EVENTS, 40, 170);
        List<World> expected = replayed();
        Recording recording = open();

        assertThat(recording.first()).isZero();
        assertThat(recording.last()).isEqualTo(EVENTS);
        for (int revision = 0; revision <= EVENTS; revision++) {
            assertThat(recording.world(revision)).isEqualTo(expected.get(revision));
        }
        for (int revision = EVENTS; revision >= 0; revision--) {
            assertThat(recording.world(revision)).isEqualTo(expected.get(revision));
        }
        Random random = new Random(7);
        for (int i = 0; i < 200; i++) {
            int revision = random.nextInt(EVENTS + 1);
            assertThat(recording.world(revision)).as("revision %s", revision).isEqualTo(expected.get(revision));
            if (revision > 0) {
                assertThat(recording.event(revision).orElseThrow().revision()).isEqualTo(revision);
            }
        }
        assertThat(recording.checkpoints()).isLessThanOrEqualTo(4);
    }

    @Test
    void worldsBackwards_shareObjects_insteadOfReadingThemAgain() throws IOException {
        SampleLog.write(disk, EVENTS);
        Recording recording = open();
        ObjectKey key = Samples.claim("c3");

        World later = recording.world(296);
        assertThat(recording.world(295).get(Samples.claim("c0")).orElseThrow())
                .isSameAs(later.get(Samples.claim("c0")).orElseThrow());
        assertThat(recording.world(296)).isSameAs(later);
        assertThat(later.get(key)).isPresent();
    }

    @Test
    void event_outsideTheWindow_isFound() throws IOException {
        SampleLog.write(disk, EVENTS);
        Recording recording = open();

        recording.world(250);
        assertThat(recording.event(3).orElseThrow().revision()).isEqualTo(3);
        assertThat(recording.event(0)).isEmpty();
        assertThatThrownBy(() -> recording.event(EVENTS + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Revision must be from 0 to 300, got 301");
    }

    @Test
    void events_iterateFromARevisionToTheEnd() throws IOException {
        SampleLog.write(disk, EVENTS);
        List<Long> revisions = new ArrayList<>();
        open().events(290).forEachRemaining(event -> revisions.add(event.revision()));
        assertThat(revisions).containsExactly(291L, 292L, 293L, 294L, 295L, 296L, 297L, 298L, 299L, 300L);
    }

    @Test
    void revisionAt_time_isTheNewestNotAfterIt() throws IOException {
        SampleLog.write(disk, EVENTS, 100);
        Recording recording = open();
        long base = 1_700_000_000_000L;

        assertThat(recording.revisionAt(Instant.ofEpochMilli(base))).isZero();
        assertThat(recording.revisionAt(Instant.ofEpochMilli(base + 99))).isEqualTo(99);
        assertThat(recording.revisionAt(Instant.ofEpochMilli(base + 123))).isEqualTo(123);
        assertThat(recording.revisionAt(Instant.ofEpochMilli(base + 999))).isEqualTo(EVENTS);
        assertThat(recording.time(123)).contains(Instant.ofEpochMilli(base + 123));
    }

    @Test
    void newestOf_existingAndDeletedObjects_areTheirLastEvents() throws IOException {
        WorldRestore restore = new WorldRestore();
        try (FileEventLog log = FileEventLog.open(disk, SampleLog.DIRECTORY, 6_000, Clock.systemUTC(), restore)) {
            World world = restore.world();
            for (int i = 0; i < 60; i++) {
                ObjectKey key = Samples.claim("c" + i % 3);
                Event event = i == 45 ? Samples.removal(world, key) : Samples.put(world, key, "v" + i);
                world = world.after(event);
                log.append(Samples.batch(world, event));
            }
        }
        Recording recording = open();

        assertThat(recording.newestOf(Samples.claim("c1"), 60, 3))
                .extracting(Event::revision)
                .containsExactly(59L, 56L, 53L);
        List<Event> ofDeleted = recording.newestOf(Samples.claim("c0"), 47, 2);
        assertThat(ofDeleted).extracting(Event::revision).containsExactly(46L, 43L);
        assertThat(ofDeleted.get(0).changes()).allMatch(Change::isRemoval);
    }

    @Test
    void logWithoutItsOldestSegments_startsWithASnapshot() throws IOException {
        SampleLog.write(disk, EVENTS, 100, 200);
        try (FileEventLog log =
                FileEventLog.open(disk, SampleLog.DIRECTORY, 6_000, Clock.systemUTC(), new WorldRestore())) {
            log.applyRetention(new Retention(Optional.empty(), OptionalLong.of(1)));
        }
        Recording recording = open();

        assertThat(recording.first()).isEqualTo(100);
        assertThat(recording.event(100)).isEmpty();
        assertThat(recording.time(100)).contains(Instant.ofEpochMilli(1_700_000_000_100L));
        assertThat(recording.world(EVENTS).revision()).isEqualTo(EVENTS);
        assertThat(recording.world(101).revision()).isEqualTo(101);
        assertThatThrownBy(() -> recording.world(99)).hasMessageContaining("from 100 to 300");
    }

    @Test
    void damageInTheLastSegment_endsTheRecordingBeforeIt() throws IOException {
        SampleLog.write(disk, EVENTS);
        List<Path> segments = SampleLog.segments(disk);
        Path last = segments.get(segments.size() - 1);
        byte[] content = disk.content(last);
        content[SampleLog.endOfContent(content) / 2] ^= 1;
        disk.overwrite(last, content);

        Recording recording = open();
        assertThat(recording.last()).isBetween((long) EVENTS / 2, EVENTS - 1L);
        assertThat(recording.world(recording.last()).revision()).isEqualTo(recording.last());
    }
}
