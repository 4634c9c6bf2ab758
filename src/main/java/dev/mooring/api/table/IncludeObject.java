package dev.mooring.api.table;

import java.util.Optional;

/** How much of its object a row of a Table carries. */
public enum IncludeObject {
    /** Nothing. */
    NONE,
    /** Its metadata: what kubectl needs for labels and namespaces. */
    METADATA,
    /** All of it: what kubectl needs for sorting. */
    OBJECT;

    /**
     * Reads the query parameter {@code includeObject}.
     *
     * @param parameter empty if the request has none
     * @return empty for a value Kubernetes refuses with {@link #refusal}
     */
    public static Optional<IncludeObject> parse(String parameter) {
        return switch (parameter) {
            case "", "Metadata" -> Optional.of(METADATA);
            case "None" -> Optional.of(NONE);
            case "Object" -> Optional.of(OBJECT);
            default -> Optional.empty();
        };
    }

    /** The message of the 400. */
    public static String refusal(String parameter) {
        return "unrecognized includeObject value: \"" + parameter + "\"";
    }
}
