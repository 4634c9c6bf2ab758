package dev.mooring.api.protobuf;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;

/** Values that are a message in protobuf and something simpler in JSON. Null stands for "not there". Stateless. */
final class Wrapped {
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    private static final DateTimeFormatter SECONDS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss'Z'").withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter MICROSECONDS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);
    /** What RFC 3339 can write. */
    private static final long FIRST_SECOND =
            Instant.parse("0000-01-01T00:00:00Z").getEpochSecond();

    private static final long LAST_SECOND =
            Instant.parse("9999-12-31T23:59:59Z").getEpochSecond();
    private static final int NANOS = 1_000_000_000;

    private Wrapped() {}

    static JsonNode time(ObjectNode fields) throws ProtobufException {
        return time(fields, SECONDS);
    }

    static JsonNode microTime(ObjectNode fields) throws ProtobufException {
        return time(fields, MICROSECONDS);
    }

    /** Kubernetes' clients send an empty text for no quantity. */
    static JsonNode quantity(ObjectNode fields) {
        return fields.has("string") ? fields.get("string") : NullNode.instance;
    }

    static JsonNode intOrString(ObjectNode fields) throws ProtobufException {
        long type = fields.path("type").asLong();
        if (type == 0) {
            return fields.has("intVal") ? fields.get("intVal") : IntNode.valueOf(0);
        }
        if (type == 1) {
            return TextNode.valueOf(fields.path("strVal").asText());
        }
        throw ProtobufException.malformed("Expected an int (0) or a string (1), but found type " + type);
    }

    static JsonNode json(ObjectNode fields) throws ProtobufException {
        byte[] raw = Base64.getDecoder().decode(fields.path("raw").asText());
        if (raw.length == 0) {
            return NullNode.instance;
        }
        try {
            return JSON.readTree(raw);
        } catch (JsonProcessingException e) {
            throw ProtobufException.malformed("Expected JSON in a protobuf field, but " + e.getOriginalMessage());
        } catch (IOException e) {
            throw ProtobufException.malformed("Expected JSON in a protobuf field, but " + e.getMessage());
        }
    }

    static ArrayNode strings(ObjectNode fields) {
        return fields.get("items") instanceof ArrayNode items ? items : JsonNodeFactory.instance.arrayNode();
    }

    private static JsonNode time(ObjectNode fields, DateTimeFormatter format) throws ProtobufException {
        long seconds = fields.path("seconds").asLong();
        int nanos = fields.path("nanos").asInt();
        if (seconds == 0 && nanos == 0) {
            return NullNode.instance;
        }
        if (seconds < FIRST_SECOND || seconds > LAST_SECOND || nanos < 0 || nanos >= NANOS) {
            throw ProtobufException.malformed("Expected a time between the years 0 and 9999, but found " + seconds
                    + " s and " + nanos + " ns since 1970");
        }
        return TextNode.valueOf(format.format(Instant.ofEpochSecond(seconds, nanos)));
    }
}
