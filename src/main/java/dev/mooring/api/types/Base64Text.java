package dev.mooring.api.types;

import java.util.OptionalInt;

/** Validates base64 as Go reads it: padded, line breaks ignored. Does not decode. */
final class Base64Text {
    private final String text;
    private int pos;

    private Base64Text(String text) {
        this.text = text;
    }

    /** @throws BodyException if it is not base64 */
    static String normalize(String text) {
        OptionalInt corrupt = new Base64Text(text).corruptAt();
        if (corrupt.isPresent()) {
            throw new BodyException("illegal base64 data at input byte " + corrupt.getAsInt());
        }
        return text.indexOf('\n') < 0 && text.indexOf('\r') < 0
                ? text
                : text.replace("\n", "").replace("\r", "");
    }

    private OptionalInt corruptAt() {
        int inGroup = 0;
        while (pos < text.length()) {
            char c = text.charAt(pos++);
            if (isDigit(c)) {
                inGroup = (inGroup + 1) % 4;
            } else if (c == '=') {
                return padding(inGroup);
            } else if (!isLineBreak(c)) {
                return OptionalInt.of(pos - 1);
            }
        }
        return inGroup == 0 ? OptionalInt.empty() : OptionalInt.of(pos - inGroup);
    }

    /** Checks the rest after the first padding character. */
    private OptionalInt padding(int inGroup) {
        if (inGroup < 2) {
            return OptionalInt.of(pos - 1);
        }
        if (inGroup == 2) {
            skipLineBreaks();
            if (pos == text.length()) {
                return OptionalInt.of(pos);
            }
            if (text.charAt(pos) != '=') {
                return OptionalInt.of(pos - 1);
            }
            pos++;
        }
        skipLineBreaks();
        return pos < text.length() ? OptionalInt.of(pos) : OptionalInt.empty();
    }

    private void skipLineBreaks() {
        while (pos < text.length() && isLineBreak(text.charAt(pos))) {
            pos++;
        }
    }

    private static boolean isLineBreak(char c) {
        return c == '\n' || c == '\r';
    }

    private static boolean isDigit(char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
    }
}
