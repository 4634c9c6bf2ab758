package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.LongNode;

/** Rules of numbers in a range. Stateless. */
final class NumberRules {
    private static final int HIGHEST_PORT = 65535;
    private static final int ALL_PERMISSIONS = 0777;

    private NumberRules() {}

    static void nonNegative(FieldCursor number) {
        if (number.number() < 0) {
            number.invalid("must be greater than or equal to 0");
        }
    }

    /** Validates a required number. */
    static void positive(FieldCursor number) {
        if (number.number() <= 0) {
            number.invalid(shown(number), "must be greater than zero");
        }
    }

    static void inclusive(FieldCursor number, long least, long most) {
        if (number.number() < least || number.number() > most) {
            number.invalid(shown(number), "must be between " + least + " and " + most + ", inclusive");
        }
    }

    static void port(FieldCursor number) {
        inclusive(number, 1, HIGHEST_PORT);
    }

    /** Validates an optional user or group id. */
    static void id(FieldCursor id) {
        if (id.present()) {
            inclusive(id, 0, Integer.MAX_VALUE);
        }
    }

    /** Validates an optional file mode. */
    static void fileMode(FieldCursor mode) {
        if (mode.number() < 0 || mode.number() > ALL_PERMISSIONS) {
            mode.invalid("must be a number between 0 and 0777 (octal), both inclusive");
        }
    }

    /** Returns the value to show in a message; a missing one is 0. */
    private static JsonNode shown(FieldCursor number) {
        return number.present() ? number.value() : LongNode.valueOf(0);
    }
}
