package dev.mooring.sim.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.runtime.ContainerLabels;
import dev.mooring.sim.node.SimKernel.SimMount;
import dev.mooring.world.World;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Compares a machine with the World when no operation is in progress (I7). For one comparison. */
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
        for (SimMount each : machine.kernel().all()) {
            check(known.contains(each.target()), each.target() + " is mounted without an ActualVolume");
        }
        for (String device : machine.kernel().loops().keySet()) {
            check(known.contains(device), device + " is attached without an ActualVolume");
        }
        for (StoredObject each : world.list(Scope.resource("pods"))) {
            Pod pod = Pod.of(each);
            if (pod.nodeName().equals(machine.name()) && !pod.isBeingDeleted()) {
                compare(pod);
            }
        }
        machine.engine().containers().ours().forEach(this::compare);
        machine.engine().containers().checkForeignContainers();
    }

    private void check(boolean holds, String message) {
        machine.violations().check(holds, INVARIANT, machine.name() + ": " + message);
    }

    private void compare(ActualVolume volume) {
        if (!volume.devicePath().isEmpty() && volume.devicePath().startsWith("/dev/loop")) {
            known.add(volume.devicePath());
            Optional<String> device = machine.kernel().device(DataLocation.image(volume.source()));
            check(
                    !volume.attachment().equals(ActualVolume.ATTACHED)
                            || device.equals(Optional.of(volume.devicePath())),
                    volume.key() + " is recorded as attached to " + volume.devicePath() + ", but is at " + device);
        }
        if (volume.deviceMountPath().startsWith("/sim/")) {
            known.add(volume.deviceMountPath());
            check(
                    !volume.deviceMount().equals(ActualVolume.MOUNTED)
                            || machine.kernel().top(volume.deviceMountPath()).isPresent(),
                    volume.key() + " is recorded as mounted for all Pods, but is not mounted");
        }
        for (ActualVolume.Mount each : volume.mounts()) {
            known.add(each.path());
            boolean mounts = each.path().startsWith("/sim/")
                    && (volume.plugin().endsWith("/nfs")
                            || volume.plugin().endsWith("/csi")
                            || volume.plugin().endsWith("/local-volume"));
            if (each.isMounted() && mounts) {
                Optional<DataLocation> location =
                        machine.kernel().top(each.path()).map(SimMount::dataLocation);
                check(
                        location.isPresent() && location.equals(DataLocation.of(machine.name(), volume.source())),
                        volume.key() + " is recorded as mounted at " + each.path() + ", but the mount is " + location);
            }
        }
    }

    /** Checks that containers run whose status says so. */
    private void compare(Pod pod) {
        for (JsonNode each : pod.status().path("containerStatuses")) {
            if (each.path("state").path("running").isObject()) {
                String name = each.path("name").asText("");
                boolean runs = machine.engine().containers().live().stream()
                        .anyMatch(one -> one.owner().podUid().equals(pod.uid())
                                && one.owner().container().equals(name));
                check(runs, pod.key() + " has a status with " + name + " running, but it does not run");
            }
        }
    }

    private void compare(SimContainer container) {
        ContainerLabels.ContainerIdentity identity = container.owner();
        Optional<Pod> pod = world.get(Pod.key(identity.podNamespace(), identity.podName()))
                .map(Pod::of)
                .filter(each -> each.uid().equals(identity.podUid()));
        check(pod.isPresent(), container.facts().name() + " exists, but its Pod does not");
        if (pod.isPresent() && container.isLive()) {
            check(!pod.get().isFinished(), container.facts().name() + " runs, but its Pod has finished");
        }
    }
}
