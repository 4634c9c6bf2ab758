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
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.Deletion;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Lets Pods go that are deleted on a node which runs no containers: there is nothing to stop, so their time to end need not pass. A Pod whose
 * volumes are still mounted waits for that. Pure.
 */
public final class PodsWithoutRuntime implements Controller {
    private static final String PODS = "pods";

    private final String node;

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
        return List.of(Scope.resource(PODS), Scope.resource(StorageNames.ACTUAL_VOLUMES));
    }

    @Override
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        if (change.key().resource().equals(PODS)) {
            if (!change.isRemoval() && StoredJson.isBeingDeleted(change.object())) {
                wakes.now(change.key());
            }
            return;
        }
        before.map(StoredJson::tree).ifPresent(volume -> mounts(volume).forEach(mount -> wake(mount, wakes)));
    }

    private static void wake(JsonNode mount, Wakes wakes) {
        String namespace = mount.path("pod").path("namespace").asText("");
        String name = mount.path("pod").path("name").asText("");
        if (!namespace.isEmpty() && !name.isEmpty()) {
            wakes.now(Pod.key(namespace, name));
        }
    }

    private static JsonNode mounts(JsonNode actualVolume) {
        return actualVolume.path("status").path("mounts");
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<Pod> found = world.get(key)
                .map(Pod::of)
                .filter(pod -> pod.isBeingDeleted() && pod.nodeName().equals(node));
        if (found.isEmpty() || isMounted(world, found.get())) {
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

    private static boolean isMounted(World world, Pod pod) {
        for (StoredObject each : world.list(Scope.resource(StorageNames.ACTUAL_VOLUMES))) {
            if (StoredJson.mentions(each, pod.uid())) {
                for (JsonNode mount : mounts(StoredJson.tree(each))) {
                    if (mount.path("pod").path("uid").asText("").equals(pod.uid())) {
                        return true;
                    }
                }
            }
        }
        return false;
    }
}
