package dev.mooring.sim.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.Volume;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.ContainerSpec.Access;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.Labels;
import dev.mooring.sim.node.SimKernel.Mount;
import dev.mooring.volume.NodeLayout;
import dev.mooring.world.World;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** Looks, in the moment a container begins, at what it gets: where its writes will end up, and whether that is where they belong (I3). */
final class StartCheck {
    /** Volumes of which a bare directory is never one. */
    private static final Set<String> MOUNTED =
            Set.of("kubernetes.io/nfs", "kubernetes.io/csi", "kubernetes.io/local-volume");

    private final SimMachine machine;

    StartCheck(SimMachine machine) {
        this.machine = machine;
    }

    /** @throws EngineException as an engine does that never makes a source that is not there */
    void begin(SimContainer container) throws EngineException {
        container.writable().clear();
        for (ContainerSpec.Bind each : container.spec().binds()) {
            see(container, each.source(), each.access() == Access.READ_WRITE);
        }
        for (ContainerSpec.Device each : container.spec().devices()) {
            see(container, each.source(), each.access() == Access.READ_WRITE);
        }
    }

    private void see(SimContainer container, Path source, boolean writes) throws EngineException {
        Path pods = machine.kernel().layout().pods();
        if (!source.startsWith(pods)) {
            seeHostPath(container, source, writes);
            return;
        }
        Path below = pods.relativize(source);
        if (below.getNameCount() != 4 || !below.getName(1).toString().startsWith("volume")) {
            return; // the file for last words
        }
        String target = source.toString();
        String plugin = NodeLayout.unescaped(below.getName(2).toString());
        if (!machine.kernel().hasDirectory(target)) {
            throw new EngineException(Kind.REFUSED, "bind source path does not exist: " + target);
        }
        Optional<Mount> mount = machine.kernel().top(target);
        if (mount.isEmpty()) {
            if (MOUNTED.contains(plugin)) {
                bare(container, target);
            } else if (writes) {
                container.writable().add(Place.own(machine.name(), target));
            }
            return;
        }
        Optional<Place> expected = expected(container.whose(), below.getName(3).toString());
        machine.findings()
                .check(
                        expected.isEmpty() || expected.get().equals(mount.get().place()),
                        "I3",
                        container.facts().name() + " is started with "
                                + mount.get().place() + " at " + target + " instead of " + expected);
        if (writes && !mount.get().readOnly() && !machine.kernel().isStale(mount.get())) {
            container.writable().add(mount.get().place());
        }
    }

    /** Unless somebody unmounted it after Mooring has looked for the last time: nobody can do anything about that. */
    private void bare(SimContainer container, String target) {
        if (machine.hasVanishedUnseen(target)) {
            machine.storage().coverage().hit("mount vanishes", "between look and start");
            return;
        }
        machine.findings().report("I3", container.facts().name() + " is started on the bare directory " + target);
    }

    private void seeHostPath(SimContainer container, Path source, boolean writes) throws EngineException {
        Place place = Place.directory(machine.name(), source.toString());
        if (machine.storage().find(place).isEmpty()) {
            throw new EngineException(Kind.REFUSED, "bind source path does not exist: " + source);
        }
        if (writes) {
            container.writable().add(place);
        }
    }

    /** What the Pod wants there; nothing if that cannot be told any more. */
    private Optional<Place> expected(Labels.Of whose, String directory) {
        World world = machine.world();
        Optional<Pod> pod = world.get(Pod.key(whose.podNamespace(), whose.podName()))
                .map(Pod::of)
                .filter(each -> each.uid().equals(whose.podUid()));
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
                    return Place.of(machine.name(), volume);
                }
            } else {
                Optional<StoredObject> found = world.get(Claim.key(pod.get().namespace(), claim))
                        .map(Claim::of)
                        .filter(each -> each.volumeName().equals(directory))
                        .flatMap(each -> world.get(Volume.key(directory)));
                if (found.isPresent()) {
                    return Place.of(machine.name(), Volume.of(found.get()).spec());
                }
            }
        }
        return Optional.empty();
    }
}
