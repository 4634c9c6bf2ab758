package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;

/** Rules of field managers. Stateless; thread-safe. */
public final class ManagerRules {
    private static final int NAME_MAX = 128;
    private static final int SUBRESOURCE_MAX = 256;

    private ManagerRules() {}

    /** Validates the name of a field manager, as in a request's {@code fieldManager}: short and printable. */
    public static void name(String manager, String path, Violations violations) {
        if (JsonFields.bytes(manager) > NAME_MAX) {
            violations.tooLong(path, NAME_MAX);
        }
        int position = 0;
        for (int i = 0; i < manager.length(); i += Character.charCount(manager.codePointAt(i))) {
            int character = manager.codePointAt(i);
            if (!isPrintable(character)) {
                violations.invalid(
                        path, manager, String.format("invalid character U+%04X (at position %d)", character, position));
            }
            position += JsonFields.bytes(Character.toString(character));
        }
    }

    /** Validates an entry of {@code metadata.managedFields}. */
    static void validate(JsonNode entry, String path, Violations violations) {
        String operation = JsonFields.text(entry, "operation");
        if (!operation.equals("Apply") && !operation.equals("Update")) {
            violations.invalid(path + ".operation", operation, "must be `Apply` or `Update`");
        }
        String type = JsonFields.text(entry, "fieldsType");
        if (!type.isEmpty() && !type.equals("FieldsV1")) {
            violations.invalid(path + ".fieldsType", type, "must be `FieldsV1`");
        }
        name(JsonFields.text(entry, "manager"), path + ".manager", violations);
        if (JsonFields.bytes(JsonFields.text(entry, "subresource")) > SUBRESOURCE_MAX) {
            violations.tooLong(path + ".subresource", SUBRESOURCE_MAX);
        }
    }

    private static boolean isPrintable(int character) {
        if (character < 0x80) {
            return character >= ' ' && character < 0x7f;
        }
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SPACE_SEPARATOR -> false;
            default -> true;
        };
    }
}
