package dev.mooring.api.table;

import java.util.Optional;

/** How much of its object a row of a Table contains. */
public enum IncludeObject {
    /** No object. */
    NONE,
    /** The metadata, which kubectl needs for labels and namespaces. */
    METADATA,
    /** The whole object, which kubectl needs for sorting. */
    OBJECT;

    /**
     * Parses the query parameter {@code includeObject}.
     *
     * @param parameter empty if the request has none
     * @return empty for a value that Kubernetes rejects with {@link #refusal}
     */
    public static Optional<IncludeObject> parse(String parameter) {
        return switch (parameter) {
            case "", "Metadata" -> Optional.of(METADATA);
            case "None" -> Optional.of(NONE);
            case "Object" -> Optional.of(OBJECT);
            default -> Optional.empty();
        };
    }

    /** Returns the message of the 400. */
    public static String refusal(String parameter) {
        return "unrecognized includeObject value: \"" + parameter + "\"";
    }
}
