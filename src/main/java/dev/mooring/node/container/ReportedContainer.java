package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.node.container.ObservedContainer.Kind;

/**
 * A container in the new status. Read-only.
 *
 * @param status an element of {@code containerStatuses} or {@code initContainerStatuses}
 */
record ReportedContainer(String name, Kind kind, ObjectNode status) {
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

    /** Returns the terminated state; missing if it has not ended. */
    JsonNode terminated() {
        return status.path("state").path("terminated");
    }

    /** Returns the last terminated state; missing if there is none. */
    JsonNode lastTerminated() {
        return status.path("lastState").path("terminated");
    }

    /** Returns whether any attempt has ever run. */
    boolean hasRun() {
        return isRunning() || terminated().isObject() || lastTerminated().isObject();
    }

    static boolean succeeded(JsonNode terminated) {
        return terminated.isObject() && terminated.path("exitCode").asInt(-1) == 0;
    }
}
