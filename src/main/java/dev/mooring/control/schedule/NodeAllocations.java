package dev.mooring.control.schedule;

import dev.mooring.model.Scope;
import dev.mooring.model.view.Pod;
import dev.mooring.world.World;
import java.util.HashMap;
import java.util.Map;

/** The resources that Pods use, by node. Sums, so that a decision does not read all Pods. Not thread-safe. */
final class NodeAllocations {
    private final Map<String, NodeAllocation> byNode = new HashMap<>();

    /** Returns the resources that the Pods of a World use. */
    static NodeAllocations of(World world) {
        NodeAllocations allocations = new NodeAllocations();
        world.stream(Scope.resource("pods"))
                .map(Pod::of)
                .filter(SchedulingState.SCHEDULED::isOf)
                .forEach(pod -> allocations.add(pod.nodeName(), PodResourceRequest.of(pod)));
        return allocations;
    }

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
