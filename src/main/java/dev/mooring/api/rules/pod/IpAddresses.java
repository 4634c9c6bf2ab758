package dev.mooring.api.rules.pod;

/** Parses IP addresses without a resolver. Stateless. */
final class IpAddresses {
    private static final int GROUPS = 8;

    private IpAddresses() {}

    static boolean isAddress(String text) {
        return isVersion4(text) || isVersion6(text);
    }

    static boolean isVersion4(String text) {
        int parts = 0;
        int from = 0;
        while (from <= text.length()) {
            int dot = text.indexOf('.', from);
            int to = dot < 0 ? text.length() : dot;
            if (!isByte(text, from, to)) {
                return false;
            }
            parts++;
            from = to + 1;
        }
        return parts == 4;
    }

    private static boolean isByte(String text, int from, int to) {
        if (to == from) {
            return false;
        }
        int value = 0;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                return false;
            }
            value = Math.min(value * 10 + (c - '0'), 256);
        }
        return value <= 255;
    }

    static boolean isVersion6(String text) {
        int gap = text.indexOf("::");
        if (gap < 0) {
            return groups(text, true) == GROUPS;
        }
        if (text.indexOf("::", gap + 1) >= 0) {
            return false;
        }
        int before = gap == 0 ? 0 : groups(text.substring(0, gap), false);
        String rest = text.substring(gap + 2);
        int after = rest.isEmpty() ? 0 : groups(rest, true);
        return before >= 0 && after >= 0 && before + after < GROUPS;
    }

    /** Returns the number of 16-bit groups; negative if the text is invalid. */
    private static int groups(String text, boolean mayEndInVersion4) {
        String[] parts = text.split(":", -1);
        int count = 0;
        for (int i = 0; i < parts.length; i++) {
            if (i == parts.length - 1 && mayEndInVersion4 && isVersion4(parts[i])) {
                count += 2;
            } else if (isGroup(parts[i])) {
                count++;
            } else {
                return Integer.MIN_VALUE;
            }
        }
        return count;
    }

    private static boolean isGroup(String part) {
        return !part.isEmpty()
                && part.length() <= 4
                && part.chars().allMatch(c -> c < 0x80 && Character.digit(c, 16) >= 0);
    }
}
