package dev.mooring.api.tls;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Locale;

/**
 * Encodes the ASN.1 elements of certificates in DER (X.690). Every method returns one complete element: tag, shortest
 * length, content, so that compositions of them are DER as well. The caller must omit elements with their default value
 * (usually {@code FALSE}).
 */
final class Der {
    private static final int BOOLEAN = 0x01;
    private static final int INTEGER = 0x02;
    private static final int BIT_STRING = 0x03;
    private static final int OCTET_STRING = 0x04;
    private static final int OBJECT_IDENTIFIER = 0x06;
    private static final int UTF8_STRING = 0x0c;
    private static final int UTC_TIME = 0x17;
    private static final int GENERALIZED_TIME = 0x18;
    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;
    private static final int CONTEXT = 0x80;
    private static final int CONTEXT_CONSTRUCTED = 0xa0;
    private static final int MAX_CONTEXT_TAG = 30; // larger numbers have another encoding

    private static final DateTimeFormatter SHORT_YEAR = formatter("uuMMddHHmmss'Z'");
    private static final DateTimeFormatter LONG_YEAR = formatter("uuuuMMddHHmmss'Z'");

    private Der() {}

    static byte[] sequence(byte[]... elements) {
        return element(SEQUENCE, concatenation(elements));
    }

    /** Encodes a SET OF; the order of the arguments does not matter, because DER sorts them. */
    static byte[] set(byte[]... elements) {
        byte[][] sorted = elements.clone();
        Arrays.sort(sorted, Arrays::compareUnsigned);
        return element(SET, concatenation(sorted));
    }

    static byte[] bool(boolean value) {
        return element(BOOLEAN, (byte) (value ? 0xff : 0));
    }

    static byte[] integer(BigInteger value) {
        return element(INTEGER, value.toByteArray()); // shortest two's complement, as DER requires
    }

    static byte[] integer(long value) {
        return integer(BigInteger.valueOf(value));
    }

    /**
     * @param dotted like {@code 2.5.29.17}
     */
    static byte[] oid(String dotted) {
        long[] arcs = Arrays.stream(dotted.split("\\.", -1))
                .mapToLong(Long::parseLong)
                .toArray();
        boolean valid = arcs.length >= 2
                && Arrays.stream(arcs).allMatch(arc -> arc >= 0)
                && arcs[0] <= 2
                && (arcs[0] == 2 || arcs[1] < 40);
        if (!valid) {
            throw new IllegalArgumentException("invalid object identifier: " + dotted);
        }
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        writeArc(Math.addExact(arcs[0] * 40, arcs[1]), content); // the first two share a number
        for (int i = 2; i < arcs.length; i++) {
            writeArc(arcs[i], content);
        }
        return element(OBJECT_IDENTIFIER, content.toByteArray());
    }

    static byte[] utf8(String text) {
        return element(UTF8_STRING, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Encodes a time in seconds as RFC 5280 requires: two-digit years for 1950 to 2049, else four digits. */
    static byte[] time(Instant time) {
        int year = time.atOffset(ZoneOffset.UTC).getYear();
        if (year < 0 || year > 9999) {
            throw new IllegalArgumentException("year must have four digits: " + time);
        }
        boolean isShort = year >= 1950 && year <= 2049;
        String text = (isShort ? SHORT_YEAR : LONG_YEAR).format(time);
        return element(isShort ? UTC_TIME : GENERALIZED_TIME, text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Encodes a BIT STRING of whole bytes. */
    static byte[] bits(byte... bytes) {
        return element(BIT_STRING, concatenation(new byte[] {0}, bytes));
    }

    /**
     * Encodes a BIT STRING of named bits, such as a key usage: DER ends it with the last bit that is set.
     *
     * @param numbers of the bits that are set; the first bit is 0
     */
    static byte[] namedBits(int... numbers) {
        int count = Arrays.stream(numbers).max().orElse(-1) + 1;
        int bytes = (count + 7) / 8;
        byte[] content = new byte[1 + bytes];
        content[0] = (byte) (bytes * 8 - count); // number of unused bits at the end
        for (int number : numbers) {
            content[1 + number / 8] |= (byte) (0x80 >> (number % 8));
        }
        return element(BIT_STRING, content);
    }

    static byte[] octets(byte... bytes) {
        return element(OCTET_STRING, bytes);
    }

    /** Encodes {@code [tag] EXPLICIT}, around a complete element. */
    static byte[] explicit(int tag, byte[] element) {
        return element(CONTEXT_CONSTRUCTED | requireSmall(tag), element);
    }

    /** Encodes {@code [tag] IMPLICIT}, which replaces the tag of a string. */
    static byte[] implicit(int tag, byte[] content) {
        return element(CONTEXT | requireSmall(tag), content);
    }

    private static byte[] element(int tag, byte... content) {
        ByteArrayOutputStream element = new ByteArrayOutputStream(content.length + 6);
        element.write(tag);
        writeLength(content.length, element);
        element.writeBytes(content);
        return element.toByteArray();
    }

    private static void writeLength(int length, ByteArrayOutputStream out) {
        if (length < 0x80) {
            out.write(length);
            return;
        }
        int bytes = (Integer.SIZE - Integer.numberOfLeadingZeros(length) + 7) / 8;
        out.write(0x80 | bytes);
        for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) {
            out.write(length >>> shift); // only the lowest byte is written
        }
    }

    /** Writes seven bits per byte, the highest first; all but the last byte have the continuation bit. */
    private static void writeArc(long arc, ByteArrayOutputStream out) {
        int digits = Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(arc) + 6) / 7);
        for (int i = digits - 1; i > 0; i--) {
            out.write((int) (arc >>> (7 * i)) | 0x80);
        }
        out.write((int) arc & 0x7f);
    }

    private static int requireSmall(int tag) {
        if (tag < 0 || tag > MAX_CONTEXT_TAG) {
            throw new IllegalArgumentException("tag must be from 0 to " + MAX_CONTEXT_TAG + ", got " + tag);
        }
        return tag;
    }

    private static byte[] concatenation(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private static DateTimeFormatter formatter(String pattern) {
        return DateTimeFormatter.ofPattern(pattern, Locale.ROOT).withZone(ZoneOffset.UTC);
    }
}
