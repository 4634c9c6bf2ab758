package dev.mooring.model.host;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Which paths of the machine a Pod was granted when it was created. The server writes it into an annotation of the Pod, over whatever
 * the user wrote there, and keeps it; so the node, which alone sees where links lead, knows what to hold paths against. Immutable.
 *
 * @param prefixes at or below which paths must lie; none if {@code reach} is {@link Reach#ANYWHERE}
 */
public record HostPathGrant(Reach reach, List<Path> prefixes) {
    /** On a Pod with hostPath volumes: {@code admin}, or prefixes with commas in between. */
    public static final String ANNOTATION = "mooring.dev/host-paths";

    private static final String ADMIN = "admin";

    /** How far it goes. */
    public enum Reach {
        /** Wherever no place is guarded: an admin created the Pod. */
        ANYWHERE,
        BELOW_PREFIXES
    }

    public HostPathGrant {
        prefixes = List.copyOf(prefixes);
    }

    public static HostPathGrant ofAdmin() {
        return new HostPathGrant(Reach.ANYWHERE, List.of());
    }

    /** @param prefixes absolute and normalized, without commas */
    public static HostPathGrant below(List<Path> prefixes) {
        return new HostPathGrant(Reach.BELOW_PREFIXES, prefixes);
    }

    /** What a Pod's annotation says; nothing if it has none, or none that can be read. */
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
        return reach == Reach.ANYWHERE;
    }

    /** As the annotation says it. */
    public String text() {
        return isAnywhere() ? ADMIN : prefixes.stream().map(Path::toString).collect(Collectors.joining(","));
    }
}
