package dev.mooring.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.Json;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/** Formats log events as text lines or JSON. */
final class EventFormatter {
    private static final int MILLIS = 3;

    private EventFormatter() {}

    /**
     * Prints events as a table: revision, time, type, actor, cause, and the objects with + for created, ~ for changed,
     * - for deleted. Holds the first rows back until it knows how wide their columns are; later ones may still widen
     * them.
     */
    static final class EventTable {
        private static final DateTimeFormatter TIME =
                new DateTimeFormatterBuilder().appendInstant(MILLIS).toFormatter(Locale.ROOT);

        /** Number of rows that determine the widths. */
        private static final int MEASURED_ROWS = 200;

        private final ObjectNames names;
        private final PrintStream out;
        private final List<String[]> held = new ArrayList<>();
        private final int[] widths = new int[5];
        private boolean headed;
        private boolean measured;

        EventTable(ObjectNames names, PrintStream out) {
            this.names = names;
            this.out = out;
        }

        void add(Event event) {
            StringJoiner objects = new StringJoiner(" ");
            for (Change change : event.changes()) {
                char sign = change.isRemoval() ? '-' : change.isCreation() ? '+' : '~';
                objects.add(sign + names.shortened(change.key()));
            }
            if (!headed) {
                headed = true;
                hold("REVISION", "TIME", "TYPE", "ACTOR", "CAUSE", "OBJECTS");
            }
            hold(
                    Long.toString(event.revision()),
                    TIME.format(event.time()),
                    event.type(),
                    event.actor(),
                    event.cause().toString(),
                    objects.toString());
            if (measured || held.size() > MEASURED_ROWS) {
                flush();
            }
        }

        private void hold(String... row) {
            held.add(row);
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }

        /** Prints the rows held back, and later ones at once. */
        void flush() {
            measured = true;
            for (String[] row : held) {
                StringBuilder line = new StringBuilder();
                for (int i = 0; i < widths.length; i++) {
                    line.append(row[i]).append(" ".repeat(widths[i] - row[i].length() + 2));
                }
                out.println(line.append(row[widths.length]).toString().stripTrailing());
            }
            held.clear();
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
