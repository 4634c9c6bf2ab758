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

/** Reads what the engine tells of containers and images when they are inspected or listed. Uses no field that Docker 29 no longer has. */
final class FactsReader {
    /** The engine's way to say never: the first instant of its time type. */
    private static final Instant NEVER = Instant.parse("0001-01-01T00:00:00Z");

    private static final Set<String> LEAVING = Set.of("removing", "dead");

    private static final int FORCED = 137;

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
                Failures.oneLine(state.path("Error").asText("")),
                address(tree.path("NetworkSettings")));
    }

    /** From a list, which says neither when a container was started and ended nor why it could not be. */
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

    /** Others are those by which containers that are linked to it know it. One that is on its way out may have none left. */
    private static String ownName(JsonNode tree) {
        for (JsonNode each : tree.path("Names")) {
            String name = name(each.asText());
            if (name.indexOf('/') < 0) {
                return name;
            }
        }
        return tree.path("Id").asText();
    }

    /** As in {@code Exited (137) 5 minutes ago}; that of one ended by force if it is not told. */
    private static int exitCode(String status) {
        int start = status.indexOf('(') + 1;
        int end = status.indexOf(')', start);
        if (status.startsWith("Exited (") && end > start) {
            try {
                return Integer.parseInt(status.substring(start, end));
            } catch (NumberFormatException e) {
                return FORCED;
            }
        }
        return FORCED;
    }

    /** Whether it is on its way out and cannot be used any more. */
    static boolean isLeaving(JsonNode tree) {
        return LEAVING.contains(tree.path("State").path("Status").asText());
    }

    static ImageFacts image(JsonNode tree) {
        List<String> digests = new ArrayList<>();
        tree.path("RepoDigests").forEach(digest -> digests.add(digest.asText()));
        return new ImageFacts(
                tree.path("Id").asText(),
                digests,
                tree.path("Size").asLong(),
                tree.path("Config").path("User").asText(""));
    }

    private static State state(String status) {
        return switch (status) {
            case "created" -> State.CREATED;
            // Between two runs; Mooring asks for no restarts, but somebody may have: it can have processes at any
            // moment.
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

    /** Newer engines tell addresses only for each network; a version 6 one if there is no other. */
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
