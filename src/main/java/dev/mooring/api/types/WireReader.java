package dev.mooring.api.types;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads the protobuf wire format: varints and length-prefixed bytes. Never reads past the current range, and never
 * allocates more than the input has. Not thread-safe.
 */
final class WireReader {
    static final int VARINT = 0;
    static final int LENGTH = 2;

    private final byte[] bytes;
    private int position;
    private int limit;

    /** Creates a reader; the bytes are not copied and must not change. */
    WireReader(byte[] bytes, int from) {
        this(bytes, from, bytes.length);
    }

    private WireReader(byte[] bytes, int from, int to) {
        this.bytes = bytes;
        this.position = from;
        this.limit = to;
    }

    boolean hasMore() {
        return position < limit;
    }

    /** @return field number and wire type combined, as on the wire */
    int tag() throws ProtobufException {
        long tag = varint();
        if (tag >>> 32 != 0 || tag >>> 3 == 0) {
            throw ProtobufException.malformed("invalid tag of a protobuf field: " + Long.toUnsignedString(tag));
        }
        return (int) tag;
    }

    long varint() throws ProtobufException {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (position >= limit) {
                throw ProtobufException.malformed("protobuf message ends within a number, at byte " + position);
            }
            byte next = bytes[position++];
            if (shift == 63 && (next & 0xfe) != 0) {
                break;
            }
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw ProtobufException.malformed("number has more than 64 bits, at byte " + position);
    }

    /** Enters the next length-prefixed range. @return the value to pass to {@link #leave} at its end */
    int enter() throws ProtobufException {
        int length = length();
        int outer = limit;
        limit = position + length;
        return outer;
    }

    void leave(int outer) {
        limit = outer;
    }

    /** Skips the next length-prefixed range. @return a separate reader for it */
    WireReader slice() throws ProtobufException {
        int length = length();
        position += length;
        return new WireReader(bytes, position - length, position);
    }

    byte[] bytes() throws ProtobufException {
        int length = length();
        position += length;
        return Arrays.copyOfRange(bytes, position - length, position);
    }

    String text() throws ProtobufException {
        int length = length();
        int from = position;
        position += length;
        String text = new String(bytes, from, length, StandardCharsets.UTF_8);
        // Invalid UTF-8 decodes to this character; only then check whether the input really contained it.
        if (text.indexOf('\ufffd') >= 0
                && !Arrays.equals(text.getBytes(StandardCharsets.UTF_8), Arrays.copyOfRange(bytes, from, position))) {
            throw ProtobufException.malformed("protobuf string is not UTF-8, at byte " + from);
        }
        return text;
    }

    private int length() throws ProtobufException {
        long length = varint();
        if (length < 0 || length > limit - position) {
            throw ProtobufException.malformed("length is " + Long.toUnsignedString(length)
                    + " bytes, but the protobuf message ends " + (limit - position) + " bytes after byte " + position);
        }
        return (int) length;
    }
}
