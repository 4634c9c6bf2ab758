package dev.mooring.api.table;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Json;
import java.io.IOException;
import java.io.OutputStream;

/**
 * A stored object, parsed once: its tree for the columns, and the position of its metadata in the bytes, which are
 * copied instead of encoded again. The tree omits managedFields, which are as large as the rest and not shown by any
 * column. The bytes are not copied and must not change.
 */
final class ParsedObject {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final byte[] NO_METADATA = {'{', '}'};

    private final byte[] bytes;
    private final ObjectNode tree;
    private final int metadataStart;
    private final int metadataEnd;

    private ParsedObject(byte[] bytes, ObjectNode tree, int metadataStart, int metadataEnd) {
        this.bytes = bytes;
        this.tree = tree;
        this.metadataStart = metadataStart;
        this.metadataEnd = metadataEnd;
    }

    /** @throws IllegalStateException if the bytes are not a JSON object, which stored objects always are */
    static ParsedObject parse(byte[] bytes) {
        return read(bytes, true);
    }

    /** Only locates the metadata; the tree is empty. */
    static ParsedObject scan(byte[] bytes) {
        return read(bytes, false);
    }

    ObjectNode tree() {
        return tree;
    }

    void writeTo(OutputStream out) throws IOException {
        out.write(bytes);
    }

    /** Writes the value of {@code metadata}, or an empty object. */
    void writeMetadataTo(OutputStream out) throws IOException {
        if (metadataEnd > metadataStart) {
            out.write(bytes, metadataStart, metadataEnd - metadataStart);
        } else {
            out.write(NO_METADATA);
        }
    }

    private static ParsedObject read(byte[] bytes, boolean wantTree) {
        ObjectNode tree = NODES.objectNode();
        int start = 0;
        int end = 0;
        try (JsonParser json = Json.MAPPER.createParser(bytes)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalStateException("Stored value is not a JSON object but " + json.currentToken());
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
            throw new IllegalStateException("Failed to read stored JSON object: " + e.getMessage(), e);
        }
        return new ParsedObject(bytes, tree, start, end);
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

    /** Reads a tree like Jackson's own reader, but without its overhead per field. The parser limits the depth. */
    private static JsonNode node(JsonParser json) throws IOException {
        return switch (json.currentToken()) {
            case VALUE_STRING -> NODES.textNode(json.getText());
            case VALUE_TRUE -> NODES.booleanNode(true);
            case VALUE_FALSE -> NODES.booleanNode(false);
            case VALUE_NULL -> NODES.nullNode();
            case START_ARRAY -> array(json);
            case START_OBJECT -> object(json);
            default -> Json.MAPPER.readTree(json);
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
