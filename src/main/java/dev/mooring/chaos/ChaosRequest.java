package dev.mooring.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.chaos.ChaosException.ChaosErrorKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/** Parses actions from JSON. Refuses unknown fields, so that misspelt ones are not ignored. */
public final class ChaosRequest {
    private static final Set<String> NAMES =
            new TreeSet<>(Set.of("kill", "pause", "fail-next-mounts", "hang-server", "monkey", "stop"));

    private static final Duration PAUSE = Duration.ofSeconds(10);
    private static final Duration HANG = Duration.ofSeconds(30);
    private static final Duration MONKEY = Duration.ofSeconds(60);
    private static final Duration EVERY = Duration.ofSeconds(2);
    private static final String FOR = "forSeconds";
    private static final int MAX_TEXT_LENGTH = 253;
    private static final double MILLIS = 1000;

    private final ObjectNode body;
    private final Set<String> read = new TreeSet<>();

    private ChaosRequest(ObjectNode body) {
        this.body = body;
    }

    /**
     * Parses an action.
     *
     * @param action name in the command line
     * @throws ChaosException if there is no such action or the body is invalid for it
     */
    public static ChaosAction parse(String action, ObjectNode body) {
        ChaosRequest request = new ChaosRequest(body);
        ChaosAction parsed = request.action(action);
        body.fieldNames().forEachRemaining(field -> {
            if (!request.read.contains(field)) {
                throw invalid("Unknown field \"" + field + "\" for " + action + "; known fields are " + request.read);
            }
        });
        return parsed;
    }

    private ChaosAction action(String action) {
        return switch (action) {
            case "kill" -> new ChaosAction.Kill(text("verticle").orElseThrow(() -> missing("verticle")));
            case "pause" ->
                new ChaosAction.Pause(
                        text("verticle").orElseThrow(() -> missing("verticle")),
                        duration(FOR, PAUSE, Duration.ofMillis(1)));
            case "fail-next-mounts" ->
                new ChaosAction.FailNextMounts(
                        count(),
                        text("node"),
                        text("reason").orElse("injected fault"),
                        duration(FOR, ChaosAction.MAX_DURATION, Duration.ofMillis(1)));
            case "hang-server" ->
                new ChaosAction.HangServer(
                        text("server").orElseThrow(() -> missing("server")), duration(FOR, HANG, Duration.ofMillis(1)));
            case "monkey" ->
                new ChaosAction.Monkey(
                        duration("everySeconds", EVERY, ChaosAction.Monkey.MIN_INTERVAL),
                        duration(FOR, MONKEY, Duration.ofMillis(1)),
                        only(),
                        seed());
            case "stop" -> new ChaosAction.Stop();
            default ->
                throw new ChaosException(
                        ChaosErrorKind.NOT_FOUND, "Unknown action \"" + action + "\"; expected one of " + NAMES);
        };
    }

    private JsonNode field(String name) {
        read.add(name);
        return body.path(name);
    }

    private Optional<String> text(String name) {
        JsonNode value = field(name);
        if (value.isMissingNode() || value.isNull()) {
            return Optional.empty();
        }
        String text = value.asText("").trim();
        if (!value.isTextual()
                || text.isEmpty()
                || text.length() > MAX_TEXT_LENGTH
                || text.chars().anyMatch(Character::isISOControl)) {
            throw invalid(name + " must be a string of 1 to " + MAX_TEXT_LENGTH
                    + " characters without control characters, got " + shortened(value));
        }
        return Optional.of(text);
    }

    private int count() {
        JsonNode value = field("count");
        if (value.isMissingNode()) {
            throw missing("count");
        }
        if (!value.isInt() || value.asInt() < 1 || value.asInt() > ChaosAction.FailNextMounts.MAX_COUNT) {
            throw invalid("count must be an integer from 1 to " + ChaosAction.FailNextMounts.MAX_COUNT + ", got "
                    + shortened(value));
        }
        return value.asInt();
    }

    private Duration duration(String name, Duration defaultValue, Duration min) {
        JsonNode value = field(name);
        if (value.isMissingNode() || value.isNull()) {
            return defaultValue;
        }
        double seconds = value.asDouble(-1);
        if (value.isNumber() && seconds >= min.toMillis() / MILLIS && seconds <= ChaosAction.MAX_DURATION.toSeconds()) {
            return Duration.ofMillis(Math.round(seconds * MILLIS));
        }
        throw invalid(name + " must be a number of seconds from " + min.toMillis() / MILLIS + " to "
                + ChaosAction.MAX_DURATION.toSeconds() + ", got " + shortened(value));
    }

    private List<String> only() {
        JsonNode value = field("only");
        if (value.isMissingNode() || value.isNull()) {
            return List.of();
        }
        List<String> names = new ArrayList<>();
        for (JsonNode each : value) {
            names.add(each.asText(""));
        }
        if (!value.isArray() || names.isEmpty()) {
            throw invalid("only must be a list of verticles, got " + shortened(value));
        }
        return names;
    }

    private OptionalLong seed() {
        JsonNode value = field("seed");
        if (value.isMissingNode() || value.isNull()) {
            return OptionalLong.empty();
        }
        if (!value.canConvertToLong() || !value.isIntegralNumber()) {
            throw invalid("seed must be an integer, got " + shortened(value));
        }
        return OptionalLong.of(value.asLong());
    }

    private static String shortened(JsonNode value) {
        String text = value.toString();
        return text.length() <= MAX_TEXT_LENGTH ? text : text.substring(0, MAX_TEXT_LENGTH) + '…';
    }

    private static ChaosException missing(String field) {
        return invalid(field + " is required");
    }

    private static ChaosException invalid(String message) {
        return new ChaosException(ChaosErrorKind.INVALID, message);
    }
}
