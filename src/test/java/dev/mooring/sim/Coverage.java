package dev.mooring.sim;

import java.util.Map;
import java.util.TreeMap;

/** Counts how often each fault occurred in each phase. A fault that stays at zero is not covered. */
public final class Coverage {
    private final Map<String, Map<String, Long>> hits = new TreeMap<>();

    /**
     * Counts one occurrence.
     *
     * @param fault such as {@code mount hangs}
     * @param phase operation in progress, such as {@code mounting}
     */
    public void hit(String fault, String phase) {
        hits.computeIfAbsent(fault, unused -> new TreeMap<>()).merge(phase, 1L, Long::sum);
    }

    public void add(Coverage other) {
        other.hits.forEach((fault, phases) -> phases.forEach((phase, count) ->
                hits.computeIfAbsent(fault, unused -> new TreeMap<>()).merge(phase, count, Long::sum)));
    }

    public Map<String, Map<String, Long>> hits() {
        return hits;
    }
}
