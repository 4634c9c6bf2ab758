package dev.mooring.runtime.docker;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Json;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collection;

/** Reads and writes the engine's JSON as trees. */
final class DockerJson {
    private DockerJson() {}

    /** Receives one of several concatenated documents. */
    interface Documents {
        void next(JsonNode document) throws IOException;
    }

    /** Passes on each document as soon as it has arrived, until the stream ends. */
    static void each(InputStream in, Documents documents) throws IOException {
        try (JsonParser parser = Json.MAPPER.createParser(in)) {
            while (parser.nextToken() != null) {
                documents.next(Json.MAPPER.readTree(parser));
            }
        }
    }

    static void texts(ObjectNode parent, String field, Collection<String> values) {
        if (!values.isEmpty()) {
            var array = parent.putArray(field);
            values.forEach(array::add);
        }
    }

    /** Returns an encoded filter parameter: each name with its values. */
    static String filter(String name, String value) {
        ObjectNode filters = Json.MAPPER.createObjectNode();
        filters.putArray(name).add(value);
        return filters.toString();
    }
}
