package dev.mooring.sim.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.runtime.Labels;
import dev.mooring.sim.node.SimKernel.Mount;
import dev.mooring.world.World;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Compares a machine with what the World says of it when nothing is under way (I7). For one look. */
final class MachineAudit {
    private static final String INVARIANT = "I7";

    private final SimMachine machine;
    private final World world;
    private final Set<String> known = new TreeSet<>();

    MachineAudit(SimMachine machine, World world) {
        this.machine = machine;
        this.world = world;
    }

    void compare() {
        for (StoredObject each : world.list(Scope.resource(StorageNames.ACTUAL_VOLUMES))) {
            ActualVolume volume = ActualVolume.of(each);
            if (volume.node().equals(machine.name())) {
                compare(volume);
            }
        }
        for (Mount each : machine.kernel().all()) {
            check(known.contains(each.target()), each.target() + " is mounted, and no ActualVolume says so");
        }
        for (String device : machine.kernel().loops().keySet()) {
            check(known.contains(device), device + " is attached, and no ActualVolume says so");
        }
        for (StoredObject each : world.list(Scope.resource("pods"))) {
            Pod pod = Pod.of(each);
            if (pod.nodeName().equals(machine.name()) && !pod.isBeingDeleted()) {
                compare(pod);
            }
        }
        machine.engine().containers().ours().forEach(this::compare);
        machine.engine().containers().foreignMustRun();
    }

    private void check(boolean holds, String otherwise) {
        machine.findings().check(holds, INVARIANT, machine.name() + ": " + otherwise);
    }

    private void compare(ActualVolume volume) {
        if (!volume.devicePath().isEmpty() && volume.devicePath().startsWith("/dev/loop")) {
            known.add(volume.devicePath());
            Optional<String> device = machine.kernel().device(Place.image(volume.source()));
            check(
                    !volume.attachment().equals(ActualVolume.ATTACHED)
                            || device.equals(Optional.of(volume.devicePath())),
                    volume.key() + " says that it is attached as " + volume.devicePath() + ", and it is " + device);
        }
        if (volume.deviceMountPath().startsWith("/sim/")) {
            known.add(volume.deviceMountPath());
            check(
                    !volume.deviceMount().equals(ActualVolume.MOUNTED)
                            || machine.kernel().top(volume.deviceMountPath()).isPresent(),
                    volume.key() + " says that it is mounted for all Pods, and it is not");
        }
        for (ActualVolume.Mount each : volume.mounts()) {
            known.add(each.path());
            boolean mounts = each.path().startsWith("/sim/")
                    && (volume.plugin().endsWith("/nfs")
                            || volume.plugin().endsWith("/csi")
                            || volume.plugin().endsWith("/local-volume"));
            if (each.isMounted() && mounts) {
                Optional<Place> place = machine.kernel().top(each.path()).map(Mount::place);
                check(
                        place.isPresent() && place.equals(Place.of(machine.name(), volume.source())),
                        volume.key() + " says that it is mounted at " + each.path() + ", and there is " + place);
            }
        }
    }

    /** What its status says runs does. */
    private void compare(Pod pod) {
        for (JsonNode each : pod.status().path("containerStatuses")) {
            if (each.path("state").path("running").isObject()) {
                String name = each.path("name").asText("");
                boolean runs = machine.engine().containers().live().stream()
                        .anyMatch(one -> one.whose().podUid().equals(pod.uid())
                                && one.whose().container().equals(name));
                check(runs, pod.key() + " says that " + name + " runs, and it does not");
            }
        }
    }

    private void compare(SimContainer container) {
        Labels.Of whose = container.whose();
        Optional<Pod> pod = world.get(Pod.key(whose.podNamespace(), whose.podName()))
                .map(Pod::of)
                .filter(each -> each.uid().equals(whose.podUid()));
        check(pod.isPresent(), container.facts().name() + " is there, and its Pod is not");
        if (pod.isPresent() && container.isLive()) {
            check(!pod.get().isFinished(), container.facts().name() + " runs, and its Pod has finished");
        }
    }
}
