package dev.mooring.api.apply;

import java.util.Optional;

/**
 * Who writes, as managedFields names it.
 *
 * @param name such as {@code kubectl-edit}
 * @param subresource the part of the API the write goes through, such as {@code status}; empty for the object itself
 * @param apiVersion in which the object is written
 */
public record Manager(String name, String subresource, String apiVersion) {
    private static final int MAX_NAME = 128;

    public Manager {
        name = name.isEmpty() ? "unknown" : name;
    }

    /** Somebody who writes the object itself. */
    public static Manager of(String name, String apiVersion) {
        return new Manager(name, "", apiVersion);
    }

    /**
     * The name a request goes by: the one it gives, or else the program that sends it.
     *
     * @param fieldManager the parameter of that name
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
