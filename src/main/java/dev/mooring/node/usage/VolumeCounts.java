package dev.mooring.node.usage;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.StorageNames;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * How many volumes of each plugin a node should have and has mounted, counted up and down as they come and go. One thread writes, any
 * reads.
 */
final class VolumeCounts {
    private record Part(String plugin, int volumes) {}

    private final Map<ObjectKey, Part> parts = new HashMap<>();
    private final Map<String, Integer> desired = new TreeMap<>();
    private final Map<String, Integer> actual = new TreeMap<>();

    /** What an object counts for from now on; 0 for nothing. */
    synchronized void set(ObjectKey key, String plugin, int volumes) {
        Map<String, Integer> totals = totals(key.resource());
        Part before = volumes == 0 ? parts.remove(key) : parts.put(key, new Part(plugin, volumes));
        if (before != null) {
            add(totals, before.plugin(), -before.volumes());
        }
        if (volumes != 0) {
            add(totals, plugin, volumes);
        }
    }

    private Map<String, Integer> totals(String resource) {
        return resource.equals(StorageNames.DESIRED_VOLUMES) ? desired : actual;
    }

    private static void add(Map<String, Integer> totals, String plugin, int volumes) {
        totals.merge(plugin, volumes, (a, b) -> a + b == 0 ? null : Integer.valueOf(a + b));
    }

    synchronized Map<String, Integer> desired() {
        return Map.copyOf(desired);
    }

    synchronized Map<String, Integer> actual() {
        return Map.copyOf(actual);
    }
}
