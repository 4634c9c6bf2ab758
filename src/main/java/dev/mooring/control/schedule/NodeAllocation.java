package dev.mooring.control.schedule;

import java.util.ArrayList;
import java.util.List;

/** The resources that the Pods of one node use. Not thread-safe. */
final class NodeAllocation {
    /** Allocation of a node without Pods; must not be modified. */
    static final NodeAllocation NONE = new NodeAllocation();

    private final List<PodResourceRequest.HostPort> ports = new ArrayList<>();
    private int pods;
    private long cpuMillis;
    private long memory;

    void add(PodResourceRequest needs) {
        pods++;
        cpuMillis = PodResourceRequest.saturatedSum(cpuMillis, needs.cpuMillis());
        memory = PodResourceRequest.saturatedSum(memory, needs.memory());
        ports.addAll(needs.ports());
    }

    void remove(PodResourceRequest needs) {
        pods--;
        cpuMillis -= needs.cpuMillis();
        memory -= needs.memory();
        needs.ports().forEach(ports::remove);
    }

    int pods() {
        return pods;
    }

    long cpuMillis() {
        return cpuMillis;
    }

    long memory() {
        return memory;
    }

    boolean conflictsWith(PodResourceRequest needs) {
        for (PodResourceRequest.HostPort wanted : needs.ports()) {
            if (ports.stream().anyMatch(wanted::conflictsWith)) {
                return true;
            }
        }
        return false;
    }
}
