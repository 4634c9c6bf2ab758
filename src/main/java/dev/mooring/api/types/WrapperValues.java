package dev.mooring.api.types;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.mooring.model.Json;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;

/** Converts values that are messages in protobuf and simple values in JSON. Null means absent. Stateless. */
final class WrapperValues {
    private static final DateTimeFormatter SECONDS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss'Z'").withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter MICROSECONDS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);
    /** The range that RFC 3339 can represent. */
    private static final long FIRST_SECOND =
            Instant.parse("0000-01-01T00:00:00Z").getEpochSecond();

    private static final long LAST_SECOND =
            Instant.parse("9999-12-31T23:59:59Z").getEpochSecond();
    private static final int NANOS = 1_000_000_000;

    private WrapperValues() {}

    static JsonNode time(ObjectNode fields) throws ProtobufException {
        return time(fields, SECONDS);
    }

    static JsonNode microTime(ObjectNode fields) throws ProtobufException {
        return time(fields, MICROSECONDS);
    }

    /** Converts a quantity; Kubernetes clients send an empty string for none. */
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
        throw ProtobufException.malformed("type must be int (0) or string (1), got " + type);
    }

    static JsonNode json(ObjectNode fields) throws ProtobufException {
        byte[] raw = Base64.getDecoder().decode(fields.path("raw").asText());
        if (raw.length == 0) {
            return NullNode.instance;
        }
        try {
            return Json.SINGLE_VALUE.readTree(raw);
        } catch (JsonProcessingException e) {
            throw ProtobufException.malformed("protobuf field is not JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw ProtobufException.malformed("protobuf field is not JSON: " + e.getMessage());
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
            throw ProtobufException.malformed(
                    "time must be between the years 0 and 9999, got " + seconds + " s and " + nanos + " ns since 1970");
        }
        return TextNode.valueOf(format.format(Instant.ofEpochSecond(seconds, nanos)));
    }
}
