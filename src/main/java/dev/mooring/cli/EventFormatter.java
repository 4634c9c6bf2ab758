package dev.mooring.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.Json;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Formats log events as text lines or JSON. */
final class EventFormatter {
    private EventFormatter() {}

    /** Returns one line: time, type, actor, cause, and the objects with + for created, ~ for changed, - for deleted. */
    static String line(Event event) {
        StringBuilder line = new StringBuilder();
        line.append(event.revision()).append("  ").append(event.time()).append("  ");
        line.append(event.type()).append("  by ").append(event.actor());
        line.append("  because of ").append(event.cause()).append(' ');
        for (Change change : event.changes()) {
            char sign = change.isRemoval() ? '-' : change.isCreation() ? '+' : '~';
            line.append(' ').append(sign).append(change.key());
        }
        return line.toString();
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
