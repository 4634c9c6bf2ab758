package dev.mooring.sim;

import java.util.Map;
import java.util.TreeMap;

/** Which fault struck in which phase of what it struck, and how often. What stays at zero is a blind spot. */
public final class Coverage {
    private final Map<String, Map<String, Long>> hits = new TreeMap<>();

    /**
     * @param fault such as {@code mount hangs}
     * @param phase what was under way, such as {@code mounting}
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
