package dev.mooring.sim.check;

import dev.mooring.model.view.Pod;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Since when Pods have been on their nodes, and who brought them there. For one thread. */
final class Arrivals {
    private final Map<String, Long> since = new HashMap<>();
    private final Set<String> chosen = new HashSet<>();

    void look(Step step) {
        step.is(Pod.class).filter(Pod::isScheduled).ifPresent(pod -> {
            if (since.putIfAbsent(pod.uid(), step.event().revision()) == null
                    && step.event().type().equals(ExclusionChecks.SCHEDULED)) {
                chosen.add(pod.uid());
            }
        });
    }

    /** The revision that gave a Pod its node. */
    long of(Pod pod) {
        return since.getOrDefault(pod.uid(), 0L);
    }

    /** Whether the scheduler gave it its node. */
    boolean isChosen(Pod pod) {
        return chosen.contains(pod.uid());
    }
}
