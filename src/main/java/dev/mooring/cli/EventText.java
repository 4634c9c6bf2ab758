package dev.mooring.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Events as lines: for people, and as JSON for programs. */
final class EventText {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private EventText() {}

    /** One line: when, what, who, why, and the objects with + for made, ~ for changed, - for removed. */
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

    /** The whole event, objects included, on one line. */
    static String json(Event event) {
        StringWriter out = new StringWriter();
        try (JsonGenerator generator = MAPPER.getFactory().createGenerator(out)) {
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
