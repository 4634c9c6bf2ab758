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

/** The log returns every event as it was appended. */
class EventCodecProperties {
    /** An event without its revision. */
    record EventTemplate(long time, String type, String actor, Cause cause, List<String> contents) {}

    @Provide
    Arbitrary<EventTemplate> template() {
        Arbitrary<String> text = Arbitraries.strings().all().ofMaxLength(50).filter(EventCodecProperties::isUnicode);
        Arbitrary<Cause> cause =
                Combinators.combine(Arbitraries.longs().greaterOrEqual(0), text).as(Cause::of);
        return Combinators.combine(
                        Arbitraries.longs().between(0, 253_402_300_799_999L),
                        text,
                        text,
                        cause,
                        text.list().ofMinSize(1).ofMaxSize(5))
                .as(EventTemplate::new);
    }

    private static boolean isUnicode(String text) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }

    @Property(tries = 300)
    void eventLog_anyEvents_areReadUnchanged(
            @ForAll @Size(min = 1, max = 12) List<@net.jqwik.api.From("template") EventTemplate> templates)
            throws IOException {
        List<Event> events = new ArrayList<>();
        for (EventTemplate template : templates) {
            events.add(event(events.size() + 1, template));
        }
        SimulatedDisk disk = new SimulatedDisk();
        try (FileEventLog log =
                FileEventLog.open(disk, EventLogFixture.DIRECTORY, 2_000, Clock.systemUTC(), Replay.IGNORE)) {
            int half = events.size() / 2;
            if (half > 0) {
                log.append(new Batch(events.subList(0, half), 1));
            }
            log.append(new Batch(events.subList(half, events.size()), -2));
        }
        List<Event> read = new ArrayList<>();
        try (FileEventLog log =
                        FileEventLog.open(disk, EventLogFixture.DIRECTORY, 2_000, Clock.systemUTC(), Replay.IGNORE);
                EventReader reader = log.read(1)) {
            for (Optional<Batch> batch = reader.next(); batch.isPresent(); batch = reader.next()) {
                read.addAll(batch.get().events());
            }
            assertThat(log.end().digest()).isEqualTo(-2);
        }
        assertThat(read).isEqualTo(events);
    }

    private static Event event(long revision, EventTemplate template) {
        List<Change> changes = new ArrayList<>();
        for (String content : template.contents()) {
            ObjectKey key = ObjectKey.clusterWide("things", "n" + changes.size());
            StoredObject object = new StoredObject(key, revision, content.getBytes(StandardCharsets.UTF_8));
            changes.add(
                    changes.size() % 2 == 0 ? Change.put(object, revision / 2) : Change.removed(object, revision - 1));
        }
        return new Event(
                revision,
                Instant.ofEpochMilli(template.time()),
                template.type(),
                template.actor(),
                template.cause(),
                changes);
    }
}
