package dev.mooring.control.workloads;

import dev.mooring.model.view.Pod;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The order in which a controller deletes surplus Pods, as in Kubernetes: Pods without a node first, then pending, not
 * ready, of a low {@code controller.kubernetes.io/pod-deletion-cost}, on nodes with many of them, ready for a short time,
 * often restarted, young. Pure.
 */
final class DeletionOrder {
    private static final String COST = "controller.kubernetes.io/pod-deletion-cost";

    private DeletionOrder() {}

    /** Returns the Pod to delete first; the list must not be empty. */
    static Pod first(List<Pod> pods) {
        Map<String, Integer> perNode = new HashMap<>();
        pods.forEach(each -> perNode.merge(each.nodeName(), 1, Integer::sum));
        return pods.stream().min(order(perNode)).orElseThrow();
    }

    private static Comparator<Pod> order(Map<String, Integer> perNode) {
        return Comparator.comparing(Pod::isScheduled)
                .thenComparing(pod -> phase(pod.phase()))
                .thenComparing(Pod::isReady)
                .thenComparing(DeletionOrder::cost)
                .thenComparing(pod -> -perNode.get(pod.nodeName()))
                .thenComparing(pod -> pod.readySince().orElse(Instant.EPOCH), Comparator.reverseOrder())
                .thenComparing(pod -> -restarts(pod))
                .thenComparing(Pod::created, Comparator.reverseOrder())
                .thenComparing(Pod::name);
    }

    private static int phase(String phase) {
        return switch (phase) {
            case "Running" -> 2;
            case "Unknown" -> 1;
            default -> 0;
        };
    }

    private static int cost(Pod pod) {
        try {
            return pod.annotation(COST).map(Integer::parseInt).orElse(0);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static int restarts(Pod pod) {
        int most = 0;
        for (var each : pod.status().path("containerStatuses")) {
            most = Math.max(most, each.path("restartCount").asInt(0));
        }
        return most;
    }
}
