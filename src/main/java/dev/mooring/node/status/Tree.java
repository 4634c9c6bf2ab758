package dev.mooring.node.status;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.StoredObject;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Reads stored objects for which there is no view. Any thread. */
final class Tree {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Tree() {}

    static ObjectNode of(StoredObject stored) {
        try {
            return (ObjectNode) MAPPER.readTree(stored.json());
        } catch (IOException e) {
            throw new UncheckedIOException("Expected " + stored.key() + " to be JSON, but it is not", e);
        }
    }
}
