package dev.mooring.sim.check;

import dev.mooring.model.view.Pod;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Records when Pods were assigned to their nodes, and whether by the scheduler. For one thread. */
final class PodArrivals {
    private final Map<String, Long> since = new HashMap<>();
    private final Set<String> chosen = new HashSet<>();

    void observe(CheckedChange step) {
        step.is(Pod.class).filter(Pod::isScheduled).ifPresent(pod -> {
            if (since.putIfAbsent(pod.uid(), step.event().revision()) == null
                    && step.event().type().equals(ExclusionChecks.SCHEDULED)) {
                chosen.add(pod.uid());
            }
        });
    }

    /** Returns the revision that assigned the Pod to its node. */
    long of(Pod pod) {
        return since.getOrDefault(pod.uid(), 0L);
    }

    /** Returns whether the scheduler assigned the node. */
    boolean isChosen(Pod pod) {
        return chosen.contains(pod.uid());
    }
}
