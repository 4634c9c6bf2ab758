package dev.mooring.api.decode;

/** How Go prints things: the error texts of Kubernetes are made of it. */
final class GoText {
    private static final char FIRST_PRINTABLE = 0x20;
    private static final char DELETE = 0x7f;

    private GoText() {}

    /** As {@code %q} does. */
    static String quote(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                default -> {
                    if (c < FIRST_PRINTABLE || c == DELETE) {
                        quoted.append(String.format("\\x%02x", (int) c));
                    } else {
                        quoted.append(c);
                    }
                }
            }
        }
        return quoted.append('"').toString();
    }
}
