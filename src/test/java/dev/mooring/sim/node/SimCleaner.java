package dev.mooring.sim.node;

import dev.mooring.node.volumemanager.PodDirectoryCleaner;
import dev.mooring.node.volumemanager.PodDirectoryReferencesAccess;
import dev.mooring.runtime.ContainerLabels;
import dev.mooring.sim.node.SimKernel.SimMount;
import dev.mooring.world.World;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Removes Pod directories on a simulated machine. Belongs to one process. */
final class SimCleaner implements PodDirectoryCleaner {
    private final SimMachine machine;
    private final Supplier<World> world;
    private final Executor threads;

    SimCleaner(SimMachine machine, Supplier<World> world, Executor threads) {
        this.machine = machine;
        this.world = world;
        this.threads = threads;
    }

    @Override
    public void remove(String podUid) {
        threads.execute(() -> removeNow(podUid));
    }

    @Override
    public void sweep(Predicate<String> known) {
        threads.execute(() -> sweepNow(known));
    }

    private void sweepNow(Predicate<String> known) {
        Set<String> present = new TreeSet<>();
        int names = machine.kernel().layout().pods().getNameCount();
        for (String each :
                machine.kernel().below(machine.kernel().layout().pods().toString())) {
            Path path = Path.of(each);
            if (path.getNameCount() > names) {
                present.add(path.getName(names).toString());
            }
        }
        present.removeIf(known);
        present.removeAll(PodDirectoryReferencesAccess.uids(world.get(), machine.name()));
        present.forEach(this::removeNow);
    }

    private void removeNow(String podUid) {
        String directory = machine.kernel().layout().pod(podUid).toString();
        List<String> all = machine.kernel().below(directory);
        for (SimMount each : machine.kernel().all()) {
            if (each.target().startsWith(directory + '/')) {
                return; // still mounted
            }
        }
        for (SimContainer each : machine.engine().containers().live()) {
            machine.violations()
                    .check(
                            !each.owner().podUid().equals(podUid)
                                    || each.owner().role() == ContainerLabels.ContainerRole.SANDBOX
                                    || all.isEmpty(),
                            "I4",
                            directory + " is removed while " + each.facts().name() + " runs");
        }
        for (String each : all) {
            machine.storage().forget(DataLocation.podOwned(machine.name(), each));
        }
        machine.kernel().forgetDirectories(all);
    }
}
