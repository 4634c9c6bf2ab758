package dev.mooring.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.Json;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/** Formats log events as text lines or JSON. */
final class EventFormatter {
    private static final int MILLIS = 3;

    private EventFormatter() {}

    /**
     * Formats events as a table: revision, time, type, actor, cause, and the objects with + for created, ~ for changed,
     * - for deleted. Columns grow with their widest value, because the events are not known in advance.
     */
    static final class EventTable {
        private static final DateTimeFormatter TIME =
                new DateTimeFormatterBuilder().appendInstant(MILLIS).toFormatter(Locale.ROOT);

        private final ObjectNames names;
        private final int[] widths = {8, 24, 20, 12, 12};
        private boolean begun;

        EventTable(ObjectNames names) {
            this.names = names;
        }

        /** Returns the line of an event, after that of the headings if it is the first. */
        List<String> lines(Event event) {
            StringJoiner objects = new StringJoiner(" ");
            for (Change change : event.changes()) {
                char sign = change.isRemoval() ? '-' : change.isCreation() ? '+' : '~';
                objects.add(sign + names.shortened(change.key()));
            }
            String line = row(
                    Long.toString(event.revision()),
                    TIME.format(event.time()),
                    event.type(),
                    event.actor(),
                    event.cause().toString(),
                    objects.toString());
            if (begun) {
                return List.of(line);
            }
            begun = true;
            return List.of(row("REVISION", "TIME", "TYPE", "ACTOR", "CAUSE", "OBJECTS"), line);
        }

        private String row(String... cells) {
            StringBuilder row = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], cells[i].length());
                row.append(cells[i]).append(" ".repeat(widths[i] - cells[i].length() + 2));
            }
            return row.append(cells[widths.length]).toString().stripTrailing();
        }
    }

    /** Returns the whole event with its objects as one line of JSON. */
    static String json(Event event) {
        StringWriter out = new StringWriter();
        try (JsonGenerator generator = Json.MAPPER.getFactory().createGenerator(out)) {
            generator.writeStartObject();
            generator.writeNumberField("revision", event.revision());
            generator.writeStringField("time", event.time().toString());
            generator.writeStringField("type", event.type());
            generator.writeStringField("actor", event.actor());
            generator.writeObjectFieldStart("cause");
            if (event.cause().revision() != 0) {
                generator.writeNumberField("revision", event.cause().revision());
            }
            if (!event.cause().request().isEmpty()) {
                generator.writeStringField("request", event.cause().request());
            }
            generator.writeEndObject();
            generator.writeArrayFieldStart("changes");
            for (Change change : event.changes()) {
                write(change, generator);
            }
            generator.writeEndArray();
            generator.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toString();
    }

    private static void write(Change change, JsonGenerator generator) throws IOException {
        generator.writeStartObject();
        generator.writeStringField("change", change.isRemoval() ? "removed" : "put");
        generator.writeStringField("key", change.key().text());
        generator.writeNumberField("prior", change.prior());
        generator.writeFieldName("object");
        generator.writeRawValue(new String(change.object().json(), StandardCharsets.UTF_8));
        generator.writeEndObject();
    }
}
