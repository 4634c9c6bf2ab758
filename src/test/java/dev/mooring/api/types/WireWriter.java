package dev.mooring.api.types;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes protobuf by field number, independently of the tables under test. */
final class WireWriter {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    static WireWriter message() {
        return new WireWriter();
    }

    static byte[] body(String apiVersion, String kind, WireWriter object) {
        return envelope(message()
                .message(1, message().text(1, apiVersion).text(2, kind))
                .message(2, object)
                .text(3, "")
                .text(4, ""));
    }

    static byte[] envelope(WireWriter unknown) {
        WireWriter body = message();
        body.out.writeBytes(new byte[] {'k', '8', 's', 0});
        body.out.writeBytes(unknown.bytes());
        return body.bytes();
    }

    WireWriter text(int number, String text) {
        return bytes(number, text.getBytes(StandardCharsets.UTF_8));
    }

    WireWriter message(int number, WireWriter message) {
        return bytes(number, message.bytes());
    }

    WireWriter bytes(int number, byte[] bytes) {
        varint((long) number << 3 | 2);
        varint(bytes.length);
        out.writeBytes(bytes);
        return this;
    }

    WireWriter number(int number, long value) {
        varint((long) number << 3);
        varint(value);
        return this;
    }

    WireWriter entry(int number, String key, WireWriter value) {
        return message(number, message().text(1, key).message(2, value));
    }

    WireWriter entry(int number, String key, String value) {
        return message(number, message().text(1, key).text(2, value));
    }

    /** Writes these bytes unchanged. */
    WireWriter raw(int... bytes) {
        for (int each : bytes) {
            out.write(each);
        }
        return this;
    }

    byte[] bytes() {
        return out.toByteArray();
    }

    private void varint(long value) {
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            out.write((int) (rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.write((int) rest);
    }
}
