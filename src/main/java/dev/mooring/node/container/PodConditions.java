package dev.mooring.node.container;

import static dev.mooring.node.container.PodStatus.put;
import static dev.mooring.node.container.PodStatus.seconds;
import static dev.mooring.node.container.PodStatus.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.node.container.ObservedContainer.Kind;
import dev.mooring.runtime.ContainerFacts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Sets the Pod conditions that the node owns. Other conditions keep their content and position; lastTransitionTime
 * changes only with the condition's status. Used once, on one thread; modifies the given status.
 */
final class PodConditions {
    static final String VOLUMES_HEALTHY = "mooring.dev/VolumesHealthy";
    static final String READY = "Ready";

    private static final String SCHEDULED = "PodScheduled";
    private static final String STATUS = "status";
    private static final String TRUE = "True";
    private static final String FALSE = "False";

    private final ObjectNode podStatus;
    private final Instant now;

    PodConditions(ObjectNode podStatus, Instant now) {
        this.podStatus = podStatus;
        this.now = now;
    }

    /** The value of a condition. */
    private record ConditionValue(String status, String reason, String message) {
        static final ConditionValue YES = new ConditionValue(TRUE, "", "");

        static ConditionValue falseBecause(String reason, String message) {
            return new ConditionValue(FALSE, reason, message);
        }

        boolean isTrue() {
            return status.equals(TRUE);
        }
    }

    void report(ObservedPod observed, List<ReportedContainer> containers, String phase) {
        ConditionValue containersReady = containersReady(containers, phase);
        setCondition(
                "PodReadyToStartContainers",
                hasSandbox(observed) ? ConditionValue.YES : ConditionValue.falseBecause("", ""));
        setCondition("Initialized", initialized(containers, phase));
        setCondition(READY, containersReady.isTrue() ? gates(observed.pod().spec()) : containersReady);
        setCondition("ContainersReady", containersReady);
        if (find(SCHEDULED).filter(each -> text(each, STATUS).equals(TRUE)).isEmpty()) {
            // The Pod was assigned to the node without a scheduler.
            setCondition(SCHEDULED, ConditionValue.YES);
        }
        reportVolumes(new TreeMap<>(observed.unhealthyVolumes()));
    }

    /**
     * Returns whether the sandbox is ready. Its network exists before it runs; on an engine without a bridge network it
     * never has an address.
     */
    private static boolean hasSandbox(ObservedPod observed) {
        return observed.sandbox().filter(ContainerFacts::isLive).isPresent();
    }

    private static ConditionValue initialized(List<ReportedContainer> containers, String phase) {
        List<String> incomplete = new ArrayList<>();
        boolean started = false;
        for (ReportedContainer each : containers) {
            switch (each.kind()) {
                case CONTAINER -> started |= each.hasRun();
                case SIDECAR -> addUnless(each.isStarted(), incomplete, each);
                case INIT -> addUnless(each.isReady(), incomplete, each);
                case EPHEMERAL -> {
                    // without effect
                }
            }
        }
        if (phase.equals(PodPhase.SUCCEEDED)) {
            return new ConditionValue(TRUE, "PodCompleted", "");
        }
        return started || incomplete.isEmpty()
                ? ConditionValue.YES
                : ConditionValue.falseBecause(
                        "ContainersNotInitialized", "containers with incomplete status: " + names(incomplete));
    }

    private static ConditionValue containersReady(List<ReportedContainer> containers, String phase) {
        if (phase.equals(PodPhase.SUCCEEDED)) {
            return ConditionValue.falseBecause("PodCompleted", "");
        }
        if (phase.equals(PodPhase.FAILED)) {
            return ConditionValue.falseBecause("PodFailed", "");
        }
        List<String> unready = new ArrayList<>();
        containers.stream()
                .filter(each -> each.kind() == Kind.CONTAINER || each.kind() == Kind.SIDECAR)
                .forEach(each -> addUnless(each.isReady(), unready, each));
        return unready.isEmpty()
                ? ConditionValue.YES
                : ConditionValue.falseBecause(
                        "ContainersNotReady", "containers with unready status: " + names(unready));
    }

    private ConditionValue gates(JsonNode spec) {
        List<String> closed = new ArrayList<>();
        for (JsonNode gate : spec.path("readinessGates")) {
            String type = text(gate, "conditionType");
            Optional<ObjectNode> condition = find(type);
            if (condition.isEmpty()) {
                closed.add("corresponding condition of pod readiness gate \"" + type + "\" does not exist.");
            } else if (!text(condition.get(), STATUS).equals(TRUE)) {
                closed.add("the status of pod readiness gate \"" + type + "\" is not \"True\", but "
                        + text(condition.get(), STATUS));
            }
        }
        return closed.isEmpty()
                ? ConditionValue.YES
                : ConditionValue.falseBecause("ReadinessGatesNotReady", String.join(", ", closed));
    }

    private void reportVolumes(Map<String, String> unhealthy) {
        if (!unhealthy.isEmpty()) {
            List<String> words = new ArrayList<>();
            unhealthy.forEach((volume, what) -> words.add("volume \"" + volume + "\": " + what));
            setCondition(VOLUMES_HEALTHY, ConditionValue.falseBecause("VolumeUnhealthy", String.join("; ", words)));
        } else if (find(VOLUMES_HEALTHY).isPresent()) {
            setCondition(VOLUMES_HEALTHY, new ConditionValue(TRUE, "VolumesHealthy", ""));
        }
    }

    private static void addUnless(boolean fine, List<String> list, ReportedContainer container) {
        if (!fine) {
            list.add(container.name());
        }
    }

    /** Formats a list like Go. */
    private static String names(List<String> names) {
        return '[' + String.join(" ", names) + ']';
    }

    private void setCondition(String type, ConditionValue saying) {
        ObjectNode condition = find(type).orElseGet(() -> insert(type));
        if (!text(condition, STATUS).equals(saying.status())) {
            condition.put(STATUS, saying.status());
            condition.put("lastTransitionTime", seconds(now));
        }
        put(condition, "reason", saying.reason());
        put(condition, "message", saying.message());
        if (podStatus.has("observedGeneration")) {
            condition.set("observedGeneration", podStatus.get("observedGeneration"));
        }
    }

    private Optional<ObjectNode> find(String type) {
        for (JsonNode each : podStatus.path("conditions")) {
            if (each instanceof ObjectNode condition && text(condition, "type").equals(type)) {
                return Optional.of(condition);
            }
        }
        return Optional.empty();
    }

    /** Inserts a condition before PodScheduled, in the kubelet's order. */
    private ObjectNode insert(String type) {
        ArrayNode conditions =
                podStatus.path("conditions") instanceof ArrayNode list ? list : podStatus.putArray("conditions");
        int place = 0;
        while (place < conditions.size() && !text(conditions.get(place), "type").equals(SCHEDULED)) {
            place++;
        }
        ObjectNode condition = JsonNodeFactory.instance.objectNode().put("type", type);
        conditions.insert(place, condition);
        return condition;
    }
}
