package dev.mooring.control.schedule;

import dev.mooring.model.ObjectKey;
import java.util.HashSet;
import java.util.Set;

/**
 * The scheduler's state, derived from received changes and own decisions. May be discarded at any time. Not
 * thread-safe.
 *
 * @param allocated resources of the Pods on nodes, according to the changes received: a Pod is counted from the moment
 *     when the decision about it is no longer in flight
 * @param waitingForInFlight Pods that wait for decisions in flight
 */
record SchedulerCache(
        NodeAllocations allocated,
        InFlight inFlight,
        ProvisioningFailures provisioningFailures,
        UnschedulablePods unschedulablePods,
        Set<ObjectKey> waitingForInFlight) {
    static SchedulerCache empty() {
        return with(new NodeAllocations());
    }

    static SchedulerCache with(NodeAllocations allocated) {
        return new SchedulerCache(
                allocated, new InFlight(), new ProvisioningFailures(), new UnschedulablePods(), new HashSet<>());
    }
}
