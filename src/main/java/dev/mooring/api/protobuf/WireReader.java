package dev.mooring.api.protobuf;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads the wire format of protobuf: varints and stretches of bytes with their length in front. Never reads past the stretch it is in,
 * never makes room for more than is there. Confined to one thread.
 */
final class WireReader {
    static final int VARINT = 0;
    static final int LENGTH = 2;

    private final byte[] bytes;
    private int position;
    private int limit;

    /** The bytes are not copied and must not change. */
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

    /** @return field number and wire type in one, as they are on the wire */
    int tag() throws ProtobufException {
        long tag = varint();
        if (tag >>> 32 != 0 || tag >>> 3 == 0) {
            throw ProtobufException.malformed(
                    "Expected the tag of a protobuf field, but found " + Long.toUnsignedString(tag));
        }
        return (int) tag;
    }

    long varint() throws ProtobufException {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (position >= limit) {
                throw ProtobufException.malformed(
                        "Expected the rest of a number, but the protobuf message ends at byte " + position);
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
        throw ProtobufException.malformed(
                "Expected a number of at most 64 bits, but a longer one ends at byte " + position);
    }

    /** Goes into the stretch that comes next. @return what to hand to {@link #leave} at its end */
    int enter() throws ProtobufException {
        int length = length();
        int outer = limit;
        limit = position + length;
        return outer;
    }

    void leave(int outer) {
        limit = outer;
    }

    /** Steps over the stretch that comes next. @return a reader of its own for it */
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
        // Bytes that are no UTF-8 decode to this character; only then is it worth to look whether it was really there.
        if (text.indexOf('\ufffd') >= 0
                && !Arrays.equals(text.getBytes(StandardCharsets.UTF_8), Arrays.copyOfRange(bytes, from, position))) {
            throw ProtobufException.malformed(
                    "Expected UTF-8 in a protobuf string, but found other bytes at byte " + from);
        }
        return text;
    }

    private int length() throws ProtobufException {
        long length = varint();
        if (length < 0 || length > limit - position) {
            throw ProtobufException.malformed("Expected " + Long.toUnsignedString(length)
                    + " bytes, but the protobuf message ends " + (limit - position) + " bytes after byte " + position);
        }
        return (int) length;
    }
}
