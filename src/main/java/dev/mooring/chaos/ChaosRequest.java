package dev.mooring.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.chaos.ChaosException.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/** Reads what is asked for from the JSON it comes in. Refuses what it does not know, so that a misspelt field is no surprise. */
public final class ChaosRequest {
    private static final Set<String> NAMES =
            new TreeSet<>(Set.of("kill", "pause", "fail-next-mounts", "hang-server", "monkey", "stop"));

    private static final Duration PAUSE = Duration.ofSeconds(10);
    private static final Duration HANG = Duration.ofSeconds(30);
    private static final Duration MONKEY = Duration.ofSeconds(60);
    private static final Duration EVERY = Duration.ofSeconds(2);
    private static final String FOR = "forSeconds";
    private static final int LONGEST_TEXT = 253;
    private static final double MILLIS = 1000;

    private final ObjectNode body;
    private final Set<String> read = new TreeSet<>();

    private ChaosRequest(ObjectNode body) {
        this.body = body;
    }

    /**
     * @param action its name, as users type it
     * @throws ChaosException if there is no such action or the body does not fit it
     */
    public static ChaosAction parse(String action, ObjectNode body) {
        ChaosRequest request = new ChaosRequest(body);
        ChaosAction parsed = request.action(action);
        body.fieldNames().forEachRemaining(field -> {
            if (!request.read.contains(field)) {
                throw invalid("Expected only " + request.read + " for " + action + ", but there is \"" + field + '"');
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
                        text("reason").orElse("chaos wants it to fail"),
                        duration(FOR, ChaosAction.LONGEST, Duration.ofMillis(1)));
            case "hang-server" ->
                new ChaosAction.HangServer(
                        text("server").orElseThrow(() -> missing("server")), duration(FOR, HANG, Duration.ofMillis(1)));
            case "monkey" ->
                new ChaosAction.Monkey(
                        duration("everySeconds", EVERY, ChaosAction.Monkey.SHORTEST),
                        duration(FOR, MONKEY, Duration.ofMillis(1)),
                        only(),
                        seed());
            case "stop" -> new ChaosAction.Stop();
            default ->
                throw new ChaosException(Kind.NOT_FOUND, "Expected one of " + NAMES + ", but got \"" + action + '"');
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
                || text.length() > LONGEST_TEXT
                || text.chars().anyMatch(Character::isISOControl)) {
            throw invalid("Expected " + name + " to be a text of at most " + LONGEST_TEXT + " characters, but it is "
                    + shortened(value));
        }
        return Optional.of(text);
    }

    private int count() {
        JsonNode value = field("count");
        if (value.isMissingNode()) {
            throw missing("count");
        }
        if (!value.isInt() || value.asInt() < 1 || value.asInt() > ChaosAction.FailNextMounts.MOST) {
            throw invalid("Expected count to be a whole number from 1 to " + ChaosAction.FailNextMounts.MOST
                    + ", but it is " + shortened(value));
        }
        return value.asInt();
    }

    private Duration duration(String name, Duration usual, Duration shortest) {
        JsonNode value = field(name);
        if (value.isMissingNode() || value.isNull()) {
            return usual;
        }
        double seconds = value.asDouble(-1);
        if (value.isNumber() && seconds >= shortest.toMillis() / MILLIS && seconds <= ChaosAction.LONGEST.toSeconds()) {
            return Duration.ofMillis(Math.round(seconds * MILLIS));
        }
        throw invalid("Expected " + name + " to be a number of seconds from " + shortest.toMillis() / MILLIS + " to "
                + ChaosAction.LONGEST.toSeconds() + ", but it is " + shortened(value));
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
            throw invalid("Expected only to be a list of verticles, but it is " + shortened(value));
        }
        return names;
    }

    private OptionalLong seed() {
        JsonNode value = field("seed");
        if (value.isMissingNode() || value.isNull()) {
            return OptionalLong.empty();
        }
        if (!value.canConvertToLong() || !value.isIntegralNumber()) {
            throw invalid("Expected seed to be a whole number, but it is " + shortened(value));
        }
        return OptionalLong.of(value.asLong());
    }

    private static String shortened(JsonNode value) {
        String text = value.toString();
        return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + '…';
    }

    private static ChaosException missing(String field) {
        return invalid("Expected " + field + ", but it is missing");
    }

    private static ChaosException invalid(String message) {
        return new ChaosException(Kind.INVALID, message);
    }
}
