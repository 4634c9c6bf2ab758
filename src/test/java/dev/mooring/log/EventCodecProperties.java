package dev.mooring.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.Cause;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.testing.SimulatedDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

/** Whatever an event holds, the log gives it back. */
class EventCodecProperties {
    /** An event before it has its revision. */
    record Sketch(long time, String type, String actor, Cause cause, List<String> contents) {}

    @Provide
    Arbitrary<Sketch> sketch() {
        Arbitrary<String> text = Arbitraries.strings().all().ofMaxLength(50).filter(EventCodecProperties::isUnicode);
        Arbitrary<Cause> cause =
                Combinators.combine(Arbitraries.longs().greaterOrEqual(0), text).as(Cause::of);
        return Combinators.combine(
                        Arbitraries.longs().between(0, 253_402_300_799_999L),
                        text,
                        text,
                        cause,
                        text.list().ofMinSize(1).ofMaxSize(5))
                .as(Sketch::new);
    }

    private static boolean isUnicode(String text) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }

    @Property(tries = 300)
    void shouldGiveBackEveryEvent(@ForAll @Size(min = 1, max = 12) List<@net.jqwik.api.From("sketch") Sketch> sketches)
            throws IOException {
        List<Event> events = new ArrayList<>();
        for (Sketch sketch : sketches) {
            events.add(event(events.size() + 1, sketch));
        }
        SimulatedDisk disk = new SimulatedDisk();
        try (FileEventLog log =
                FileEventLog.open(disk, LogUnderTest.DIRECTORY, 2_000, Clock.systemUTC(), Replay.IGNORE)) {
            int half = events.size() / 2;
            if (half > 0) {
                log.append(new Batch(events.subList(0, half), 1));
            }
            log.append(new Batch(events.subList(half, events.size()), -2));
        }
        List<Event> read = new ArrayList<>();
        try (FileEventLog log =
                        FileEventLog.open(disk, LogUnderTest.DIRECTORY, 2_000, Clock.systemUTC(), Replay.IGNORE);
                EventReader reader = log.read(1)) {
            for (Optional<Batch> batch = reader.next(); batch.isPresent(); batch = reader.next()) {
                read.addAll(batch.get().events());
            }
            assertThat(log.end().digest()).isEqualTo(-2);
        }
        assertThat(read).isEqualTo(events);
    }

    private static Event event(long revision, Sketch sketch) {
        List<Change> changes = new ArrayList<>();
        for (String content : sketch.contents()) {
            ObjectKey key = ObjectKey.clusterWide("things", "n" + changes.size());
            StoredObject object = new StoredObject(key, revision, content.getBytes(StandardCharsets.UTF_8));
            changes.add(
                    changes.size() % 2 == 0 ? Change.put(object, revision / 2) : Change.removed(object, revision - 1));
        }
        return new Event(
                revision, Instant.ofEpochMilli(sketch.time()), sketch.type(), sketch.actor(), sketch.cause(), changes);
    }
}
