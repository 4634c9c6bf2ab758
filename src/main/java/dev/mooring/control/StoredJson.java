package dev.mooring.control;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.mooring.model.Json;
import dev.mooring.model.StoredObject;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Reads single fields of stored objects without parsing the rest, if possible. Pure; thread-safe. */
public final class StoredJson {
    private static final String DELETION = "deletionTimestamp";

    private StoredJson() {}

    /** Returns {@code metadata.uid}, or "" if there is none, without parsing the rest. */
    public static String uid(StoredObject object) {
        try (JsonParser parser = Json.MAPPER.getFactory().createParser(object.json())) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                boolean metadata = parser.currentName().equals("metadata");
                JsonToken value = parser.nextToken();
                if (metadata && value == JsonToken.START_OBJECT) {
                    return text(parser, "uid");
                }
                parser.skipChildren();
            }
            return "";
        } catch (IOException e) {
            throw new UncheckedIOException(object.key() + " is not valid JSON", e);
        }
    }

    private static String text(JsonParser parser, String field) throws IOException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            boolean found = parser.currentName().equals(field);
            JsonToken value = parser.nextToken();
            if (found) {
                return value == JsonToken.VALUE_STRING ? parser.getText() : "";
            }
            parser.skipChildren();
        }
        return "";
    }

    /** Returns whether the object has a deletionTimestamp. */
    public static boolean isBeingDeleted(StoredObject object) {
        return object.containsText(DELETION) && object.tree().path("metadata").hasNonNull(DELETION);
    }
}
