package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Conditions;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.Claim;
import java.time.Instant;
import java.util.List;

/**
 * Writes the progress of an expansion into a claim's status, in Kubernetes' terms; preserves other fields. Thread-safe;
 * modifies only the claim passed in.
 */
final class ResizeStatus {
    static final String IN_PROGRESS = "ControllerResizeInProgress";
    static final String INFEASIBLE = "ControllerResizeInfeasible";
    static final String NODE_PENDING = "NodeResizePending";

    private static final String RESIZING = "Resizing";
    private static final String ERROR = "ControllerResizeError";
    private static final String FILE_SYSTEM_PENDING = "FileSystemResizePending";
    private static final List<String> CONDITIONS = List.of(RESIZING, ERROR, FILE_SYSTEM_PENDING, "NodeResizeError");

    private static final String STATUS = "status";
    private static final String STORAGE = "storage";
    private static final String ALLOCATED = "allocatedResources";
    private static final String STATES = "allocatedResourceStatuses";

    private ResizeStatus() {}

    /** Returns the resize status: one of the states above or a node's; "" for none. */
    static String of(Claim claim) {
        return claim.status().path(STATES).path(STORAGE).asText("");
    }

    /** Returns whether this size was found to be infeasible. */
    static boolean isInfeasible(Claim claim, Quantity size) {
        JsonNode allocated = claim.status().path(ALLOCATED).path(STORAGE);
        return of(claim).equals(INFEASIBLE) && allocated.asText("").equals(size.canonical());
    }

    /** Returns whether the node that mounts the volume must complete the expansion. */
    static boolean isNodeResize(Claim claim) {
        return of(claim).startsWith("Node");
    }

    /** Returns whether a controller is expanding or has tried to expand the volume. */
    static boolean isControllerResize(Claim claim) {
        return of(claim).startsWith("Controller");
    }

    static void started(ObjectNode claim, Quantity from, Quantity to, String node, Instant now) {
        clear(claim);
        put(claim, to, IN_PROGRESS);
        Conditions.put(claim, RESIZING, "True", "Growing", "from " + from + " to " + to + " on node " + node, now);
    }

    static void failed(ObjectNode claim, String reason, String error, Instant now) {
        Conditions.put(claim, ERROR, "True", reason, "failed to expand pvc with " + error, now);
    }

    static void infeasible(ObjectNode claim, Quantity size, String reason, String error, Instant now) {
        Conditions.remove(claim, RESIZING);
        put(claim, size, INFEASIBLE);
        failed(claim, reason, error, now);
    }

    static void nodePending(ObjectNode claim, Quantity size, Instant now) {
        clear(claim);
        put(claim, size, NODE_PENDING);
        Conditions.put(
                claim,
                FILE_SYSTEM_PENDING,
                "True",
                NODE_PENDING,
                "Waiting for user to (re-)start a pod to finish file system resize of volume on node.",
                now);
    }

    /** Sets the capacity and clears the resize status. The allocated size stays, as in Kubernetes. */
    static void finished(ObjectNode claim, Quantity size) {
        clear(claim);
        claim.withObject("/status/capacity").put(STORAGE, size.canonical());
        claim.withObject("/status/allocatedResources").put(STORAGE, size.canonical());
    }

    /** Clears the resize status. */
    static void clear(ObjectNode claim) {
        CONDITIONS.forEach(type -> Conditions.remove(claim, type));
        if (claim.get(STATUS) instanceof ObjectNode status) {
            remove(status, STATES);
            remove(status, ALLOCATED);
        }
    }

    private static void put(ObjectNode claim, Quantity size, String state) {
        claim.withObject("/status/allocatedResources").put(STORAGE, size.canonical());
        claim.withObject("/status/allocatedResourceStatuses").put(STORAGE, state);
    }

    /** Removes the storage entry; entries of other resources are kept. */
    private static void remove(ObjectNode status, String map) {
        if (status.get(map) instanceof ObjectNode found) {
            found.remove(STORAGE);
            if (found.isEmpty()) {
                status.remove(map);
            }
        }
    }
}
