package dev.mooring.control.schedule;

import java.util.HashMap;
import java.util.Map;

/** The resources that Pods use, by node. Sums, so that a decision does not read all Pods. Not thread-safe. */
final class NodeAllocations {
    private final Map<String, NodeAllocation> byNode = new HashMap<>();

    void add(String node, PodResourceRequest needs) {
        byNode.computeIfAbsent(node, name -> new NodeAllocation()).add(needs);
    }

    void remove(String node, PodResourceRequest needs) {
        byNode.computeIfPresent(node, (name, use) -> {
            use.remove(needs);
            return use.pods() == 0 ? null : use;
        });
    }

    NodeAllocation of(String node) {
        return byNode.getOrDefault(node, NodeAllocation.NONE);
    }
}
