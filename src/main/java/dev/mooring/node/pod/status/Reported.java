package dev.mooring.node.pod.status;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.node.pod.ContainerSight.Kind;

/**
 * A container as the new status tells of it. Nobody changes it any more.
 *
 * @param status an element of {@code containerStatuses} or {@code initContainerStatuses}
 */
record Reported(String name, Kind kind, ObjectNode status) {
    boolean isRunning() {
        return status.path("state").has("running");
    }

    boolean isWaiting() {
        return status.path("state").has("waiting");
    }

    boolean isStarted() {
        return status.path("started").asBoolean(false);
    }

    boolean isReady() {
        return status.path("ready").asBoolean(false);
    }

    /** How it ended, if it has; missing otherwise. */
    JsonNode terminated() {
        return status.path("state").path("terminated");
    }

    /** How the one before it ended; missing if there was none. */
    JsonNode lastTerminated() {
        return status.path("lastState").path("terminated");
    }

    /** Whether one of it has ever run. */
    boolean hasRun() {
        return isRunning() || terminated().isObject() || lastTerminated().isObject();
    }

    static boolean succeeded(JsonNode terminated) {
        return terminated.isObject() && terminated.path("exitCode").asInt(-1) == 0;
    }
}
