package dev.mooring.api.table;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.charset.StandardCharsets;

/** JSON as tests like to write it: names without quotes, texts in single ones. */
final class Lenient {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(JsonReadFeature.ALLOW_SINGLE_QUOTES)
            .enable(JsonReadFeature.ALLOW_UNQUOTED_FIELD_NAMES)
            .build();

    private Lenient() {}

    static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new AssertionError("Expected JSON, but found " + text, e);
        }
    }

    static JsonNode json(byte[] text) {
        return json(new String(text, StandardCharsets.UTF_8));
    }

    /** As the store keeps it. */
    static byte[] stored(String text) {
        return json(text).toString().getBytes(StandardCharsets.UTF_8);
    }
}
