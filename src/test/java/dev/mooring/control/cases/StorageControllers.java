package dev.mooring.control.cases;

import dev.mooring.control.Controller;
import dev.mooring.control.bind.Binder;
import dev.mooring.control.expand.Expander;
import dev.mooring.control.protect.ClaimProtection;
import dev.mooring.control.protect.VolumeProtection;
import dev.mooring.control.provision.ProvisionController;
import dev.mooring.control.reclaim.Reclaimer;
import dev.mooring.control.schedule.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** All controllers that have to do with volumes and claims, as a server has them. */
final class StorageControllers {
    private StorageControllers() {}

    static List<Supplier<? extends Controller>> all() {
        return List.of(
                Binder::new,
                ProvisionController::new,
                Reclaimer::new,
                ClaimProtection::new,
                VolumeProtection::new,
                Expander::new,
                Scheduler::new);
    }

    /** And a node, as the last of them. */
    static List<Supplier<? extends Controller>> withNode(FakeNode.Script script) {
        List<Supplier<? extends Controller>> all = new ArrayList<>(all());
        all.add(() -> new FakeNode(script));
        return all;
    }
}
