package dev.mooring.control.workloads;

import com.fasterxml.jackson.databind.JsonNode;

/** Resolves a number or percentage of a total. Pure. */
final class IntOrPercent {
    private IntOrPercent() {}

    /** Returns the number; a percentage is rounded up. */
    static int roundedUp(JsonNode value, int total) {
        return (int) Math.min(Integer.MAX_VALUE, (scaled(value, total) + 99) / 100);
    }

    /** Returns the number; a percentage is rounded down. */
    static int roundedDown(JsonNode value, int total) {
        return (int) Math.min(Integer.MAX_VALUE, scaled(value, total) / 100);
    }

    /** Returns the number times 100. */
    private static long scaled(JsonNode value, int total) {
        if (!value.isTextual()) {
            return Math.max(0, value.asLong(0)) * 100;
        }
        String text = value.textValue();
        try {
            return Long.parseLong(text.substring(0, Math.max(0, text.length() - 1))) * total;
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
