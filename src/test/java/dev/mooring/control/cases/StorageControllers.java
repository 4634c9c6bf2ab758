package dev.mooring.control.cases;

import dev.mooring.control.Controller;
import dev.mooring.control.persistentvolume.ExpandController;
import dev.mooring.control.persistentvolume.PersistentVolumeController;
import dev.mooring.control.persistentvolume.ProvisionController;
import dev.mooring.control.persistentvolume.ReclaimController;
import dev.mooring.control.protection.ClaimProtectionController;
import dev.mooring.control.protection.VolumeProtectionController;
import dev.mooring.control.schedule.PodScheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** All controllers of volumes and claims, as in a server. */
final class StorageControllers {
    private StorageControllers() {}

    static List<Supplier<? extends Controller>> all() {
        return List.of(
                PersistentVolumeController::new,
                () -> new ProvisionController(Map.of()),
                ReclaimController::new,
                ClaimProtectionController::new,
                VolumeProtectionController::new,
                ExpandController::new,
                PodScheduler::new);
    }

    /** Returns all controllers and, last, a fake node. */
    static List<Supplier<? extends Controller>> withNode(ScriptedFakeNode.Script script) {
        List<Supplier<? extends Controller>> all = new ArrayList<>(all());
        all.add(() -> new ScriptedFakeNode(script));
        return all;
    }
}
