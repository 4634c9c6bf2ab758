package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.LongNode;

/** Numbers that must lie within bounds. Stateless. */
final class Ranges {
    private static final int HIGHEST_PORT = 65535;
    private static final int ALL_PERMISSIONS = 0777;

    private Ranges() {}

    static void nonNegative(Spot number) {
        if (number.number() < 0) {
            number.invalid("must be greater than or equal to 0");
        }
    }

    /** A number that must be there. */
    static void positive(Spot number) {
        if (number.number() <= 0) {
            number.invalid(shown(number), "must be greater than zero");
        }
    }

    static void inclusive(Spot number, long least, long most) {
        if (number.number() < least || number.number() > most) {
            number.invalid(shown(number), "must be between " + least + " and " + most + ", inclusive");
        }
    }

    static void port(Spot number) {
        inclusive(number, 1, HIGHEST_PORT);
    }

    /** The id of a user or a group, which may be left out. */
    static void id(Spot id) {
        if (id.present()) {
            inclusive(id, 0, Integer.MAX_VALUE);
        }
    }

    /** The permissions of a file, which may be left out. */
    static void fileMode(Spot mode) {
        if (mode.number() < 0 || mode.number() > ALL_PERMISSIONS) {
            mode.invalid("must be a number between 0 and 0777 (octal), both inclusive");
        }
    }

    /** What is missing counts as 0 and is shown as such. */
    private static JsonNode shown(Spot number) {
        return number.present() ? number.value() : LongNode.valueOf(0);
    }
}
