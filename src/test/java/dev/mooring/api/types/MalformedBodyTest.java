package dev.mooring.api.types;

import static dev.mooring.api.types.WireWriter.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.types.ProtobufException.Problem;
import org.junit.jupiter.api.Test;

class MalformedBodyTest {

    @Test
    void decode_lengthBeyondBody_throws() {
        assertMalformed(
                message().raw(0x0a, 5, 0x0a, 1), "length is 5 bytes, but the protobuf message ends 2 bytes after byte");
    }

    @Test
    void decode_lengthBeyondEnclosingMessage_throws() {
        // The name has a length of ten bytes: the body is long enough, the metadata is not.
        assertMalformed(
                message().raw(0x0a, 3, 0x0a, 10, 'x').entry(2, "aaaaaa", "bbbbbb"),
                "length is 10 bytes, but the protobuf message ends 1 bytes after byte");
    }

    @Test
    void decode_hugeLength_throws() {
        assertMalformed(message().raw(0x0a, 0xff, 0xff, 0xff, 0xff, 0x07), "length is 2147483647 bytes, but");
        assertMalformed(
                message().raw(0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1),
                "length is 18446744073709551615 bytes, but");
    }

    @Test
    void decode_numberLongerThan64Bits_throws() {
        assertMalformed(
                message().raw(0x20, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1),
                "number has more than 64 bits, at byte");
        assertMalformed(
                message().raw(0x20, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2),
                "number has more than 64 bits, at byte");
    }

    @Test
    void decode_truncatedNumber_throws() {
        assertMalformed(message().raw(0x20, 0x80), "protobuf message ends within a number, at byte");
    }

    @Test
    void decode_invalidTag_throws() {
        assertMalformed(message().raw(0x02, 0), "invalid tag of a protobuf field: 2");
        assertMalformed(message().raw(0xff, 0xff, 0xff, 0xff, 0x7f, 0), "invalid tag of a protobuf field: ");
    }

    @Test
    void decode_wrongWireType_throws() {
        assertMalformed(message().number(1, 1), "field metadata of ConfigMap must have wire type 2, got 0");
        assertMalformed(message().text(4, "x"), "field immutable of ConfigMap must have wire type 0, got 2");
        assertMalformed(message().raw(0x0b), "field metadata of ConfigMap must have wire type 2, got 3");
        assertMalformed(
                message().message(2, message().number(1, 1)),
                "entry of the map data of ConfigMap must be a key and a value, got field number 1 of wire type 0");
        assertMalformed(
                message().message(2, message().text(3, "x")),
                "entry of the map data of ConfigMap must be a key and a value, got field number 3 of wire type 2");
    }

    @Test
    void decode_invalidUtf8_throwsButReplacementCharacterIsAccepted() throws ProtobufException {
        assertMalformed(
                message().message(1, message().bytes(1, new byte[] {'a', (byte) 0xff})),
                "protobuf string is not UTF-8, at byte");

        ObjectNode object = ProtobufBody.decode(WireWriter.body(
                "v1", "ConfigMap", message().message(1, message().text(1, "\ufffd"))));
        assertThat(object.path("metadata").path("name").asText()).isEqualTo("\ufffd");
    }

    @Test
    void decode_timeOutOfRange_throws() {
        assertMalformed(
                message().message(1, message().message(8, message().number(1, Long.MAX_VALUE))),
                "time must be between the years 0 and 9999, got 9223372036854775807 s");
        assertMalformed(
                message().message(1, message().message(8, message().number(1, 1).number(2, -1))),
                "time must be between the years 0 and 9999, got 1 s and -1 ns");
    }

    @Test
    void decode_managedFieldsNotJson_throws() {
        for (String raw : new String[] {"{", "{} {}", "nonsense"}) {
            assertMalformed(
                    message()
                            .message(
                                    1,
                                    message()
                                            .message(
                                                    17,
                                                    message()
                                                            .message(
                                                                    7, message().text(1, raw)))),
                    "protobuf field is not JSON: ");
        }
    }

    @Test
    void decode_tooManyValues_throws() {
        WireWriter metadata = message();
        for (int i = 0; i < 260_000; i++) {
            metadata.message(13, message());
        }

        assertMalformed(message().message(1, metadata), "body has more than 250000 values");
    }

    @Test
    void decode_messagesTooDeep_throws() throws ProtobufException {
        MessageDescriptor nested = MessageDescriptors.parse("Nested: 1 next Nested?, 2 end string")
                .get("Nested")
                .orElseThrow();

        assertThat(decode(nested, nest(63)).toString()).contains("{\"end\":\"here\"}");
        assertThatExceptionOfType(ProtobufException.class)
                .isThrownBy(() -> decode(nested, nest(64)))
                .withMessage("protobuf message Nested is nested more than 64 deep");
    }

    @Test
    void parse_invalidTable_throws() {
        assertThatIllegalStateException()
                .isThrownBy(() -> MessageDescriptors.parse("A: 1 b B"))
                .withMessage("Type B of field b is not in the table");
        assertThatIllegalStateException()
                .isThrownBy(() -> MessageDescriptors.parse("A: 1 b string, 1 c string"))
                .withMessage("Duplicate field number 1 of A");
        assertThatIllegalStateException()
                .isThrownBy(() -> MessageDescriptors.parse("A: 1 b string A: 2 c string"))
                .withMessage("Duplicate message A");
    }

    private static WireWriter nest(int depth) {
        WireWriter wire = message().text(2, "here");
        for (int i = 0; i < depth; i++) {
            wire = message().message(1, wire);
        }
        return wire;
    }

    private static ObjectNode decode(MessageDescriptor message, WireWriter wire) throws ProtobufException {
        ObjectNode target = JsonNodeFactory.instance.objectNode();
        new MessageDecoder(new WireReader(wire.bytes(), 0)).fields(message, target);
        return target;
    }

    private static void assertMalformed(WireWriter configMap, String message) {
        assertThatExceptionOfType(ProtobufException.class)
                .isThrownBy(() -> ProtobufBody.decode(WireWriter.body("v1", "ConfigMap", configMap)))
                .withMessageStartingWith(message)
                .satisfies(refused -> assertThat(refused.problem()).isEqualTo(Problem.MALFORMED));
    }
}
