package dev.mooring.sim.node;

import dev.mooring.control.Effect;
import dev.mooring.control.EffectExecutor;
import dev.mooring.node.volumemanager.PodDirectoryController.RemoveDirectory;
import dev.mooring.node.volumemanager.PodDirectoryReferencesAccess;
import dev.mooring.node.volumemanager.PodStateProvider;
import dev.mooring.runtime.ContainerLabels;
import dev.mooring.sim.node.SimKernel.SimMount;
import dev.mooring.world.World;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** Removes Pod directories on a simulated machine. Belongs to one process. */
final class SimCleaner implements EffectExecutor {
    private final SimMachine machine;
    private final Supplier<World> world;
    private final PodStateProvider containers;
    private final Executor threads;

    SimCleaner(SimMachine machine, Supplier<World> world, PodStateProvider containers, Executor threads) {
        this.machine = machine;
        this.world = world;
        this.containers = containers;
        this.threads = threads;
    }

    @Override
    public void execute(Effect effect) {
        threads.execute(() -> {
            if (effect instanceof RemoveDirectory removal) {
                remove(removal.podUid());
            } else {
                sweep();
            }
        });
    }

    private void sweep() {
        Set<String> present = new TreeSet<>();
        int names = machine.kernel().layout().pods().getNameCount();
        for (String each :
                machine.kernel().below(machine.kernel().layout().pods().toString())) {
            Path path = Path.of(each);
            if (path.getNameCount() > names) {
                present.add(path.getName(names).toString());
            }
        }
        World now = world.get();
        present.removeIf(
                uid -> PodDirectoryReferencesAccess.isReferenced(now, machine.name(), uid) || containers.mayRun(uid));
        present.forEach(this::remove);
    }

    private void remove(String podUid) {
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
