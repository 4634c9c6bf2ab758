package dev.mooring.api.table;

import static dev.mooring.api.table.Fields.at;
import static dev.mooring.api.table.Fields.isThere;
import static dev.mooring.api.table.Fields.text;
import static dev.mooring.api.table.Fields.textOr;
import static dev.mooring.api.table.Fields.time;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.kind.Column;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Events, which may come once, be counted, or be told as a series. */
final class EventColumns {
    static final List<Column> EVENT = ColumnList.unnamed()
            .text("Last Seen", "How long ago this was last noticed.", (event, now) -> Ages.since(last(event), now))
            .text("Type", "Normal or Warning.", (event, now) -> text(event, "type"))
            .text("Reason", "One word on what happened.", (event, now) -> text(event, "reason"))
            .text("Object", "What it happened to.", (event, now) -> object(event))
            .wide("Subobject", "The part it happened to.", (event, now) -> text(event, "involvedObject", "fieldPath"))
            .wide("Source", "Who noticed it.", (event, now) -> source(event))
            .text(
                    "Message",
                    "What happened, in a sentence.",
                    (event, now) -> text(event, "message").strip())
            .wide("First Seen", "How long ago this was first noticed.", (event, now) -> Ages.since(first(event), now))
            .wide("Count", "How often it was noticed.", (event, now) -> count(event))
            .wideName()
            .build();

    private EventColumns() {}

    private static Optional<Instant> first(JsonNode event) {
        return time(event, "firstTimestamp").or(() -> time(event, "eventTime"));
    }

    private static Optional<Instant> last(JsonNode event) {
        return isThere(event, "series")
                ? time(event, "series", "lastObservedTime")
                : time(event, "lastTimestamp").or(() -> first(event));
    }

    private static long count(JsonNode event) {
        if (isThere(event, "series")) {
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
