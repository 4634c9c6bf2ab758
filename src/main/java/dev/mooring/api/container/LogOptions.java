package dev.mooring.api.container;

import dev.mooring.api.GoText;
import dev.mooring.api.Status;
import dev.mooring.api.Status.StatusCause;
import dev.mooring.api.StatusException;
import dev.mooring.api.container.ContainerAccess.OutputSource;
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
 * The options of a log request: Kubernetes' PodLogOptions. Immutable.
 *
 * @param previous whether to read the container before the last restart
 * @param limitBytes maximum size of the response, which may end in the middle of a line
 * @param sources requested streams
 */
record LogOptions(
        String container,
        boolean previous,
        OptionalLong limitBytes,
        Set<OutputSource> sources,
        ContainerAccess.LogQuery query) {
    private static final String AT_MOST_ONE = "at most one of `sinceTime` or `sinceSeconds` may be specified";
    private static final String NOT_WITH_TAIL = "`tailLines` and specific `stream` are mutually exclusive for now";
    private static final String POSITIVE = "must be greater than 0";
    private static final String SUPPORTED = "supported values: \"All\", \"Stderr\", \"Stdout\"";

    /** @param now the time that {@code sinceSeconds} relates to */
    static LogOptions of(String pod, ContainerRequestParameters given, Instant now) {
        OptionalLong tail = given.number("tailLines");
        OptionalLong limit = given.number("limitBytes");
        OptionalLong seconds = given.number("sinceSeconds");
        Optional<Instant> time = time(given.text("sinceTime"));
        String stream = given.has("stream") ? given.text("stream") : "All";
        List<StatusCause> wrong = new ArrayList<>();
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
        Set<OutputSource> sources = sources(stream);
        if (sources.isEmpty()) {
            String message = "Unsupported value: " + GoText.quote(stream) + ": " + SUPPORTED;
            wrong.add(new StatusCause("FieldValueNotSupported", message, "stream"));
        }
        if (sources.size() < 2 && tail.isPresent()) {
            wrong.add(forbidden(NOT_WITH_TAIL));
        }
        if (!wrong.isEmpty()) {
            throw new StatusException(invalid(pod, wrong));
        }
        Optional<Instant> since = seconds.isPresent() ? Optional.of(before(now, seconds.getAsLong())) : time;
        ContainerAccess.LogQuery query =
                new ContainerAccess.LogQuery(since, tail, given.flag("follow"), given.flag("timestamps"));
        return new LogOptions(given.text("container"), given.flag("previous"), limit, sources, query);
    }

    private static Set<OutputSource> sources(String stream) {
        return switch (stream) {
            case "All" -> Set.of(OutputSource.STDOUT, OutputSource.STDERR);
            case "Stdout" -> Set.of(OutputSource.STDOUT);
            case "Stderr" -> Set.of(OutputSource.STDERR);
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

    private static StatusCause invalid(String field, OptionalLong value, String why) {
        return new StatusCause("FieldValueInvalid", "Invalid value: " + value.orElse(0) + ": " + why, field);
    }

    /** Returns a cause without a field name, as in Kubernetes, which its messages show as an empty index. */
    private static StatusCause forbidden(String why) {
        return new StatusCause("FieldValueForbidden", "Forbidden: " + why, "[]");
    }

    private static Status invalid(String pod, List<StatusCause> causes) {
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
