package dev.mooring.runtime.docker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import dev.mooring.runtime.ImageFacts;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Parses the engine's container and image JSON, from inspect or list calls. Uses no field that Docker 29 has removed.
 */
final class FactsReader {
    /** The engine's zero time. */
    private static final Instant NEVER = Instant.parse("0001-01-01T00:00:00Z");

    private static final Set<String> LEAVING = Set.of("removing", "dead");

    /** The exit code of a container whose process got SIGKILL. */
    static final int KILLED = 137;

    private FactsReader() {}

    static ContainerFacts container(JsonNode tree) {
        JsonNode state = tree.path("State");
        State how = state(state.path("Status").asText());
        JsonNode config = tree.path("Config");
        return new ContainerFacts(
                tree.path("Id").asText(),
                name(tree.path("Name").asText()),
                config.path("Image").asText(),
                tree.path("Image").asText(),
                labels(config.path("Labels")),
                how,
                time(tree.path("Created")).orElse(Instant.EPOCH),
                time(state.path("StartedAt")),
                how == State.EXITED ? time(state.path("FinishedAt")) : Optional.empty(),
                how == State.EXITED ? state.path("ExitCode").asInt() : 0,
                state.path("OOMKilled").asBoolean(),
                DockerErrors.oneLine(state.path("Error").asText("")),
                address(tree.path("NetworkSettings")));
    }

    /** Parses an entry of a list, which has no start and end times and no start error. */
    static ContainerFacts summary(JsonNode tree) {
        State how = state(tree.path("State").asText());
        return new ContainerFacts(
                tree.path("Id").asText(),
                ownName(tree),
                tree.path("Image").asText(),
                tree.path("ImageID").asText(),
                labels(tree.path("Labels")),
                how,
                Instant.ofEpochSecond(tree.path("Created").asLong()),
                Optional.empty(),
                Optional.empty(),
                how == State.EXITED ? exitCode(tree.path("Status").asText()) : 0,
                false,
                "",
                address(tree.path("NetworkSettings")));
    }

    /** Returns the container's own name; others are link aliases. A container that is being removed may have none. */
    private static String ownName(JsonNode tree) {
        for (JsonNode each : tree.path("Names")) {
            String name = name(each.asText());
            if (name.indexOf('/') < 0) {
                return name;
            }
        }
        return tree.path("Id").asText();
    }

    /** Parses {@code Exited (137) 5 minutes ago}; returns the code of a killed process if it is missing. */
    private static int exitCode(String status) {
        int start = status.indexOf('(') + 1;
        int end = status.indexOf(')', start);
        if (status.startsWith("Exited (") && end > start) {
            try {
                return Integer.parseInt(status.substring(start, end));
            } catch (NumberFormatException e) {
                return KILLED;
            }
        }
        return KILLED;
    }

    /** Returns whether it is being removed and cannot be used any more. */
    static boolean isLeaving(JsonNode tree) {
        return LEAVING.contains(tree.path("State").path("Status").asText());
    }

    static ImageFacts image(JsonNode tree) {
        return new ImageFacts(
                tree.path("Id").asText(),
                texts(tree.path("RepoDigests")),
                texts(tree.path("RootFS").path("Layers")),
                texts(tree.path("Config").path("Entrypoint")),
                tree.path("Size").asLong(),
                tree.path("Config").path("User").asText(""));
    }

    private static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(each -> texts.add(each.asText()));
        return texts;
    }

    private static State state(String status) {
        return switch (status) {
            case "created" -> State.CREATED;
            // Between two runs. Mooring requests no restarts, but a user may have; it can have processes at any moment.
            case "running", "restarting" -> State.RUNNING;
            case "paused" -> State.PAUSED;
            default -> State.EXITED;
        };
    }

    private static String name(String text) {
        return text.startsWith("/") ? text.substring(1) : text;
    }

    private static Map<String, String> labels(JsonNode tree) {
        Map<String, String> labels = new LinkedHashMap<>();
        tree.properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
        return labels;
    }

    private static Optional<Instant> time(JsonNode text) {
        try {
            return Optional.of(Instant.parse(text.asText())).filter(time -> !time.equals(NEVER));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    /** Returns the address. Newer engines report addresses per network only; IPv6 is used if there is no IPv4. */
    private static String address(JsonNode settings) {
        for (String field : List.of("IPAddress", "GlobalIPv6Address")) {
            for (JsonNode network : settings.path("Networks")) {
                String address = network.path(field).asText("");
                if (!address.isEmpty()) {
                    return address;
                }
            }
        }
        return settings.path("IPAddress").asText("");
    }
}
