package dev.mooring.control.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Conditions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Maintains the taints that correspond to node conditions. Other taints are preserved. Pure. */
final class Taints {
    /** A taint without value. */
    private record Taint(String key, String effect) {
        static Taint of(JsonNode taint) {
            return new Taint(taint.path("key").asText(""), taint.path("effect").asText(""));
        }
    }

    private static final String NO_SCHEDULE = "NoSchedule";
    private static final String NO_EXECUTE = "NoExecute";
    private static final List<Taint> NOT_READY = notReadyTaints("node.kubernetes.io/not-ready");
    private static final List<Taint> UNREACHABLE = notReadyTaints("node.kubernetes.io/unreachable");
    private static final Taint CORDONED = new Taint("node.kubernetes.io/unschedulable", NO_SCHEDULE);

    /** Taints by the condition that is True when they apply. */
    private static final Map<String, Taint> PRESSURES = Map.of(
            "MemoryPressure", new Taint("node.kubernetes.io/memory-pressure", NO_SCHEDULE),
            "DiskPressure", new Taint("node.kubernetes.io/disk-pressure", NO_SCHEDULE),
            "PIDPressure", new Taint("node.kubernetes.io/pid-pressure", NO_SCHEDULE),
            "NetworkUnavailable", new Taint("node.kubernetes.io/network-unavailable", NO_SCHEDULE));

    private static final Set<Taint> MANAGED = managed();

    private Taints() {}

    private static List<Taint> notReadyTaints(String key) {
        return List.of(new Taint(key, NO_SCHEDULE), new Taint(key, NO_EXECUTE));
    }

    private static Set<Taint> managed() {
        Set<Taint> ours = new LinkedHashSet<>(PRESSURES.values());
        ours.addAll(NOT_READY);
        ours.addAll(UNREACHABLE);
        ours.add(CORDONED);
        return Set.copyOf(ours);
    }

    /** Returns whether the node has a not-ready or unreachable taint. */
    static boolean hasNotReadyTaint(JsonNode node) {
        for (JsonNode each : node.path("spec").path("taints")) {
            Taint taint = Taint.of(each);
            if (NOT_READY.contains(taint) || UNREACHABLE.contains(taint)) {
                return true;
            }
        }
        return false;
    }

    /** Updates the taints from the node's conditions. Returns whether anything changed. */
    static boolean update(ObjectNode node, Instant now) {
        Set<Taint> wanted = wanted(node);
        boolean changed = false;
        if (node.path("spec").path("taints") instanceof ArrayNode taints) {
            for (Iterator<JsonNode> each = taints.iterator(); each.hasNext(); ) {
                Taint taint = Taint.of(each.next());
                if (!wanted.remove(taint) && MANAGED.contains(taint)) {
                    each.remove();
                    changed = true;
                }
            }
            if (taints.isEmpty()) {
                ((ObjectNode) node.get("spec")).remove("taints");
            }
        }
        if (!wanted.isEmpty()) {
            ArrayNode taints = node.withObject("/spec").withArray("taints");
            String time = now.truncatedTo(ChronoUnit.SECONDS).toString();
            wanted.forEach(taint -> taints.addObject()
                    .put("key", taint.key())
                    .put("effect", taint.effect())
                    .put("timeAdded", time));
            changed = true;
        }
        return changed;
    }

    private static Set<Taint> wanted(JsonNode node) {
        Set<Taint> wanted = new LinkedHashSet<>();
        switch (status(node, "Ready")) {
            case "False" -> wanted.addAll(NOT_READY);
            case "Unknown" -> wanted.addAll(UNREACHABLE);
            default -> {}
        }
        PRESSURES.forEach((condition, taint) -> {
            if (status(node, condition).equals("True")) {
                wanted.add(taint);
            }
        });
        if (node.path("spec").path("unschedulable").asBoolean(false)) {
            wanted.add(CORDONED);
        }
        return wanted;
    }

    /** Returns the status of a condition; "" if it is not set. */
    static String status(JsonNode node, String condition) {
        return Conditions.find(node, condition)
                .map(found -> found.path("status").asText(""))
                .orElse("");
    }
}
