package dev.mooring.node.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.Removal;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.PodOf;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.Deletion;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Lets Pods go that are deleted on a node which runs no containers: there is nothing to stop, so their time to end need not pass. A Pod whose
 * volumes are still wanted or mounted waits until they are not. Keeps an index of mounts ({@link PodMounts}), so a Pod costs what it has, however
 * many volumes others have.
 */
public final class PodsWithoutRuntime implements Controller {
    private static final String PODS = "pods";

    private final String node;
    private final PodMounts mounts = new PodMounts();

    /** @param node its name */
    public PodsWithoutRuntime(String node) {
        this.node = node;
    }

    @Override
    public String name() {
        return "node/" + node;
    }

    @Override
    public String part() {
        return PODS;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(
                Scope.resource(PODS),
                Scope.resource(StorageNames.ACTUAL_VOLUMES),
                Scope.resource(StorageNames.DESIRED_VOLUMES));
    }

    @Override
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        switch (change.key().resource()) {
            case PODS -> followPod(change, wakes);
            case StorageNames.DESIRED_VOLUMES -> followDesired(change, world, wakes);
            default -> followActual(change, before, wakes);
        }
    }

    private void followPod(Change change, Wakes wakes) {
        if (change.isRemoval()) {
            mounts.forget(StoredJson.uid(change.object()));
        } else if (StoredJson.isBeingDeleted(change.object())) {
            wakes.now(change.key());
        }
    }

    private void followDesired(Change change, World world, Wakes wakes) {
        if (!StoredJson.mentions(change.object(), node)) {
            return;
        }
        DesiredVolume desired = DesiredVolume.of(change.object());
        podKey(desired.pod()).ifPresent(pod -> {
            mounts.desired(desired, change, world);
            if (change.isRemoval()) {
                wakes.now(pod);
            }
        });
    }

    private void followActual(Change change, Optional<StoredObject> before, Wakes wakes) {
        if (!StoredJson.mentions(change.object(), node)) {
            return;
        }
        mounts.actual(change, before);
        before.map(ActualVolume::of).map(ActualVolume::mounts).orElse(List.of()).stream()
                .flatMap(mount -> podKey(mount.pod()).stream())
                .forEach(wakes::now);
    }

    /** Nothing for one that cannot be. */
    private static Optional<ObjectKey> podKey(PodOf pod) {
        try {
            return Optional.of(Pod.key(pod.namespace(), pod.name()));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<Pod> found = world.get(key)
                .map(Pod::of)
                .filter(pod -> pod.isBeingDeleted() && pod.nodeName().equals(node));
        if (found.isEmpty() || isWanted(world, found.get()) || mounts.has(world, found.get())) {
            return Decision.nothing();
        }
        Pod pod = found.get();
        ObjectNode ended = pod.copy();
        ((ObjectNode) ended.get("metadata")).put("deletionGracePeriodSeconds", 0);
        boolean due = Deletion.isDue(ended);
        return due || !ended.equals(pod.tree())
                ? Decision.of(new Removal(name(), pod.cause()).changed(pod.stored(), ended, "Ended"))
                : Decision.nothing();
    }

    /** Whether a volume of it is to be mounted, so that somebody may just be beginning with it. */
    private static boolean isWanted(World world, Pod pod) {
        for (JsonNode volume : pod.spec().path("volumes")) {
            if (world.get(DesiredVolume.key(pod, volume.path("name").asText("")))
                    .isPresent()) {
                return true;
            }
        }
        return false;
    }
}
