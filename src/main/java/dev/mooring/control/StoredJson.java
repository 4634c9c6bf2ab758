package dev.mooring.control;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.StoredObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Ways to read a stored object, from the cheapest to the dearest. Pure; any thread. */
public final class StoredJson {
    private static final String DELETION = "deletionTimestamp";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private StoredJson() {}

    /**
     * Whether a word is anywhere in an object. Fields are always stored as they are spelled, so an object that does not mention a
     * field does not have it; one that does may or may not.
     *
     * @param word ASCII
     */
    public static boolean mentions(StoredObject object, String word) {
        byte[] json = object.json();
        int last = json.length - word.length();
        char first = word.charAt(0);
        for (int at = 0; at <= last; at++) {
            if (json[at] == first && isAt(json, at, word)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isAt(byte[] json, int at, String word) {
        for (int i = 1; i < word.length(); i++) {
            if (json[at + i] != word.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** The object's {@code metadata.uid}, "" if it has none, without reading the rest. */
    public static String uid(StoredObject object) {
        try (JsonParser parser = MAPPER.getFactory().createParser(object.json())) {
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
            throw notJson(object, e);
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

    /** Whether it has been marked to be deleted. */
    public static boolean isBeingDeleted(StoredObject object) {
        return mentions(object, DELETION) && tree(object).path("metadata").hasNonNull(DELETION);
    }

    /** All of it, to be read or changed. */
    public static ObjectNode tree(StoredObject object) {
        try {
            if (MAPPER.readTree(object.json()) instanceof ObjectNode tree) {
                return tree;
            }
        } catch (IOException e) {
            throw notJson(object, e);
        }
        throw new IllegalArgumentException("Expected " + object.key() + " to be a JSON object, but it is "
                + new String(object.json(), StandardCharsets.UTF_8));
    }

    private static UncheckedIOException notJson(StoredObject object, IOException cause) {
        return new UncheckedIOException("Expected " + object.key() + " to be JSON, but it is not", cause);
    }
}
