package dev.mooring.api.protobuf;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes protobuf by field number, knowing nothing of the tables under test. */
final class Wire {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    static Wire message() {
        return new Wire();
    }

    static byte[] body(String apiVersion, String kind, Wire object) {
        return envelope(message()
                .message(1, message().text(1, apiVersion).text(2, kind))
                .message(2, object)
                .text(3, "")
                .text(4, ""));
    }

    static byte[] envelope(Wire unknown) {
        Wire body = message();
        body.out.writeBytes(new byte[] {'k', '8', 's', 0});
        body.out.writeBytes(unknown.bytes());
        return body.bytes();
    }

    Wire text(int number, String text) {
        return bytes(number, text.getBytes(StandardCharsets.UTF_8));
    }

    Wire message(int number, Wire message) {
        return bytes(number, message.bytes());
    }

    Wire bytes(int number, byte[] bytes) {
        varint((long) number << 3 | 2);
        varint(bytes.length);
        out.writeBytes(bytes);
        return this;
    }

    Wire number(int number, long value) {
        varint((long) number << 3);
        varint(value);
        return this;
    }

    Wire entry(int number, String key, Wire value) {
        return message(number, message().text(1, key).message(2, value));
    }

    Wire entry(int number, String key, String value) {
        return message(number, message().text(1, key).text(2, value));
    }

    /** Bytes as they are. */
    Wire raw(int... bytes) {
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
