package dev.mooring.node.pod.status;

import static dev.mooring.node.pod.status.PodStatus.put;
import static dev.mooring.node.pod.status.PodStatus.seconds;
import static dev.mooring.node.pod.status.PodStatus.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.node.pod.ContainerSight.Kind;
import dev.mooring.node.pod.PodSight;
import dev.mooring.runtime.ContainerFacts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The conditions of a Pod that its node answers for. Others stay as and where they are; a time of transition changes with the condition's
 * status only. Used once, on one thread; changes the status that it was given.
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

    /** What is to be said about one thing. */
    private record Saying(String status, String reason, String message) {
        static final Saying YES = new Saying(TRUE, "", "");

        static Saying no(String reason, String message) {
            return new Saying(FALSE, reason, message);
        }

        boolean isTrue() {
            return status.equals(TRUE);
        }
    }

    void report(PodSight sight, List<Reported> containers, String phase) {
        Saying containersReady = containersReady(containers, phase);
        say("PodReadyToStartContainers", hasSandbox(sight) ? Saying.YES : Saying.no("", ""));
        say("Initialized", initialized(containers, phase));
        say(READY, containersReady.isTrue() ? gates(sight.pod().spec()) : containersReady);
        say("ContainersReady", containersReady);
        if (find(SCHEDULED).filter(each -> text(each, STATUS).equals(TRUE)).isEmpty()) {
            // Whoever placed it did so without a scheduler.
            say(SCHEDULED, Saying.YES);
        }
        reportVolumes(new TreeMap<>(sight.unhealthyVolumes()));
    }

    /** Its network is there before it runs; on an engine without a bridge that has no address, and never will. */
    private static boolean hasSandbox(PodSight sight) {
        return sight.sandbox().filter(ContainerFacts::isLive).isPresent();
    }

    private static Saying initialized(List<Reported> containers, String phase) {
        List<String> incomplete = new ArrayList<>();
        boolean begun = false;
        for (Reported each : containers) {
            switch (each.kind()) {
                case CONTAINER -> begun |= each.hasRun();
                case SIDECAR -> addUnless(each.isStarted(), incomplete, each);
                case INIT -> addUnless(each.isReady(), incomplete, each);
            }
        }
        if (phase.equals(Phase.SUCCEEDED)) {
            return new Saying(TRUE, "PodCompleted", "");
        }
        return begun || incomplete.isEmpty()
                ? Saying.YES
                : Saying.no("ContainersNotInitialized", "containers with incomplete status: " + names(incomplete));
    }

    private static Saying containersReady(List<Reported> containers, String phase) {
        if (phase.equals(Phase.SUCCEEDED)) {
            return Saying.no("PodCompleted", "");
        }
        if (phase.equals(Phase.FAILED)) {
            return Saying.no("PodFailed", "");
        }
        List<String> unready = new ArrayList<>();
        containers.stream()
                .filter(each -> each.kind() != Kind.INIT)
                .forEach(each -> addUnless(each.isReady(), unready, each));
        return unready.isEmpty()
                ? Saying.YES
                : Saying.no("ContainersNotReady", "containers with unready status: " + names(unready));
    }

    private Saying gates(JsonNode spec) {
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
        return closed.isEmpty() ? Saying.YES : Saying.no("ReadinessGatesNotReady", String.join(", ", closed));
    }

    private void reportVolumes(Map<String, String> unhealthy) {
        if (!unhealthy.isEmpty()) {
            List<String> words = new ArrayList<>();
            unhealthy.forEach((volume, what) -> words.add("volume \"" + volume + "\": " + what));
            say(VOLUMES_HEALTHY, Saying.no("VolumeUnhealthy", String.join("; ", words)));
        } else if (find(VOLUMES_HEALTHY).isPresent()) {
            say(VOLUMES_HEALTHY, new Saying(TRUE, "VolumesHealthy", ""));
        }
    }

    private static void addUnless(boolean fine, List<String> list, Reported container) {
        if (!fine) {
            list.add(container.name());
        }
    }

    /** As Go prints a list. */
    private static String names(List<String> names) {
        return '[' + String.join(" ", names) + ']';
    }

    private void say(String type, Saying saying) {
        ObjectNode condition = find(type).orElseGet(() -> insert(type));
        if (!text(condition, STATUS).equals(saying.status())) {
            condition.put(STATUS, saying.status());
            condition.put("lastTransitionTime", seconds(now));
        }
        put(condition, "reason", saying.reason());
        put(condition, "message", saying.message());
    }

    private Optional<ObjectNode> find(String type) {
        for (JsonNode each : podStatus.path("conditions")) {
            if (each instanceof ObjectNode condition && text(condition, "type").equals(type)) {
                return Optional.of(condition);
            }
        }
        return Optional.empty();
    }

    /** Before that of the scheduler, as the kubelet lists them. */
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
