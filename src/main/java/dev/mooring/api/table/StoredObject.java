package dev.mooring.api.table;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStream;

/**
 * An object as the store keeps it, read once: its tree for the columns, and where in the bytes its metadata stands, so that these are
 * copied instead of written anew. Who manages which field is as large as all the rest and no column shows it: the tree goes without.
 * The bytes are not copied and must not change.
 */
final class StoredObject {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final byte[] NO_METADATA = {'{', '}'};

    private final byte[] bytes;
    private final ObjectNode tree;
    private final int metadataStart;
    private final int metadataEnd;

    private StoredObject(byte[] bytes, ObjectNode tree, int metadataStart, int metadataEnd) {
        this.bytes = bytes;
        this.tree = tree;
        this.metadataStart = metadataStart;
        this.metadataEnd = metadataEnd;
    }

    /** @throws IllegalStateException if the bytes are not a JSON object: what the store keeps always is */
    static StoredObject parse(byte[] bytes) {
        return read(bytes, true);
    }

    /** Only finds the metadata; the tree is empty. */
    static StoredObject scan(byte[] bytes) {
        return read(bytes, false);
    }

    ObjectNode tree() {
        return tree;
    }

    void writeTo(OutputStream out) throws IOException {
        out.write(bytes);
    }

    /** Writes the value of {@code metadata}, or an empty one. */
    void writeMetadataTo(OutputStream out) throws IOException {
        if (metadataEnd > metadataStart) {
            out.write(bytes, metadataStart, metadataEnd - metadataStart);
        } else {
            out.write(NO_METADATA);
        }
    }

    private static StoredObject read(byte[] bytes, boolean wantTree) {
        ObjectNode tree = NODES.objectNode();
        int start = 0;
        int end = 0;
        try (JsonParser json = JSON.createParser(bytes)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalStateException("Expected a stored JSON object, but found " + json.currentToken());
            }
            String field = json.nextFieldName();
            while (field != null) {
                JsonToken value = json.nextToken();
                if (field.equals("metadata") && value == JsonToken.START_OBJECT) {
                    start = (int) json.currentTokenLocation().getByteOffset();
                    if (wantTree) {
                        tree.set(field, metadata(json));
                    } else {
                        json.skipChildren();
                    }
                    end = (int) json.currentLocation().getByteOffset();
                } else if (wantTree) {
                    tree.set(field, node(json));
                } else {
                    json.skipChildren();
                }
                field = json.nextFieldName();
            }
        } catch (IOException e) {
            throw new IllegalStateException(
                    "Expected a stored JSON object, but could not read it: " + e.getMessage(), e);
        }
        return new StoredObject(bytes, tree, start, end);
    }

    private static ObjectNode metadata(JsonParser json) throws IOException {
        ObjectNode metadata = NODES.objectNode();
        String field = json.nextFieldName();
        while (field != null) {
            json.nextToken();
            if (field.equals("managedFields")) {
                json.skipChildren();
            } else {
                metadata.set(field, node(json));
            }
            field = json.nextFieldName();
        }
        return metadata;
    }

    /** What Jackson's own reader does, without setting out anew for each field. How deep it goes, the parser limits. */
    private static JsonNode node(JsonParser json) throws IOException {
        return switch (json.currentToken()) {
            case VALUE_STRING -> NODES.textNode(json.getText());
            case VALUE_TRUE -> NODES.booleanNode(true);
            case VALUE_FALSE -> NODES.booleanNode(false);
            case VALUE_NULL -> NODES.nullNode();
            case START_ARRAY -> array(json);
            case START_OBJECT -> object(json);
            default -> JSON.readTree(json);
        };
    }

    private static ArrayNode array(JsonParser json) throws IOException {
        ArrayNode array = NODES.arrayNode();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            array.add(node(json));
        }
        return array;
    }

    private static ObjectNode object(JsonParser json) throws IOException {
        ObjectNode object = NODES.objectNode();
        for (String field = json.nextFieldName(); field != null; field = json.nextFieldName()) {
            json.nextToken();
            object.set(field, node(json));
        }
        return object;
    }
}
