package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * Computes the phase of a Pod like the kubelet. Uncompleted init containers keep it Pending, sidecars only until they
 * have started once; then it is Running as long as a container runs or will be restarted. Pure.
 */
final class PodPhase {
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
    private boolean started;

    private PodPhase() {}

    static boolean isFinal(String phase) {
        return phase.equals(SUCCEEDED) || phase.equals(FAILED);
    }

    static String of(ObservedPod observed, List<ReportedContainer> containers) {
        PodPhase phase = new PodPhase();
        for (ReportedContainer each : containers) {
            switch (each.kind()) {
                case INIT -> phase.countInit(each);
                case SIDECAR -> phase.countSidecar(each);
                case CONTAINER -> phase.countContainer(each);
                case EPHEMERAL -> {
                    // without effect
                }
            }
        }
        String policy = observed.pod().spec().path("restartPolicy").asText("Always");
        return phase.phase(policy, observed.pod().isBeingDeleted());
    }

    private void countInit(ReportedContainer init) {
        JsonNode ended = init.isWaiting() ? init.lastTerminated() : init.terminated();
        if (!ended.isObject()) {
            pendingInits++;
        } else if (!ReportedContainer.succeeded(ended)) {
            failedInits++;
        }
    }

    /** Counts a sidecar. Its exit code does not affect the phase. */
    private void countSidecar(ReportedContainer sidecar) {
        if (sidecar.isRunning()) {
            running++;
            pendingSidecars += sidecar.isStarted() ? 0 : 1;
        } else if (sidecar.isWaiting() && !sidecar.lastTerminated().isObject()) {
            waiting++;
            pendingSidecars++;
        }
    }

    private void countContainer(ReportedContainer container) {
        started |= container.hasRun();
        if (container.isRunning()) {
            running++;
        } else if (container.terminated().isObject()) {
            stopped++;
            succeeded += ReportedContainer.succeeded(container.terminated()) ? 1 : 0;
        } else if (container.lastTerminated().isObject()) {
            stopped++;
        } else {
            waiting++;
        }
    }

    private String phase(String policy, boolean beingDeleted) {
        if (failedInits > 0 && policy.equals(NEVER)) {
            return FAILED;
        }
        if (pendingInits > 0 || (pendingSidecars > 0 && !started) || waiting > 0) {
            return PENDING;
        }
        if (running > 0) {
            return RUNNING;
        }
        if (stopped == 0) {
            return PENDING;
        }
        // A Pod that is being deleted restarts no containers.
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
