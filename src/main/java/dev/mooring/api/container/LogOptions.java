package dev.mooring.api.container;

import dev.mooring.api.container.ContainerAccess.Source;
import dev.mooring.api.status.GoText;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.Status.Cause;
import dev.mooring.api.status.StatusException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What a request for a log asks for: Kubernetes' PodLogOptions. Immutable.
 *
 * @param previous whether the container before the last restart is meant
 * @param limitBytes after which the answer ends, in the middle of a line or not
 * @param sources whose bytes are wanted
 */
record LogOptions(String container, boolean previous, OptionalLong limitBytes, Set<Source> sources, LogWish wish) {
    private static final String AT_MOST_ONE = "at most one of `sinceTime` or `sinceSeconds` may be specified";
    private static final String NOT_WITH_TAIL = "`tailLines` and specific `stream` are mutually exclusive for now";
    private static final String POSITIVE = "must be greater than 0";
    private static final String SUPPORTED = "supported values: \"All\", \"Stderr\", \"Stdout\"";

    /** @param now for what is to be as old as so many seconds */
    static LogOptions of(String pod, Parameters given, Instant now) {
        OptionalLong tail = given.number("tailLines");
        OptionalLong limit = given.number("limitBytes");
        OptionalLong seconds = given.number("sinceSeconds");
        Optional<Instant> time = time(given.text("sinceTime"));
        String stream = given.has("stream") ? given.text("stream") : "All";
        List<Cause> wrong = new ArrayList<>();
        if (tail.orElse(0) < 0) {
            wrong.add(invalid("tailLines", tail, "must be greater than or equal to 0"));
        }
        if (limit.orElse(1) < 1) {
            wrong.add(invalid("limitBytes", limit, POSITIVE));
        }
        if (seconds.isPresent() && time.isPresent()) {
            wrong.add(forbidden(AT_MOST_ONE));
        } else if (seconds.orElse(1) < 1) {
            wrong.add(invalid("sinceSeconds", seconds, POSITIVE));
        }
        Set<Source> sources = sources(stream);
        if (sources.isEmpty()) {
            String message = "Unsupported value: " + GoText.quote(stream) + ": " + SUPPORTED;
            wrong.add(new Cause("FieldValueNotSupported", message, "stream"));
        }
        if (sources.size() < 2 && tail.isPresent()) {
            wrong.add(forbidden(NOT_WITH_TAIL));
        }
        if (!wrong.isEmpty()) {
            throw new StatusException(invalid(pod, wrong));
        }
        Optional<Instant> since = seconds.isPresent() ? Optional.of(before(now, seconds.getAsLong())) : time;
        LogWish wish = new LogWish(since, tail, given.flag("follow"), given.flag("timestamps"));
        return new LogOptions(given.text("container"), given.flag("previous"), limit, sources, wish);
    }

    private static Set<Source> sources(String stream) {
        return switch (stream) {
            case "All" -> Set.of(Source.STDOUT, Source.STDERR);
            case "Stdout" -> Set.of(Source.STDOUT);
            case "Stderr" -> Set.of(Source.STDERR);
            default -> Set.of();
        };
    }

    private static Instant before(Instant now, long seconds) {
        return seconds >= now.getEpochSecond() ? Instant.EPOCH : now.minusSeconds(seconds);
    }

    private static Optional<Instant> time(String text) {
        if (text.isEmpty() || text.equals("null")) {
            return Optional.empty();
        }
        try {
            return Optional.of(OffsetDateTime.parse(text, DateTimeFormatter.ISO_OFFSET_DATE_TIME)
                    .toInstant());
        } catch (DateTimeException e) {
            String quoted = GoText.quote(text);
            throw new StatusException(Status.badRequest("parsing time " + quoted
                    + " as \"2006-01-02T15:04:05Z07:00\": cannot parse " + quoted + " as \"2006\""));
        }
    }

    private static Cause invalid(String field, OptionalLong value, String why) {
        return new Cause("FieldValueInvalid", "Invalid value: " + value.orElse(0) + ": " + why, field);
    }

    /** Kubernetes names no field here, which its messages show as an empty index. */
    private static Cause forbidden(String why) {
        return new Cause("FieldValueForbidden", "Forbidden: " + why, "[]");
    }

    private static Status invalid(String pod, List<Cause> causes) {
        List<String> all = causes.stream()
                .map(cause -> cause.field() + ": " + cause.message())
                .toList();
        String text = all.size() == 1 ? all.get(0) : "[" + String.join(", ", all) + "]";
        return new Status(
                422,
                "Invalid",
                "PodLogOptions \"" + pod + "\" is invalid: " + text,
                new Status.Details(pod, "", "PodLogOptions", "", causes, 0));
    }
}
