package dev.mooring.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * Runs one recorded scenario: creates its objects while the controllers are stopped, starts the controllers, performs
 * the steps, and captures the settled state after each in the format of the record.
 */
final class BindingScenario {
    /** Quiet period that suffices if the state is as expected. */
    private static final Duration QUIET_PERIOD = Duration.ofMillis(25);

    /** Quiet period if the state is not yet as expected, for slow machines. */
    private static final Duration LONG_QUIET_PERIOD = Duration.ofMillis(400);

    private static final int STATUS_TRIES = 50;

    /** How often to wait for the long quiet period until a state or the Events are as expected. */
    private static final int TRIES = 100;

    private final BindingServerFixture server;
    private final int tries;
    private final Map<String, String> uids = new HashMap<>();
    private final Map<String, String> incarnations = new HashMap<>();
    private final BindingManifest manifests = new BindingManifest(this::uid);
    private int unknownUids;
    private boolean diverged;

    /**
     * Result of a scenario.
     *
     * @param codes status code of each response; 0 for a request that was not sent
     * @param states by object, after each step
     * @param events type, reason and object of each
     */
    record Result(List<Integer> codes, List<Map<String, JsonNode>> states, Set<String> events) {
        static Result of(JsonNode recorded) {
            List<Integer> codes = new ArrayList<>();
            recorded.get("codes").forEach(each -> codes.add(each.asInt()));
            List<Map<String, JsonNode>> states = new ArrayList<>();
            for (JsonNode state : recorded.get("states")) {
                Map<String, JsonNode> objects = new TreeMap<>();
                state.properties().forEach(each -> objects.put(each.getKey(), each.getValue()));
                states.add(objects);
            }
            Set<String> events = new TreeSet<>();
            recorded.get("events").forEach(each -> events.add(each.asText()));
            return new Result(codes, states, events);
        }
    }

    private BindingScenario(BindingServerFixture server, int tries) {
        this.server = server;
        this.tries = tries;
    }

    /** How a scenario is expected to end, compared with its recording; only decides how long to wait. */
    enum ExpectedEnd {
        SAME,
        DIFFERENT
    }

    /**
     * @param expected only decides how long to wait
     * @param hasEvents whether a result has the Events that it must have; the run waits for them
     */
    static Result run(
            JsonNode scenario, Path data, Result expected, ExpectedEnd expectedEnd, Predicate<Result> hasEvents) {
        try (BindingServerFixture server = BindingServerFixture.startPaused(data, Map.of())) {
            return new BindingScenario(server, expectedEnd == ExpectedEnd.SAME ? TRIES : 1)
                    .run(scenario, expected, hasEvents);
        }
    }

    private Result run(JsonNode scenario, Result expected, Predicate<Result> hasEvents) {
        List<Integer> codes = new ArrayList<>();
        List<Map<String, JsonNode>> states = new ArrayList<>();
        ObjectNode node =
                BindingApiClient.JSON.createObjectNode().put("kind", "Node").put("apiVersion", "v1");
        node.putObject("metadata").put("name", "n1");
        server.api().create("Node", node);
        scenario.get("classes").forEach(each -> codes.add(create(each)));
        scenario.get("before").forEach(each -> codes.add(create(each)));
        server.resume();
        states.add(settled(expected.states().get(0)::equals));
        for (JsonNode step : scenario.get("steps")) {
            codes.add(performStep(step));
            states.add(settled(expected.states().get(states.size())::equals));
        }
        Result result = new Result(codes, states, events());
        for (int i = 0; i < tries && !diverged && !hasEvents.test(result); i++) {
            server.settle(LONG_QUIET_PERIOD);
            result = new Result(codes, states, events());
        }
        return result;
    }

    private int performStep(JsonNode step) {
        String kind = step.path("kind").asText();
        String name = step.path("name").asText();
        return switch (step.get("op").asText()) {
            case "create" -> create(step.get("obj"));
            case "delete" -> server.api().delete(kind, name).code();
            case "patch" ->
                step.path("ifref").asBoolean() && !hasClaimRef(kind, name)
                        ? 0
                        : server.api()
                                .patch(kind, name, step.get("patch").toString())
                                .code();
            default -> throw new IllegalArgumentException("Unknown step: " + step);
        };
    }

    private boolean hasClaimRef(String kind, String name) {
        return !server.api()
                .get(kind, name)
                .body()
                .path("spec")
                .path("claimRef")
                .isEmpty();
    }

    private int create(JsonNode recorded) {
        String kind = recorded.get("kind").asText();
        String name = recorded.get("name").asText();
        BindingApiClient.Reply created = server.api().create(kind, manifests.of(recorded));
        if (created.isOk() && kind.equals("PersistentVolumeClaim")) {
            String uid = created.body().path("metadata").path("uid").asText();
            long before = incarnations.values().stream()
                    .filter(each -> each.substring(0, each.indexOf('#')).equals(name))
                    .count();
            uids.put(name, uid);
            incarnations.put(uid, name + "#" + before);
        }
        if (created.isOk() && recorded.hasNonNull("phase")) {
            setPhase(created.object(), recorded);
        }
        return created.code();
    }

