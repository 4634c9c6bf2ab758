package dev.mooring.runtime.docker;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collection;

/** The engine's language, as trees. */
final class Json {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Json() {}

    /** Takes one of several documents that follow each other. */
    interface Documents {
        void next(JsonNode document) throws IOException;
    }

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    static JsonNode tree(String text) throws IOException {
        return MAPPER.readTree(text);
    }

    /** Each as soon as it is there, until the stream ends. */
    static void each(InputStream in, Documents documents) throws IOException {
        try (JsonParser parser = MAPPER.createParser(in)) {
            while (parser.nextToken() != null) {
                documents.next(MAPPER.readTree(parser));
            }
        }
    }

    static void texts(ObjectNode parent, String field, Collection<String> values) {
        if (!values.isEmpty()) {
            var array = parent.putArray(field);
            values.forEach(array::add);
        }
    }

    /** As the engine wants its filters: each name with its values, as the text of a query's value. */
    static String filter(String name, String value) {
        ObjectNode filters = object();
        filters.putArray(name).add(value);
        return filters.toString();
    }
}
