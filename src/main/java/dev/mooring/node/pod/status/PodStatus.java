package dev.mooring.node.pod.status;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.node.pod.ContainerSight;
import dev.mooring.node.pod.ContainerSight.Kind;
import dev.mooring.node.pod.PodSight;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The status of a Pod, made of what was seen of it and of the status it has, as a kubelet would report it.
 *
 * <p>It is a fixed point: a Pod that has this status, seen the same, gets the same status again. What it does not know of stays as it is:
 * fields, conditions of others, the class of service. A Pod that has ended for good stays so. Only a sight that comes from an engine that
 * answered may be turned into a status: a container that is missing there is taken to be gone.
 *
 * <p>Pure; any thread.
 */
public final class PodStatus {
    private static final String PHASE = "phase";

    private PodStatus() {}

    /** The new status. Equal to the present one if there is nothing to report. */
    public static ObjectNode of(PodSight sight) {
        ObjectNode status = sight.pod().status().isObject()
                ? sight.pod().status().deepCopy()
                : JsonNodeFactory.instance.objectNode();
        List<Reported> containers = containers(sight);
        putList(status, "initContainerStatuses", containers.stream().filter(each -> each.kind() != Kind.CONTAINER));
        putList(status, "containerStatuses", containers.stream().filter(each -> each.kind() == Kind.CONTAINER));
        putPhase(status, sight, Phase.of(sight, containers));
        putAddresses(status, sight);
        if (!status.hasNonNull("startTime")) {
            status.put("startTime", seconds(sight.now()));
        }
        new PodConditions(status, sight.now()).report(sight, containers, text(status, PHASE));
        return status;
    }

    /** What happened to a Pod between two of its statuses, for the log: of all that changed, what matters most. */
    public static String eventType(JsonNode before, JsonNode after) {
        return StatusChange.between(before, after);
    }

    private static List<Reported> containers(PodSight sight) {
        List<Reported> containers = new ArrayList<>();
        for (ContainerSight each : sight.containers()) {
            String list = each.kind() == Kind.CONTAINER ? "containerStatuses" : "initContainerStatuses";
            JsonNode old = named(sight.pod().status().path(list), each.name());
            containers.add(new Reported(each.name(), each.kind(), new ContainerReport(sight, each, old).status()));
        }
        return containers;
    }

    /** Missing if there is none. */
    private static JsonNode named(JsonNode list, String name) {
        for (JsonNode each : list) {
            if (each.path("name").asText("").equals(name)) {
                return each;
            }
        }
        return JsonNodeFactory.instance.missingNode();
    }

    private static void putList(ObjectNode status, String field, Stream<Reported> reported) {
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        reported.forEach(each -> list.add(each.status()));
        if (list.isEmpty()) {
            status.remove(field);
        } else {
            status.set(field, list);
        }
    }

    private static void putPhase(ObjectNode status, PodSight sight, String phase) {
        if (Phase.isFinal(text(status, PHASE))) {
            return;
        }
        if (sight.failure().isPresent()) {
            status.put(PHASE, Phase.FAILED);
            PodSight.Failure failure = sight.failure().get();
            put(status, "reason", failure.reason());
            put(status, "message", failure.message());
        } else if (!text(status, PHASE).equals(phase)) {
            status.put(PHASE, phase);
            // They were about the phase that it was in.
            status.remove(List.of("reason", "message"));
        }
    }

    /** A Pod that has ended keeps the address it had, as what it wrote with it may still be read. */
    private static void putAddresses(ObjectNode status, PodSight sight) {
        putAddress(status, "host", sight.nodeAddress());
        putAddress(status, "pod", sight.address());
    }

    private static void putAddress(ObjectNode status, String whose, String address) {
        if (address.isEmpty() || address.equals(text(status, whose + "IP"))) {
            return;
        }
        status.put(whose + "IP", address);
        status.putArray(whose + "IPs").addObject().put("ip", address);
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

    /** As Kubernetes writes times. */
    static String seconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
