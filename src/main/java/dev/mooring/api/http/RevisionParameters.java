package dev.mooring.api.http;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.model.PointInTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Parses the revision of a read: {@code at}, and {@code resourceVersion} with {@code resourceVersionMatch}. A time or
 * duration in {@code at}, {@code from} or {@code to} is replaced by its revision first, because finding it may need the
 * disk.
 */
final class RevisionParameters {
    static final String AT = "at";
    static final String FROM = "from";
    static final String TO = "to";
    private static final String VERSION = "resourceVersion";
    private static final String MATCH = "resourceVersionMatch";

    private RevisionParameters() {}

    /** Returns the exact revision; empty for the newest. */
    static OptionalLong exact(QueryParameters query) {
        OptionalLong at = query.number(AT);
        String match = query.text(MATCH);
        if (match.isEmpty() && isPage(query) && version(query).orElse(0) != 0) {
            throw new StatusException(
                    Status.badRequest("specifying resource version is not allowed when using continue"));
        }
        switch (match) {
            case "" -> {
                // As in Kubernetes: the first page of a list with a resourceVersion is read at that revision, like the
                // following pages.
                boolean firstPage = query.number("limit").orElse(0) > 0 && !isPage(query);
                OptionalLong version = version(query);
                return at.isEmpty() && firstPage && version.orElse(0) > 0 ? version : at;
            }
            case "NotOlderThan", "Exact" -> {
                if (query.text(VERSION).isEmpty()) {
                    throw invalid("resourceVersionMatch is forbidden unless resourceVersion is provided");
                }
                if (isPage(query)) {
                    throw invalid("resourceVersionMatch is forbidden when continue is provided");
                }
            }
            default ->
                throw new StatusException(new Status(
                        422,
                        "Invalid",
                        "resourceVersionMatch: Unsupported value: \"" + match
                                + "\": supported values: \"Exact\", \"NotOlderThan\""));
        }
        if (match.equals("NotOlderThan")) {
            return at;
        }
        OptionalLong version = version(query);
        if (version.isEmpty() || version.getAsLong() == 0) {
            throw invalid("resourceVersionMatch \"Exact\" is forbidden for resourceVersion \"0\"");
        }
        return version;
    }

    /**
     * Returns the times in parameters that may have a revision, a duration before now, or a time.
     *
     * @throws StatusException 400 if one is none of these
     */
    static Map<String, Instant> times(QueryParameters query, Instant now) {
        Map<String, Instant> times = new TreeMap<>();
        for (String name : List.of(AT, FROM, TO)) {
            try {
                if (!query.text(name).isEmpty()
                        && PointInTime.parse(name, query.text(name), now) instanceof PointInTime.AtTime at) {
                    times.put(name, at.time());
                }
            } catch (IllegalArgumentException e) {
                throw new StatusException(Status.badRequest(e.getMessage()));
            }
        }
        return times;
    }

    /** Returns whether the request asks for a past moment, other than clients that continue a list or watch. */
    static boolean isTimeTravel(QueryParameters query) {
        return List.of(AT, FROM, TO).stream().anyMatch(name -> !query.text(name).isEmpty());
    }

    /** Returns the minimum revision; empty if any will do. */
    static OptionalLong atLeast(QueryParameters query) {
        return isPage(query) ? OptionalLong.empty() : version(query);
    }

    /** Returns whether the request continues another list, whose revision it uses. */
    private static boolean isPage(QueryParameters query) {
        return !query.text("continue").isEmpty();
    }

    static OptionalLong version(QueryParameters query) {
        String text = query.text(VERSION);
        if (text.isEmpty()) {
            return OptionalLong.empty();
        }
        try {
            long version = Long.parseLong(text);
            if (version >= 0) {
                return OptionalLong.of(version);
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new StatusException(
                Status.badRequest("Invalid value: \"" + text + "\": resourceVersion must be a number"));
    }

    private static StatusException invalid(String message) {
        return new StatusException(new Status(422, "Invalid", message));
    }
}
