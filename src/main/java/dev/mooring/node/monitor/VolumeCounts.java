package dev.mooring.node.monitor;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.StorageNames;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts the desired and the mounted volumes of a node by plugin, incrementally. One thread writes, any thread reads.
 */
final class VolumeCounts {
    private record CountedObject(String plugin, int volumes) {}

    private final Map<ObjectKey, CountedObject> objects = new HashMap<>();
    private final Map<String, Integer> desired = new TreeMap<>();
    private final Map<String, Integer> actual = new TreeMap<>();

    /** Sets the number of volumes of an object; 0 removes it. */
    synchronized void set(ObjectKey key, String plugin, int volumes) {
        Map<String, Integer> totals = totals(key.resource());
        CountedObject before =
                volumes == 0 ? objects.remove(key) : objects.put(key, new CountedObject(plugin, volumes));
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
