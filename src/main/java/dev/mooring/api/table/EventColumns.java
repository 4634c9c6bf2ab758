package dev.mooring.api.table;

import static dev.mooring.api.table.ColumnFields.at;
import static dev.mooring.api.table.ColumnFields.isPresent;
import static dev.mooring.api.table.ColumnFields.text;
import static dev.mooring.api.table.ColumnFields.textOr;
import static dev.mooring.api.table.ColumnFields.time;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.types.Column;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Columns of Events, which may be single, counted or a series. */
final class EventColumns {
    static final List<Column> EVENT = ColumnListBuilder.withoutName()
            .text("Last Seen", "Time since the event was last seen.", (event, now) -> AgeFormat.since(last(event), now))
            .text("Type", "Normal or Warning.", (event, now) -> text(event, "type"))
            .text("Reason", "Reason of the event.", (event, now) -> text(event, "reason"))
            .text("Object", "Object of the event.", (event, now) -> object(event))
            .wide("Subobject", "Part of the object.", (event, now) -> text(event, "involvedObject", "fieldPath"))
            .wide("Source", "Reporter of the event.", (event, now) -> source(event))
            .text(
                    "Message",
                    "Message of the event.",
                    (event, now) -> text(event, "message").strip())
            .wide(
                    "First Seen",
                    "Time since the event was first seen.",
                    (event, now) -> AgeFormat.since(first(event), now))
            .wide("Count", "Number of occurrences.", (event, now) -> count(event))
            .wideName()
            .build();

    private EventColumns() {}

    private static Optional<Instant> first(JsonNode event) {
        return time(event, "firstTimestamp").or(() -> time(event, "eventTime"));
    }

    private static Optional<Instant> last(JsonNode event) {
        return isPresent(event, "series")
                ? time(event, "series", "lastObservedTime")
                : time(event, "lastTimestamp").or(() -> first(event));
    }

    private static long count(JsonNode event) {
        if (isPresent(event, "series")) {
            return at(event, "series", "count").asLong(0);
        }
        long count = event.path("count").asLong(0);
        return count == 0 ? 1 : count;
    }

    private static String object(JsonNode event) {
        String kind = text(event, "involvedObject", "kind").toLowerCase(Locale.ROOT);
        String name = text(event, "involvedObject", "name");
        return name.isEmpty() ? kind : kind + "/" + name;
    }

    private static String source(JsonNode event) {
        String component = textOr(text(event, "reportingComponent"), event, "source", "component");
        String instance = textOr(text(event, "reportingInstance"), event, "source", "host");
        return instance.isEmpty() ? component : component + ", " + instance;
    }
}
