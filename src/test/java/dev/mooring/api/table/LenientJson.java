package dev.mooring.api.table;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Parses lenient JSON for readable tests: unquoted names, single quotes. */
final class LenientJson {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(JsonReadFeature.ALLOW_SINGLE_QUOTES)
            .enable(JsonReadFeature.ALLOW_UNQUOTED_FIELD_NAMES)
            .build();

    private LenientJson() {}

    static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError("invalid JSON: " + text, e);
        }
    }

    static JsonNode json(byte[] text) {
        return json(new String(text, StandardCharsets.UTF_8));
    }

    /** Returns the JSON as the store keeps it. */
    static byte[] stored(String text) {
        return json(text).toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Concatenates all chunks of a list. */
    static byte[] concatenate(ListChunks chunks) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        chunks.forEachRemaining(all::writeBytes);
        return all.toByteArray();
    }

    static JsonNode json(ListChunks chunks) {
        return json(concatenate(chunks));
    }
}
