package dev.mooring.chaos.fuzz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.types.ProtobufTables;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringTokenizer;

/** Encodes objects as Kubernetes' protobuf with the server's own tables, often with corruptions. Thread-safe. */
final class ProtobufGrammar {
    private record ProtobufField(int number, String name, char shape, String type) {}

    private static final int VARINT = 0;
    private static final int LENGTH = 2;

    private final Map<String, List<ProtobufField>> messages = new HashMap<>();

    ProtobufGrammar() {
        List<ProtobufField> current = new ArrayList<>();
        for (StringTokenizer tokens = new StringTokenizer(ProtobufTables.text(), " ,\n"); tokens.hasMoreTokens(); ) {
            String token = tokens.nextToken();
            if (token.endsWith(":")) {
                current = new ArrayList<>();
                messages.put(token.substring(0, token.length() - 1), current);
            } else {
                current.add(field(Integer.parseInt(token), tokens.nextToken(), tokens.nextToken()));
            }
        }
    }

    private static ProtobufField field(int number, String name, String type) {
        char shape = "[{<".indexOf(type.charAt(0)) >= 0 ? type.charAt(0) : ' ';
        String elementType = shape == ' ' ? type.replace("?", "") : type.substring(1, type.length() - 1);
        return new ProtobufField(number, name, shape, elementType);
    }

    boolean knows(String kind) {
        return messages.containsKey(kind);
    }

    /** Encodes the object as a request body, without the fields that the tables lack. */
    byte[] body(FuzzRandom dice, ObjectNode object) {
        String kind = object.path("kind").asText();
        WireOutput raw = new WireOutput();
        write(dice, kind, object, raw);
        WireOutput type = new WireOutput();
        type.text(
                1,
                dice.oneIn(50)
                        ? EdgeValues.text(dice)
                        : object.path("apiVersion").asText());
        type.text(2, dice.oneIn(50) ? EdgeValues.text(dice) : kind);
        WireOutput unknown = new WireOutput();
        unknown.bytes.writeBytes(new byte[] {'k', '8', 's', 0});
        unknown.part(1, type.bytes.toByteArray());
        unknown.part(2, raw.bytes.toByteArray());
        if (dice.percent(50)) {
            unknown.text(3, dice.oneIn(10) ? "gzip" : "");
            unknown.text(4, dice.oneIn(10) ? "application/json" : "");
        }
        return Mutations.corrupted(dice, unknown.bytes.toByteArray(), 5);
    }

    private void write(FuzzRandom dice, String message, JsonNode object, WireOutput out) {
        if (dice.oneIn(300)) {
            writeInvalid(dice, out);
        }
        for (ProtobufField field : messages.getOrDefault(message, List.of())) {
            JsonNode value = field.shape() == '<' ? object : object.path(field.name());
            if (value.isMissingNode() || value.isNull()) {
                continue;
            }
            switch (field.shape()) {
                case '[' -> value.forEach(each -> writeValue(dice, field, each, out));
                case '{' ->
                    value.properties().forEach(entry -> {
                        WireOutput pair = new WireOutput();
                        pair.text(1, entry.getKey());
                        writeValue(dice, new ProtobufField(2, field.name(), ' ', field.type()), entry.getValue(), pair);
                        out.part(field.number(), pair.bytes.toByteArray());
                    });
                default -> writeValue(dice, field, value, out);
            }
        }
    }

    private void writeValue(FuzzRandom dice, ProtobufField field, JsonNode value, WireOutput out) {
        switch (field.type()) {
            case "string" -> out.text(field.number(), value.asText());
            case "bytes" -> out.part(field.number(), decoded(value.asText()));
            case "bool" -> out.number(field.number(), value.asBoolean() ? 1 : 0);
            case "int32", "int64" -> out.number(field.number(), dice.oneIn(30) ? dice.bits() : value.asLong());
            case "quantity" ->
                out.part(
                        field.number(),
                        new WireOutput().text(1, value.asText()).bytes.toByteArray());
            case "time", "microTime" -> out.part(field.number(), time(dice));
            case "intOrString" -> {
                WireOutput either = new WireOutput();
                either.number(1, value.isNumber() ? 0 : dice.oneIn(10) ? 7 : 1);
                either.number(2, value.asInt());
                either.text(3, value.isTextual() ? value.asText() : "");
                out.part(field.number(), either.bytes.toByteArray());
            }
            case "json" ->
                out.part(
                        field.number(),
                        new WireOutput().text(1, value.toString()).bytes.toByteArray());
            case "strings" -> {
                WireOutput items = new WireOutput();
                value.forEach(item -> items.text(1, item.asText()));
                out.part(field.number(), items.bytes.toByteArray());
            }
            default -> {
                WireOutput inner = new WireOutput();
                write(dice, field.type(), value, inner);
                out.part(field.number(), inner.bytes.toByteArray());
            }
        }
    }

    private static byte[] time(FuzzRandom dice) {
        WireOutput time = new WireOutput();
        time.number(1, dice.percent(70) ? 1_780_000_000L + dice.below(1000) : dice.bits());
        time.number(2, dice.percent(70) ? dice.below(1_000_000_000) : dice.bits());
        return time.bytes.toByteArray();
    }

    private static byte[] decoded(String text) {
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
    }

    private static void writeInvalid(FuzzRandom dice, WireOutput out) {
        switch (dice.below(5)) {
            case 0 -> out.number(dice.below(40), dice.bits());
            case 1 -> out.part(1 + dice.below(40), new byte[dice.below(2000)]);
            case 2 -> {
                out.varint((long) (1 + dice.below(10)) << 3 | LENGTH);
                out.varint(dice.bits() >>> dice.below(64));
            }
            case 3 -> out.varint((long) dice.below(5000) << 3 | dice.below(8));
            default -> {
                byte[] deep = {};
                for (int i = 0; i < 100; i++) {
                    WireOutput around = new WireOutput();
                    around.part(1 + dice.below(3), deep);
                    deep = around.bytes.toByteArray();
                }
                out.bytes.writeBytes(deep);
            }
        }
    }

    /** Protobuf's wire format. */
    private static final class WireOutput {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        WireOutput text(int number, String text) {
            return part(number, text.getBytes(StandardCharsets.UTF_8));
        }

        WireOutput part(int number, byte[] part) {
            varint((long) number << 3 | LENGTH);
            varint(part.length);
            bytes.writeBytes(part);
            return this;
        }

        void number(int number, long value) {
            varint((long) number << 3 | VARINT);
            varint(value);
        }

        void varint(long value) {
            long rest = value;
            while ((rest & ~0x7fL) != 0) {
                bytes.write((int) (rest & 0x7f) | 0x80);
                rest >>>= 7;
            }
            bytes.write((int) rest);
        }
    }
}
