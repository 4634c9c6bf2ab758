package dev.mooring.sim;

import dev.mooring.node.status.NodeReporter;
import dev.mooring.sim.node.MachineFaults;
import dev.mooring.sim.node.SimMachine;
import dev.mooring.sim.node.SimNode;
import dev.mooring.sim.node.SimStorage;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The simulated machines and their shared storage. The server runs on the first machine and, in this simulation, also
 * hosts the nodes of all others.
 */
final class SimCluster {
    private final DeterministicScheduler schedule;
    private final SimStorage storage;
    private final MachineFaults faults;
    private final List<SimMachine> machines = new ArrayList<>();

    SimCluster(
            DeterministicScheduler schedule,
            Random random,
            int nodes,
            InvariantViolations violations,
            Coverage coverage) {
        this.schedule = schedule;
        this.storage = new SimStorage(schedule, violations, coverage);
        for (int i = 1; i <= nodes; i++) {
            machines.add(new SimMachine("n" + i, storage, new Random(random.nextLong())));
        }
        this.faults = new MachineFaults(storage);
    }

    String firstNode() {
        return machines.get(0).name();
    }

    /** Starts the nodes in a new process. */
    void start(SimProcess process) {
        for (SimMachine machine : machines) {
            SimNode unused = new SimNode(
                    machine,
                    new SimNode.SimNodeContext(
                            process.taskGroup(),
                            process.stateStore().ledger(),
                            schedule.clock(),
                            (name, now) -> process.api().heartbeats().renew(NodeReporter.leaseOf(name), now),
                            process,
                            new Random(process.random().nextLong())));
        }
    }

    /**
     * Injects or clears one fault.
     *
     * @return its description
     */
    String injectFault(Random random) {
        return faults.inject(random);
    }

    /** Reboots the first machine, while no process runs on it. */
    void powerFails() {
        machines.get(0).reboot();
    }

    void clearFaults() {
        faults.clearFaults();
    }

    /** Reports differences between the machines and the World. */
    void compare(World world) {
        machines.forEach(each -> each.compare(world));
        storage.check();
    }

    List<String> leftovers() {
        return machines.stream().flatMap(each -> each.leftovers().stream()).toList();
    }
}
