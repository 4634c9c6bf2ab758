package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.node.container.ObservedContainer.Kind;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Builds the status of a Pod from its observed and its previous state, like the kubelet.
 *
 * <p>The status is a fixed point: building it again from the same observation gives an equal status. Unknown fields,
 * conditions of other owners and the QoS class are kept. A final phase never changes. The observation must come from an
 * engine that responded: a missing container counts as removed.
 *
 * <p>Pure; any thread.
 */
public final class PodStatus {
    private static final String PHASE = "phase";

    private PodStatus() {}

    /** Returns the new status, equal to the current one if nothing has changed. */
    public static ObjectNode of(ObservedPod observed) {
        ObjectNode status = observed.pod().status().isObject()
                ? observed.pod().status().deepCopy()
                : JsonNodeFactory.instance.objectNode();
        List<ReportedContainer> containers = containers(observed);
        for (Kind kind : List.of(Kind.INIT, Kind.CONTAINER, Kind.EPHEMERAL)) {
            String list = kind.statuses();
            putList(
                    status,
                    list,
                    containers.stream().filter(each -> each.kind().statuses().equals(list)));
        }
        JsonNode generation = observed.pod().metadata().path("generation");
        if (generation.isNumber()) {
            status.set("observedGeneration", generation);
        }
        putPhase(status, observed, PodPhase.of(observed, containers));
        putAddresses(status, observed);
        if (!status.hasNonNull("startTime")) {
            status.put("startTime", seconds(observed.now()));
        }
        new PodConditions(status, observed.now()).report(observed, containers, text(status, PHASE));
        return status;
    }

    /** Returns the event type for the most important change between two statuses. */
    public static String eventType(JsonNode before, JsonNode after) {
        return PodStatusChange.between(before, after);
    }

    private static List<ReportedContainer> containers(ObservedPod observed) {
        List<ReportedContainer> containers = new ArrayList<>();
        for (ObservedContainer each : observed.containers()) {
            JsonNode old = named(observed.pod().status().path(each.kind().statuses()), each.name());
            containers.add(new ReportedContainer(
                    each.name(), each.kind(), new ContainerStatusBuilder(observed, each, old).status()));
        }
        return containers;
    }

    /** Returns the element with this name; missing if there is none. */
    private static JsonNode named(JsonNode list, String name) {
        for (JsonNode each : list) {
            if (each.path("name").asText("").equals(name)) {
                return each;
            }
        }
        return JsonNodeFactory.instance.missingNode();
    }

    private static void putList(ObjectNode status, String field, Stream<ReportedContainer> reported) {
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        reported.forEach(each -> list.add(each.status()));
        if (list.isEmpty()) {
            status.remove(field);
        } else {
            status.set(field, list);
        }
    }

    private static void putPhase(ObjectNode status, ObservedPod observed, String phase) {
        if (PodPhase.isFinal(text(status, PHASE))) {
            return;
        }
        if (observed.failure().isPresent()) {
            status.put(PHASE, PodPhase.FAILED);
            ObservedPod.PodFailure failure = observed.failure().get();
            put(status, "reason", failure.reason());
            put(status, "message", failure.message());
        } else if (!text(status, PHASE).equals(phase)) {
            status.put(PHASE, phase);
            // They belong to the previous phase.
            status.remove(List.of("reason", "message"));
        }
    }

    /** Sets the addresses. An ended Pod keeps its address, since its logs and data may refer to it. */
    private static void putAddresses(ObjectNode status, ObservedPod observed) {
        putAddress(status, "host", observed.nodeAddress());
        putAddress(status, "pod", observed.address());
    }

    private static void putAddress(ObjectNode status, String prefix, String address) {
        if (address.isEmpty() || address.equals(text(status, prefix + "IP"))) {
            return;
        }
        status.put(prefix + "IP", address);
        status.putArray(prefix + "IPs").addObject().put("ip", address);
    }

    static void put(ObjectNode object, String field, String value) {
        if (value.isEmpty()) {
            object.remove(field);
        } else {
            object.put(field, value);
        }
    }

    static String text(JsonNode object, String field) {
        return object.path(field).asText("");
    }

    /** Formats a time like Kubernetes. */
    static String seconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