    private void setPhase(ObjectNode created, JsonNode recorded) {
        String kind = recorded.get("kind").asText();
        String name = recorded.get("name").asText();
        ObjectNode object = created;
        ObjectNode status = object.withObject("/status");
        status.set("phase", recorded.get("phase"));
        if (kind.equals("PersistentVolumeClaim")
                && recorded.get("phase").asText().equals("Bound")) {
            status.set("accessModes", object.path("spec").path("accessModes"));
            status.putObject("capacity").set("storage", recorded.get("req"));
        }
        for (int i = 0; i < STATUS_TRIES; i++) {
            if (server.api().putStatus(kind, name, object).code() != 409) {
                return;
            }
            object = server.api().get(kind, name).object();
            object.set("status", status);
        }
    }

    /** UID for a name in the scenario: of the claim with this name, else a new one. */
    private String uid(String name) {
        String known = name.equals("other") ? null : uids.get(name);
        return known != null
                ? known
                : UUID.nameUUIDFromBytes(("stranger" + unknownUids++).getBytes(StandardCharsets.UTF_8))
                        .toString();
    }

    private Map<String, JsonNode> settled(Predicate<Map<String, JsonNode>> expected) {
        server.settle(QUIET_PERIOD);
        Map<String, JsonNode> state = state();
        for (int i = 0; i < tries && !diverged && !expected.test(state); i++) {
            server.settle(LONG_QUIET_PERIOD);
            state = state();
        }
        diverged = diverged || !expected.test(state);
        return state;
    }

    private Map<String, JsonNode> state() {
        Map<String, JsonNode> state = new TreeMap<>();
        for (JsonNode volume : server.api().list("PersistentVolume")) {
            state.put("pv/" + name(volume), volume(volume));
        }
        for (JsonNode claim : server.api().list("PersistentVolumeClaim")) {
            state.put("pvc/" + name(claim), claim(claim));
        }
        for (JsonNode pod : server.api().list("Pod")) {
            state.put(
                    "pod/" + name(pod), BindingApiClient.JSON.createObjectNode().put("deleting", isDeleting(pod)));
        }
        return state;
    }

    private ObjectNode volume(JsonNode volume) {
        JsonNode spec = volume.path("spec");
        JsonNode reference = spec.path("claimRef");
        String uid = reference.path("uid").asText("");
        ObjectNode summary = BindingApiClient.JSON.createObjectNode();
        summary.put("phase", volume.path("status").path("phase").asText(""));
        summary.put(
                "claim",
                reference.path("name").isMissingNode()
                        ? null
                        : reference.get("name").asText());
        summary.put("uid", uid.isEmpty() ? null : incarnations.getOrDefault(uid, "other"));
        summary.put("class", spec.path("storageClassName").asText(""));
        return common(volume, summary);
    }

    private ObjectNode claim(JsonNode claim) {
        JsonNode spec = claim.path("spec");
        JsonNode status = claim.path("status");
        ObjectNode summary = BindingApiClient.JSON.createObjectNode();
        summary.put("phase", status.path("phase").asText(""));
        summary.put("volume", spec.path("volumeName").asText(""));
        summary.put("class", textOrNull(spec.path("storageClassName")));
        summary.put("capacity", textOrNull(status.path("capacity").path("storage")));
        fill(summary.putArray("modes"), texts(status.path("accessModes")));
        summary.put(
                "request",
                spec.path("resources").path("requests").path("storage").asText());
        common(claim, summary);
        return summary.put(
                "incarnation",
                incarnations.get(claim.path("metadata").path("uid").asText()));
    }

    private static ObjectNode common(JsonNode object, ObjectNode summary) {
        TreeSet<String> annotations = new TreeSet<>();
        object.path("metadata").path("annotations").fieldNames().forEachRemaining(each -> {
            if (each.startsWith("pv.kubernetes.io/")) {
                annotations.add(each.substring(each.indexOf('/') + 1));
            }
        });
        fill(summary.putArray("ann"), annotations);
        fill(summary.putArray("finalizers"), texts(object.path("metadata").path("finalizers")));
        return summary.put("deleting", isDeleting(object));
    }

    private static Set<String> texts(JsonNode list) {
        Set<String> texts = new TreeSet<>();
        list.forEach(each -> texts.add(each.asText()));
        return texts;
    }

    private static void fill(ArrayNode array, Set<String> texts) {
        texts.forEach(array::add);
    }

    private static String textOrNull(JsonNode value) {
        return value.isMissingNode() || value.isNull() ? null : value.asText();
    }

    private static String name(JsonNode object) {
        return object.path("metadata").path("name").asText();
    }

    private static boolean isDeleting(JsonNode object) {
        return object.path("metadata").has("deletionTimestamp");
    }

    private Set<String> events() {
        Set<String> events = new TreeSet<>();
        for (JsonNode event : server.api().allEvents()) {
            JsonNode object = event.path("involvedObject");
            String kind = object.path("kind").asText();
            if (kind.startsWith("PersistentVolume")) {
                events.add(
                        event.path("type").asText() + " " + event.path("reason").asText() + " " + kind + "/"
                                + object.path("name").asText());
            }
        }
        return events;
    }
}
