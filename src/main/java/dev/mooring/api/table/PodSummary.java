package dev.mooring.api.table;

import static dev.mooring.api.table.ColumnFields.at;
import static dev.mooring.api.table.ColumnFields.isPresent;
import static dev.mooring.api.table.ColumnFields.text;
import static dev.mooring.api.table.ColumnFields.time;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The summary of a Pod as Kubernetes prints it: ready containers, status and restarts. While init containers run, it
 * describes them; afterwards the containers and sidecars (init containers that keep running). Not thread-safe.
 */
final class PodSummary {
    private final JsonNode pod;
    private final JsonNode status;
    private final Set<String> sidecars = new HashSet<>();
    private int total;
    private int ready;
    private String reason;
    private long restarts;
    private Optional<Instant> lastRestart = Optional.empty();
    private long sidecarRestarts;
    private Optional<Instant> lastSidecarRestart = Optional.empty();

    private PodSummary(JsonNode pod) {
        this.pod = pod;
        this.status = pod.path("status");
    }

    static PodSummary of(JsonNode pod) {
        PodSummary summary = new PodSummary(pod);
        summary.total = at(pod, "spec", "containers").size();
        summary.reason = summary.phaseOrReason();
        summary.findSidecars();
        boolean initializing = summary.readInitContainers();
        if (!initializing || summary.isCondition("Initialized")) {
            summary.readContainers();
        }
        summary.considerDeletion();
        return summary;
    }

    String ready() {
        return ready + "/" + total;
    }

    String status() {
        return reason;
    }

    String restarts(Instant now) {
        return restarts != 0 && lastRestart.isPresent()
                ? restarts + " (" + AgeFormat.since(lastRestart, now) + " ago)"
                : Long.toString(restarts);
    }

    private String phaseOrReason() {
        for (JsonNode condition : status.path("conditions")) {
            if ("PodScheduled".equals(text(condition, "type")) && "SchedulingGated".equals(text(condition, "reason"))) {
                return "SchedulingGated";
            }
        }
        return ColumnFields.textOr(text(status, "phase"), status, "reason");
    }

    private void findSidecars() {
        for (JsonNode container : at(pod, "spec", "initContainers")) {
            if ("Always".equals(text(container, "restartPolicy"))) {
                sidecars.add(text(container, "name"));
                total++;
            }
        }
    }

    /** Evaluates the init containers up to the first that is not done. @return whether there is one */
    private boolean readInitContainers() {
        int index = 0;
        for (JsonNode container : status.path("initContainerStatuses")) {
            boolean sidecar = sidecars.contains(text(container, "name"));
            countInitRestarts(container, sidecar);
            JsonNode terminated = at(container, "state", "terminated");
            if (terminated.isObject() && number(terminated, "exitCode") == 0) {
                index++;
                continue;
            }
            if (sidecar && container.path("started").asBoolean(false)) {
                ready += container.path("ready").asBoolean(false) ? 1 : 0;
                index++;
                continue;
            }
            String waiting = text(container, "state", "waiting", "reason");
            if (terminated.isObject()) {
                reason = "Init:" + ending(terminated);
            } else if (!waiting.isEmpty() && !"PodInitializing".equals(waiting)) {
                reason = "Init:" + waiting;
            } else {
                reason = "Init:" + index + "/"
                        + at(pod, "spec", "initContainers").size();
            }
            return true;
        }
        return false;
    }

    private void countInitRestarts(JsonNode container, boolean sidecar) {
        Optional<Instant> finished = lastFinished(container);
        restarts += number(container, "restartCount");
        lastRestart = later(lastRestart, finished);
        if (sidecar) {
            sidecarRestarts += number(container, "restartCount");
            lastSidecarRestart = later(lastSidecarRestart, finished);
        }
    }

    private void readContainers() {
        restarts = sidecarRestarts;
        lastRestart = lastSidecarRestart;
        boolean running = false;
        JsonNode containers = status.path("containerStatuses");
        // Backwards, so that the first container takes precedence.
        for (int i = containers.size() - 1; i >= 0; i--) {
            JsonNode container = containers.get(i);
            restarts += number(container, "restartCount");
            lastRestart = later(lastRestart, lastFinished(container));
            String waiting = text(container, "state", "waiting", "reason");
            JsonNode terminated = at(container, "state", "terminated");
            if (!waiting.isEmpty()) {
                reason = waiting;
            } else if (terminated.isObject()) {
                reason = ending(terminated);
            } else if (container.path("ready").asBoolean(false) && isPresent(container, "state", "running")) {
                running = true;
                ready++;
            }
        }
        if (running && "Completed".equals(reason)) {
            reason = isCondition("Ready") ? "Running" : "NotReady";
        }
    }

    private void considerDeletion() {
        if (!ColumnFields.isBeingDeleted(pod)) {
            return;
        }
        String phase = text(status, "phase");
        if ("NodeLost".equals(text(status, "reason"))) {
            reason = "Unknown";
        } else if (!"Succeeded".equals(phase) && !"Failed".equals(phase)) {
            reason = "Terminating";
        }
    }

    private boolean isCondition(String type) {
        for (JsonNode condition : status.path("conditions")) {
            if (type.equals(text(condition, "type"))) {
                return "True".equals(text(condition, "status"));
            }
        }
        return false;
    }

    private static String ending(JsonNode terminated) {
        String reason = text(terminated, "reason");
        if (!reason.isEmpty()) {
            return reason;
        }
        long signal = number(terminated, "signal");
        return signal != 0 ? "Signal:" + signal : "ExitCode:" + number(terminated, "exitCode");
    }

    private static Optional<Instant> lastFinished(JsonNode container) {
        return time(container, "lastState", "terminated", "finishedAt");
    }

    private static Optional<Instant> later(Optional<Instant> one, Optional<Instant> other) {
        return one.isEmpty() || (other.isPresent() && other.get().isAfter(one.get())) ? other : one;
    }

    private static long number(JsonNode node, String field) {
        return node.path(field).asLong(0);
    }
}
