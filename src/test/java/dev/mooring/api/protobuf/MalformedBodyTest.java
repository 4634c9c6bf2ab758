package dev.mooring.api.protobuf;

import static dev.mooring.api.protobuf.Wire.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.protobuf.ProtobufException.Problem;
import org.junit.jupiter.api.Test;

class MalformedBodyTest {

    @Test
    void refusesAStretchLongerThanWhatIsLeft() {
        assertMalformed(
                message().raw(0x0a, 5, 0x0a, 1), "Expected 5 bytes, but the protobuf message ends 2 bytes after byte");
    }

    @Test
    void refusesAStretchThatReachesBeyondTheOneAroundIt() {
        // The name claims ten bytes; the body has them, the metadata does not.
        assertMalformed(
                message().raw(0x0a, 3, 0x0a, 10, 'x').entry(2, "aaaaaa", "bbbbbb"),
                "Expected 10 bytes, but the protobuf message ends 1 bytes after byte");
    }

    @Test
    void refusesALengthOfGigabytes() {
        assertMalformed(message().raw(0x0a, 0xff, 0xff, 0xff, 0xff, 0x07), "Expected 2147483647 bytes, but");
        assertMalformed(
                message().raw(0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1),
                "Expected 18446744073709551615 bytes, but");
    }

    @Test
    void refusesANumberThatIsTooLong() {
        assertMalformed(
                message().raw(0x20, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1),
                "Expected a number of at most 64 bits, but");
        assertMalformed(
                message().raw(0x20, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2),
                "Expected a number of at most 64 bits, but");
    }

    @Test
    void refusesANumberThatIsCutOff() {
        assertMalformed(message().raw(0x20, 0x80), "Expected the rest of a number, but the protobuf message ends");
    }

    @Test
    void refusesFieldNumberZero() {
        assertMalformed(message().raw(0x02, 0), "Expected the tag of a protobuf field, but found 2");
        assertMalformed(message().raw(0xff, 0xff, 0xff, 0xff, 0x7f, 0), "Expected the tag of a protobuf field, but");
    }

    @Test
    void refusesAnotherWireType() {
        assertMalformed(
                message().number(1, 1), "Expected wire type 2 for the field metadata of ConfigMap, but found 0");
        assertMalformed(
                message().text(4, "x"), "Expected wire type 0 for the field immutable of ConfigMap, but found 2");
        assertMalformed(message().raw(0x0b), "Expected wire type 2 for the field metadata of ConfigMap, but found 3");
        assertMalformed(
                message().message(2, message().number(1, 1)),
                "Expected a key and a value in the map data of ConfigMap, but found field number 1 of wire type 0");
        assertMalformed(
                message().message(2, message().text(3, "x")),
                "Expected a key and a value in the map data of ConfigMap, but found field number 3 of wire type 2");
    }

    @Test
    void refusesTextThatIsNotUtf8ButTakesAReplacementCharacter() throws ProtobufException {
        assertMalformed(
                message().message(1, message().bytes(1, new byte[] {'a', (byte) 0xff})),
                "Expected UTF-8 in a protobuf string, but found other bytes at byte");

        ObjectNode object = ProtobufBody.decode(Wire.body(
                "v1", "ConfigMap", message().message(1, message().text(1, "\ufffd"))));
        assertThat(object.path("metadata").path("name").asText()).isEqualTo("\ufffd");
    }

    @Test
    void refusesATimeOutsideTheCalendar() {
        assertMalformed(
                message().message(1, message().message(8, message().number(1, Long.MAX_VALUE))),
                "Expected a time between the years 0 and 9999, but found 9223372036854775807 s");
        assertMalformed(
                message().message(1, message().message(8, message().number(1, 1).number(2, -1))),
                "Expected a time between the years 0 and 9999, but found 1 s and -1 ns");
    }

    @Test
    void refusesManagedFieldsThatAreNoJson() {
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
                    "Expected JSON in a protobuf field, but");
        }
    }

    @Test
    void refusesMoreValuesThanAnyObjectHas() {
        Wire metadata = message();
        for (int i = 0; i < 260_000; i++) {
            metadata.message(13, message());
        }

        assertMalformed(message().message(1, metadata), "Expected at most 250000 values in a body, but there are more");
    }

    @Test
    void refusesMessagesThatAreTooDeep() throws ProtobufException {
        Message nested = Messages.parse("Nested: 1 next Nested?, 2 end string")
                .get("Nested")
                .orElseThrow();

        assertThat(decode(nested, nest(63)).toString()).contains("{\"end\":\"here\"}");
        assertThatExceptionOfType(ProtobufException.class)
                .isThrownBy(() -> decode(nested, nest(64)))
                .withMessage("Expected messages at most 64 deep, but Nested is deeper");
    }

    @Test
    void refusesATableThatIsWrong() {
        assertThatIllegalStateException()
                .isThrownBy(() -> Messages.parse("A: 1 b B"))
                .withMessage("Expected the type of b in the table, but found no B");
        assertThatIllegalStateException()
                .isThrownBy(() -> Messages.parse("A: 1 b string, 1 c string"))
                .withMessage("Expected one field 1 of A, but found two");
        assertThatIllegalStateException()
                .isThrownBy(() -> Messages.parse("A: 1 b string A: 2 c string"))
                .withMessage("Expected one message A, but found two");
    }

    private static Wire nest(int depth) {
        Wire wire = message().text(2, "here");
        for (int i = 0; i < depth; i++) {
            wire = message().message(1, wire);
        }
        return wire;
    }

    private static ObjectNode decode(Message message, Wire wire) throws ProtobufException {
        ObjectNode target = JsonNodeFactory.instance.objectNode();
        new MessageDecoder(new WireReader(wire.bytes(), 0)).fields(message, target);
        return target;
    }

    private static void assertMalformed(Wire configMap, String message) {
        assertThatExceptionOfType(ProtobufException.class)
                .isThrownBy(() -> ProtobufBody.decode(Wire.body("v1", "ConfigMap", configMap)))
                .withMessageStartingWith(message)
                .satisfies(refused -> assertThat(refused.problem()).isEqualTo(Problem.MALFORMED));
    }
}
