package dev.mooring.node.pod.status;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.node.pod.PodSight;
import java.util.List;

/**
 * The phase of a Pod, as the kubelet counts it together. Init containers that are not done keep it Pending, sidecars only until they have
 * started once; then it is Running as long as a container runs or will be run again. Pure.
 */
final class Phase {
    static final String FAILED = "Failed";
    static final String SUCCEEDED = "Succeeded";

    private static final String PENDING = "Pending";
    private static final String RUNNING = "Running";
    private static final String NEVER = "Never";

    private int pendingInits;
    private int failedInits;
    private int pendingSidecars;
    private int running;
    private int waiting;
    private int stopped;
    private int succeeded;
    private boolean begun;

    private Phase() {}

    static boolean isFinal(String phase) {
        return phase.equals(SUCCEEDED) || phase.equals(FAILED);
    }

    static String of(PodSight sight, List<Reported> containers) {
        Phase phase = new Phase();
        for (Reported each : containers) {
            switch (each.kind()) {
                case INIT -> phase.countInit(each);
                case SIDECAR -> phase.countSidecar(each);
                case CONTAINER -> phase.countContainer(each);
            }
        }
        String policy = sight.pod().spec().path("restartPolicy").asText("Always");
        return phase.sum(policy, sight.pod().isBeingDeleted());
    }

    private void countInit(Reported init) {
        JsonNode ended = init.isWaiting() ? init.lastTerminated() : init.terminated();
        if (!ended.isObject()) {
            pendingInits++;
        } else if (!Reported.succeeded(ended)) {
            failedInits++;
        }
    }

    /** How a sidecar ends does not matter for how its Pod does. */
    private void countSidecar(Reported sidecar) {
        if (sidecar.isRunning()) {
            running++;
            pendingSidecars += sidecar.isStarted() ? 0 : 1;
        } else if (sidecar.isWaiting() && !sidecar.lastTerminated().isObject()) {
            waiting++;
            pendingSidecars++;
        }
    }

    private void countContainer(Reported container) {
        begun |= container.hasRun();
        if (container.isRunning()) {
            running++;
        } else if (container.terminated().isObject()) {
            stopped++;
            succeeded += Reported.succeeded(container.terminated()) ? 1 : 0;
        } else if (container.lastTerminated().isObject()) {
            stopped++;
        } else {
            waiting++;
        }
    }

    private String sum(String policy, boolean beingDeleted) {
        if (failedInits > 0 && policy.equals(NEVER)) {
            return FAILED;
        }
        if (pendingInits > 0 || (pendingSidecars > 0 && !begun) || waiting > 0) {
            return PENDING;
        }
        if (running > 0) {
            return RUNNING;
        }
        if (stopped == 0) {
            return PENDING;
        }
        // Nothing is run again in a Pod that is being deleted.
        boolean always = policy.equals("Always") && !beingDeleted;
        if (always) {
            return RUNNING;
        }
        if (stopped == succeeded) {
            return SUCCEEDED;
        }
        return policy.equals(NEVER) || beingDeleted ? FAILED : RUNNING;
    }
}
