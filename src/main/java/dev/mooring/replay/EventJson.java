package dev.mooring.replay;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.Cause;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.Json;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Converts events to lines of JSON, with whole objects, and back. */
public final class EventJson {
    private static final String REMOVED = "removed";
    private static final String REVISION = "revision";
    private static final String CHANGE = "change";
    private static final String CHANGES = "changes";
    private static final String CAUSE = "cause";
    private static final String REQUEST = "request";
    private static final String OBJECT = "object";

    private EventJson() {}

    /** Returns the event with its objects as one line. */
    public static String encode(Event event) {
        StringWriter out = new StringWriter();
        try (JsonGenerator generator = Json.MAPPER.getFactory().createGenerator(out)) {
            generator.writeStartObject();
            generator.writeNumberField(REVISION, event.revision());
            generator.writeStringField("time", event.time().toString());
            generator.writeStringField("type", event.type());
            generator.writeStringField("actor", event.actor());
            generator.writeObjectFieldStart(CAUSE);
            if (event.cause().revision() != 0) {
                generator.writeNumberField(REVISION, event.cause().revision());
            }
            if (!event.cause().request().isEmpty()) {
                generator.writeStringField(REQUEST, event.cause().request());
            }
            generator.writeEndObject();
            generator.writeArrayFieldStart(CHANGES);
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
        generator.writeStringField(CHANGE, change.isRemoval() ? REMOVED : "put");
        generator.writeStringField("key", change.key().text());
        generator.writeNumberField("prior", change.prior());
        generator.writeFieldName(OBJECT);
        generator.writeRawValue(new String(change.object().json(), StandardCharsets.UTF_8));
        generator.writeEndObject();
    }

    /**
     * Returns the event of a line.
     *
     * @throws IOException if the line is not an event
     */
    public static Event decode(String line) throws IOException {
        JsonNode tree = Json.MAPPER.readTree(line);
        long revision = tree.path(REVISION).asLong();
        List<Change> changes = new ArrayList<>();
        for (JsonNode each : tree.path(CHANGES)) {
            StoredObject object = object(each, revision);
            long prior = each.path("prior").asLong();
            changes.add(
                    each.path(CHANGE).asText().equals(REMOVED)
                            ? Change.removed(object, prior)
                            : Change.put(object, prior));
        }
        try {
            return new Event(
                    revision,
                    Instant.parse(tree.path("time").asText()),
                    tree.path("type").asText(),
                    tree.path("actor").asText(),
                    Cause.of(
                            tree.path(CAUSE).path(REVISION).asLong(),
                            tree.path(CAUSE).path(REQUEST).asText("")),
                    changes);
        } catch (DateTimeException e) {
            throw new IOException("Event " + revision + " has no valid time", e);
        }
    }

    /** Returns the object of a tree with {@code key} and {@code object}. */
    static StoredObject object(JsonNode tree, long revision) throws IOException {
        ObjectKey key;
        try {
            key = ObjectKey.parse(tree.path("key").asText());
        } catch (IllegalArgumentException e) {
            throw new IOException("Revision " + revision + " has an object with an invalid key", e);
        }
        return new StoredObject(key, revision, Json.MAPPER.writeValueAsBytes(tree.path(OBJECT)));
    }
}
