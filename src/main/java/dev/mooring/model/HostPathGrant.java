package dev.mooring.model;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The host paths that a Pod may use, granted when it was created. The server writes the grant into an annotation of the
 * Pod, overwriting the user's value, and preserves it. The node, which alone sees where symbolic links lead, enforces
 * it. Immutable.
 *
 * @param prefixes paths must be at or below one of these; empty if {@code grantScope} is {@link GrantScope#ANYWHERE}
 */
public record HostPathGrant(GrantScope grantScope, List<Path> prefixes) {
    /** Annotation of a Pod with hostPath volumes: {@code admin}, or comma-separated prefixes. */
    public static final String ANNOTATION = "mooring.dev/host-paths";

    private static final String ADMIN = "admin";

    /** Scope of the grant. */
    public enum GrantScope {
        /** All paths that are not protected: an admin created the Pod. */
        ANYWHERE,
        BELOW_PREFIXES
    }

    public HostPathGrant {
        prefixes = List.copyOf(prefixes);
    }

    public static HostPathGrant ofAdmin() {
        return new HostPathGrant(GrantScope.ANYWHERE, List.of());
    }

    /** @param prefixes absolute and normalized, without commas */
    public static HostPathGrant below(List<Path> prefixes) {
        return new HostPathGrant(GrantScope.BELOW_PREFIXES, prefixes);
    }

    /** Parses a Pod's annotation; empty if it is missing or invalid. */
    public static Optional<HostPathGrant> of(JsonNode pod) {
        JsonNode text = pod.path("metadata").path("annotations").path(ANNOTATION);
        return text.isTextual() ? parse(text.textValue()) : Optional.empty();
    }

    private static Optional<HostPathGrant> parse(String text) {
        if (text.equals(ADMIN)) {
            return Optional.of(ofAdmin());
        }
        List<Path> prefixes = new ArrayList<>();
        for (String each : text.split(",", -1)) {
            Optional<Path> prefix = path(each).filter(Path::isAbsolute);
            if (prefix.isEmpty() || !prefix.get().normalize().equals(prefix.get())) {
                return Optional.empty();
            }
            prefixes.add(prefix.get());
        }
        return Optional.of(below(prefixes));
    }

    private static Optional<Path> path(String text) {
        try {
            return Optional.of(Path.of(text));
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    public boolean isAnywhere() {
        return grantScope == GrantScope.ANYWHERE;
    }

    /** Returns the annotation's value. */
    public String text() {
        return isAnywhere() ? ADMIN : prefixes.stream().map(Path::toString).collect(Collectors.joining(","));
    }
}
