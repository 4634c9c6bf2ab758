package dev.mooring.api.patch;

import java.util.Optional;

/**
 * The writer of an object as managedFields names it.
 *
 * @param name such as {@code kubectl-edit}
 * @param subresource such as {@code status}; empty for the object itself
 * @param apiVersion API version of the written object
 */
public record Manager(String name, String subresource, String apiVersion) {
    private static final int MAX_NAME = 128;

    public Manager {
        name = name.isEmpty() ? "unknown" : name;
    }

    /** Returns a manager that writes the object itself. */
    public static Manager of(String name, String apiVersion) {
        return new Manager(name, "", apiVersion);
    }

    /**
     * Returns the manager name of a request: the {@code fieldManager} parameter, or else the program in the user agent.
     */
    public static String nameOf(Optional<String> fieldManager, String userAgent) {
        if (fieldManager.isPresent() && !fieldManager.get().isEmpty()) {
            return fieldManager.get();
        }
        int slash = userAgent.indexOf('/');
        String program = slash < 0 ? userAgent : userAgent.substring(0, slash);
        StringBuilder name = new StringBuilder();
        program.codePoints()
                .filter(c -> !Character.isISOControl(c) && Character.isDefined(c))
                .limit(MAX_NAME)
                .forEach(name::appendCodePoint);
        return name.toString();
    }
}
