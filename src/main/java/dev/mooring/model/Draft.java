package dev.mooring.model;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/**
 * An object to be written: encoded, except for its future revision.
 *
 * <p>The proposer's thread encodes the object; the ledger's single thread only inserts the digits of the revision
 * between two byte arrays. Unknown fields are preserved, in order.
 */
public final class Draft {
    private static final JsonFactory JSON = Json.MAPPER.getFactory();
    private static final String METADATA = "metadata";
    private static final String RESOURCE_VERSION = "resourceVersion";

    private final ObjectKey key;
    private final byte[] encoded;
    private final int revisionAt;

    private Draft(ObjectKey key, byte[] encoded, int revisionAt) {
        this.key = key;
        this.encoded = encoded;
        this.revisionAt = revisionAt;
    }

    /**
     * Encodes an object. Its {@code metadata} must match the key; its {@code resourceVersion} is replaced when the
     * object is committed.
     */
    public static Draft of(ObjectKey key, ObjectNode object) {
        JsonNode metadata = object.path(METADATA);
        requireSame(key, "metadata.name", metadata.path("name").asText(""), key.name());
        requireSame(
                key,
                "metadata.namespace",
                metadata.path("namespace").asText(""),
                key.namespace().orElse(""));
        ByteArrayOutputStream out = new ByteArrayOutputStream(512);
        try (JsonGenerator generator = JSON.createGenerator(out)) {
            generator.setCodec(Json.MAPPER);
            int revisionAt = 0;
            generator.writeStartObject();
            for (Map.Entry<String, JsonNode> field : object.properties()) {
                generator.writeFieldName(field.getKey());
                if (field.getKey().equals(METADATA)) {
                    revisionAt = writeMetadata(generator, (ObjectNode) field.getValue(), out);
                } else {
                    generator.writeTree(field.getValue());
                }
            }
            generator.writeEndObject();
            generator.flush();
            return new Draft(key, out.toByteArray(), revisionAt);
        } catch (IOException e) {
            throw new UncheckedIOException("Failed to encode " + key + " as JSON", e);
        }
    }

    /** Returns a draft of an existing object: the last state that a removal records. */
    public static Draft of(StoredObject object) {
        byte[] json = object.json();
        try (JsonParser parser = JSON.createParser(json)) {
            int depth = 0;
            boolean inMetadata = false;
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token.isStructStart()) {
                    depth++;
                    inMetadata = inMetadata || (depth == 2 && METADATA.equals(parser.currentName()));
                } else if (token.isStructEnd()) {
                    inMetadata = inMetadata && depth > 2;
                    depth--;
                } else if (inMetadata
                        && depth == 2
                        && token == JsonToken.VALUE_STRING
                        && RESOURCE_VERSION.equals(parser.currentName())) {
                    int digits = (int) parser.currentTokenLocation().getByteOffset() + 1;
                    int length = parser.getTextLength();
                    byte[] encoded = new byte[json.length - length];
                    System.arraycopy(json, 0, encoded, 0, digits);
                    System.arraycopy(json, digits + length, encoded, digits, encoded.length - digits);
                    return new Draft(object.key(), encoded, digits);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(object.key() + " is not valid JSON", e);
        }
        throw new IllegalArgumentException(object.key() + " has no metadata.resourceVersion");
    }

    private static int writeMetadata(JsonGenerator generator, ObjectNode metadata, ByteArrayOutputStream out)
            throws IOException {
        generator.writeStartObject();
        for (Map.Entry<String, JsonNode> field : metadata.properties()) {
            if (!field.getKey().equals(RESOURCE_VERSION)) {
                generator.writeFieldName(field.getKey());
                generator.writeTree(field.getValue());
            }
        }
        generator.writeStringField(RESOURCE_VERSION, "");
        generator.flush();
        int beforeClosingQuote = out.size() - 1;
        generator.writeEndObject();
        return beforeClosingQuote;
    }

    private static void requireSame(ObjectKey key, String field, String found, String expected) {
        if (!found.equals(expected)) {
            throw new IllegalArgumentException(
                    field + " of " + key + " must be \"" + expected + "\", got \"" + found + "\"");
        }
    }

    public ObjectKey key() {
        return key;
    }

    /** Returns the object as committed at {@code revision}. */
    public StoredObject at(long revision) {
        byte[] digits = Long.toString(revision).getBytes(StandardCharsets.US_ASCII);
        byte[] json = new byte[encoded.length + digits.length];
        System.arraycopy(encoded, 0, json, 0, revisionAt);
        System.arraycopy(digits, 0, json, revisionAt, digits.length);
        System.arraycopy(encoded, revisionAt, json, revisionAt + digits.length, encoded.length - revisionAt);
        return new StoredObject(key, revision, json);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Draft that
                && revisionAt == that.revisionAt
                && key.equals(that.key)
                && Arrays.equals(encoded, that.encoded);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(encoded);
    }

    @Override
    public String toString() {
        return key + " (draft)";
    }
}
