package dev.mooring.control.schedule;

import java.util.ArrayList;
import java.util.List;

/** What the Pods of one node take up. For one thread. */
final class NodeUse {
    /** Of a node without Pods; nobody adds to it. */
    static final NodeUse NONE = new NodeUse();

    private final List<Needs.HostPort> ports = new ArrayList<>();
    private int pods;
    private long cpuMillis;
    private long memory;

    void add(Needs needs) {
        pods++;
        cpuMillis = Needs.plus(cpuMillis, needs.cpuMillis());
        memory = Needs.plus(memory, needs.memory());
        ports.addAll(needs.ports());
    }

    void remove(Needs needs) {
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

    boolean clashesWith(Needs needs) {
        for (Needs.HostPort wanted : needs.ports()) {
            if (ports.stream().anyMatch(wanted::clashesWith)) {
                return true;
            }
        }
        return false;
    }
}
