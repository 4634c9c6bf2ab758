package dev.mooring.api.discovery;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Writes protobuf messages that consist of strings, booleans and messages. Not thread-safe. */
final class ProtobufWriter {
    private static final int VARINT = 0;
    private static final int LENGTH_DELIMITED = 2;
    private static final int LOW_BITS = 0x7f;
    private static final int MORE = 0x80;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    static byte[] message(Consumer<ProtobufWriter> fields) {
        ProtobufWriter message = new ProtobufWriter();
        fields.accept(message);
        return message.out.toByteArray();
    }

    void string(int number, String value) {
        bytes(number, value.getBytes(StandardCharsets.UTF_8));
    }

    void bool(int number, boolean value) {
        varint((number << 3) | VARINT);
        varint(value ? 1 : 0);
    }

    void nested(int number, Consumer<ProtobufWriter> fields) {
        bytes(number, message(fields));
    }

    private void bytes(int number, byte[] value) {
        varint((number << 3) | LENGTH_DELIMITED);
        varint(value.length);
        out.writeBytes(value);
    }

    private void varint(int value) {
        int rest = value;
        while ((rest & ~LOW_BITS) != 0) {
            out.write((rest & LOW_BITS) | MORE);
            rest >>>= 7;
        }
        out.write(rest);
    }
}
