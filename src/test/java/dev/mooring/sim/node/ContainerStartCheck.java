package dev.mooring.sim.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.Volume;
import dev.mooring.runtime.ContainerLabels;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.ContainerSpec.MountAccess;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.sim.node.SimKernel.SimMount;
import dev.mooring.volume.NodeLayout;
import dev.mooring.world.World;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** Checks, when a container starts, that its writes go to the volumes of its Pod (I3). */
final class ContainerStartCheck {
    /** Plugins whose volumes are always mounts, never bare directories. */
    private static final Set<String> MOUNTED =
            Set.of("kubernetes.io/nfs", "kubernetes.io/csi", "kubernetes.io/local-volume", "kubernetes.io/host-path");

    private final SimMachine machine;

    ContainerStartCheck(SimMachine machine) {
        this.machine = machine;
    }

    /** @throws EngineException if a bind source does not exist, like an engine that creates none */
    void check(SimContainer container) throws EngineException {
        container.writable().clear();
        for (ContainerSpec.BindMount each : container.spec().binds()) {
            checkMount(container, each.source(), each.access() == MountAccess.READ_WRITE);
        }
        for (ContainerSpec.Device each : container.spec().devices()) {
            checkMount(container, each.source(), each.access() == MountAccess.READ_WRITE);
        }
    }

    private void checkMount(SimContainer container, Path source, boolean writes) throws EngineException {
        Path pods = machine.kernel().layout().pods();
        if (!source.startsWith(pods)) {
            checkHostPath(container, source, writes);
            return;
        }
        Path below = pods.relativize(source);
        if (below.getNameCount() != 4 || !below.getName(1).toString().startsWith("volume")) {
            return; // termination message file
        }
        String target = source.toString();
        String plugin = NodeLayout.unescaped(below.getName(2).toString());
        if (!machine.kernel().hasDirectory(target)) {
            throw new EngineException(Kind.REFUSED, "bind source path does not exist: " + target);
        }
        Optional<SimMount> mount = machine.kernel().top(target);
        if (mount.isEmpty()) {
            if (MOUNTED.contains(plugin)) {
                checkBareDirectory(container, target);
            } else if (writes) {
                container.writable().add(DataLocation.podOwned(machine.name(), target));
            }
            return;
        }
        Optional<DataLocation> expected =
                expected(container.owner(), below.getName(3).toString());
        machine.violations()
                .check(
                        expected.isEmpty() || expected.get().equals(mount.get().dataLocation()),
                        "I3",
                        container.facts().name() + " is started with "
                                + mount.get().dataLocation() + " at " + target + " instead of " + expected);
        if (writes && !mount.get().readOnly() && !machine.kernel().isStale(mount.get())) {
            container.writable().add(mount.get().dataLocation());
        }
    }

    /**
     * Reports a bare directory, unless the volume was unmounted externally after Mooring's last check, which Mooring
     * cannot prevent.
     */
    private void checkBareDirectory(SimContainer container, String target) {
        if (machine.hasVanishedSinceMountCheck(target)) {
            machine.storage().coverage().hit("mount vanishes", "between check and start");
            return;
        }
        machine.violations().report("I3", container.facts().name() + " is started on the bare directory " + target);
    }

    private void checkHostPath(SimContainer container, Path source, boolean writes) throws EngineException {
        DataLocation location = DataLocation.directory(machine.name(), source.toString());
        if (machine.storage().find(location).isEmpty()) {
            throw new EngineException(Kind.REFUSED, "bind source path does not exist: " + source);
        }
        if (writes) {
            container.writable().add(location);
        }
    }

    /** Returns the data that the Pod expects there; empty if that is no longer known. */
    private Optional<DataLocation> expected(ContainerLabels.ContainerIdentity identity, String directory) {
        World world = machine.world();
        Optional<Pod> pod = world.get(Pod.key(identity.podNamespace(), identity.podName()))
                .map(Pod::of)
                .filter(each -> each.uid().equals(identity.podUid()));
        if (pod.isEmpty()) {
            return Optional.empty();
        }
        for (JsonNode volume : pod.get().spec().path("volumes")) {
            String claim =
                    volume.path("persistentVolumeClaim").path("claimName").asText("");
            if (volume.path("ephemeral").isObject()) {
                claim = pod.get().ephemeralClaim(volume.path("name").asText(""));
            }
            if (claim.isEmpty()) {
                if (volume.path("name").asText("").equals(directory)) {
                    return DataLocation.of(machine.name(), volume);
                }
            } else {
                Optional<StoredObject> volumeObject = world.get(
                                Claim.key(pod.get().namespace(), claim))
                        .map(Claim::of)
                        .filter(each -> each.volumeName().equals(directory))
                        .flatMap(each -> world.get(Volume.key(directory)));
                if (volumeObject.isPresent()) {
                    return DataLocation.of(
                            machine.name(), Volume.of(volumeObject.get()).spec());
                }
            }
        }
        return Optional.empty();
    }
}
