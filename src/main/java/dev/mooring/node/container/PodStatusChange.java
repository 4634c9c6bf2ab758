package dev.mooring.node.container;

import static dev.mooring.node.container.PodStatus.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Names the change between two statuses of a Pod. Of several changes it selects the most important one: ends before
 * starts. Pure.
 */
final class PodStatusChange {
    private static final List<String> LISTS =
            List.of("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses");

    private final JsonNode before;
    private final JsonNode after;
    private boolean ended;
    private boolean started;
    private boolean waits;

    private PodStatusChange(JsonNode before, JsonNode after) {
        this.before = before;
        this.after = after;
    }

    static String between(JsonNode before, JsonNode after) {
        PodStatusChange change = new PodStatusChange(before, after);
        LISTS.forEach(change::compare);
        return change.name();
    }

    private String name() {
        String phase = text(after, "phase");
        if (PodPhase.isFinal(phase) && !phase.equals(text(before, "phase"))) {
            return "Pod" + phase;
        }
        if (ended) {
            return "ContainerEnded";
        }
        if (started) {
            return "ContainerStarted";
        }
        if (!isTrue(before, PodConditions.READY) && isTrue(after, PodConditions.READY)) {
            return "PodReady";
        }
        if (isTrue(before, PodConditions.READY) && !isTrue(after, PodConditions.READY)) {
            return "PodNotReady";
        }
        String volumes = condition(after, PodConditions.VOLUMES_HEALTHY);
        if (!volumes.equals(condition(before, PodConditions.VOLUMES_HEALTHY))) {
            return volumes.equals("True") ? "PodVolumesHealthy" : "PodVolumesUnhealthy";
        }
        return waits ? "ContainerWaiting" : "PodStatusReported";
    }

    private void compare(String list) {
        for (JsonNode container : after.path(list)) {
            JsonNode was = named(before.path(list), text(container, "name"));
            JsonNode state = container.path("state");
            boolean ran = was.path("state").has("running");
            boolean same = text(was, "containerID").equals(text(container, "containerID"));
            started |= state.has("running") && !(ran && same);
            Set<String> ends = ends(container);
            ends.removeAll(ends(was));
            ended |= !ends.isEmpty() || (ran && !state.has("running"));
            String reason = text(state.path("waiting"), "reason");
            waits |= was.isObject()
                    && !reason.isEmpty()
                    && !reason.equals(text(was.path("state").path("waiting"), "reason"));
        }
    }

    private static Set<String> ends(JsonNode container) {
        Set<String> ends = new HashSet<>();
        for (String field : List.of("state", "lastState")) {
            JsonNode terminated = container.path(field).path("terminated");
            if (terminated.isObject()) {
                ends.add(text(terminated, "containerID"));
            }
        }
        return ends;
    }

    private static JsonNode named(JsonNode list, String name) {
        for (JsonNode each : list) {
            if (text(each, "name").equals(name)) {
                return each;
            }
        }
        return JsonNodeFactory.instance.missingNode();
    }

    private static boolean isTrue(JsonNode status, String type) {
        return condition(status, type).equals("True");
    }

    private static String condition(JsonNode status, String type) {
        for (JsonNode each : status.path("conditions")) {
            if (text(each, "type").equals(type)) {
                return text(each, "status");
            }
        }
        return "";
    }
}
