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

/** The machines, with what they share. The server runs on the first; when it dies, so does what it does on all of them. */
final class SimCluster {
    private final Schedule schedule;
    private final SimStorage storage;
    private final MachineFaults faults;
    private final List<SimMachine> machines = new ArrayList<>();

    SimCluster(Schedule schedule, Random random, int nodes, Findings findings, Coverage coverage) {
        this.schedule = schedule;
        this.storage = new SimStorage(schedule, findings, coverage);
        for (int i = 1; i <= nodes; i++) {
            machines.add(new SimMachine("n" + i, storage, new Random(random.nextLong())));
        }
        this.faults = new MachineFaults(storage);
    }

    String firstNode() {
        return machines.get(0).name();
    }

    /** A new process has begun. */
    void start(SimProcess process) {
        for (SimMachine machine : machines) {
            SimNode unused = new SimNode(
                    machine,
                    new SimNode.Parts(
                            process.life(),
                            process.spine().ledger(),
                            schedule.clock(),
                            (name, now) -> process.api().heartbeats().renew(NodeReporter.leaseOf(name), now),
                            process,
                            new Random(process.random().nextLong())));
        }
    }

    /** One thing goes wrong, or no longer; which, in words. */
    String misfortune(Random random) {
        return faults.act(random);
    }

    /** The first machine goes down, and comes up again; nothing runs on it meanwhile. */
    void powerFails() {
        machines.get(0).reboot();
    }

    void forgive() {
        faults.forgive();
    }

    /** Reports whatever is not as the World says. */
    void compare(World world) {
        machines.forEach(each -> each.compare(world));
        storage.check();
    }

    List<String> leftovers() {
        return machines.stream().flatMap(each -> each.leftovers().stream()).toList();
    }
}
