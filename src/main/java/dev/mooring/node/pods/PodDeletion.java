package dev.mooring.node.pods;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ObjectDeleter;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.PodReference;
import dev.mooring.model.view.StorageNames;
import dev.mooring.node.volumemanager.PodVolumes;
import dev.mooring.world.NodeValue;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The last step of a Pod's deletion: removes the Pod when none of its volumes is desired or mounted any more. Stateless.
 */
public final class PodDeletion {
    private final String node;

    /**
     * Creates the deletion step.
     *
     * @param node name of the node
     */
    PodDeletion(String node) {
        this.node = node;
    }

    /** Returns the Pods that a change of a DesiredVolume or an ActualVolume of this node affects. */
    Set<ObjectKey> affectedBy(Change change, Optional<StoredObject> before) {
        Set<PodReference> pods = new LinkedHashSet<>();
        if (change.object().containsText(node)) {
            switch (change.key().resource()) {
                case StorageNames.DESIRED_VOLUMES ->
                    pods.add(DesiredVolume.of(change.object()).pod());
                case StorageNames.ACTUAL_VOLUMES -> addPodsOfActualVolume(change, before, pods);
                default -> {
                    // not relevant for a Pod's deletion
                }
            }
        }
        return pods.stream().flatMap(each -> each.key().stream()).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static void addPodsOfActualVolume(Change change, Optional<StoredObject> before, Set<PodReference> pods) {
        Map<PodReference, JsonNode> was = before.map(PodDeletion::mounts).orElse(Map.of());
        Map<PodReference, JsonNode> is = change.isRemoval() ? Map.of() : mounts(change.object());
        pods.addAll(was.keySet());
        pods.addAll(is.keySet());
        // A mount or unmount for one Pod does not affect the other Pods that share the volume.
        if (before.isPresent() && !change.isRemoval() && whole(before.get()).equals(whole(change.object()))) {
            pods.removeIf(each -> Objects.equals(was.get(each), is.get(each)));
        }
    }

    private static Map<PodReference, JsonNode> mounts(StoredObject actual) {
        Map<PodReference, JsonNode> mounts = new LinkedHashMap<>();
        ActualVolume.of(actual).mounts().forEach(each -> mounts.put(each.pod(), each.json()));
        return mounts;
    }

    /** Returns the parts that concern the volume itself. */
    private static List<JsonNode> whole(StoredObject actual) {
        ActualVolume volume = ActualVolume.of(actual);
        ObjectNode status = volume.status() instanceof ObjectNode found ? found.deepCopy() : volume.copy();
        status.remove("mounts");
        return List.of(volume.spec(), status);
    }

    /** Returns the proposal that removes a deleted Pod without running containers; empty if it still has a volume. */
    Optional<Proposal> proposalFor(World world, Pod pod, String actor) {
        return remainingVolumes(world, node, pod).isEmpty()
                ? new ObjectDeleter(actor, pod.cause()).endGracePeriod(pod.stored(), pod.copy())
                : Optional.empty();
    }

    /**
     * Returns the ActualVolumes that a node has mounted for a Pod, and the Pod's DesiredVolumes, whose mount may be
     * about to start. A deleted Pod is removed after them.
     */
    public static List<ObjectKey> remainingVolumes(World world, String node, Pod pod) {
        List<ObjectKey> remaining =
                new ArrayList<>(world.index(PodVolumes.ACTUAL_VOLUMES_BY_POD).keys(new NodeValue<>(node, pod.uid())));
        for (JsonNode volume : pod.spec().path("volumes")) {
            ObjectKey desired = DesiredVolume.key(pod, volume.path("name").asText(""));
            if (world.get(desired).isPresent()) {
                remaining.add(desired);
            }
        }
        return remaining;
    }

    static List<String> resources() {
        return List.of("pods", StorageNames.ACTUAL_VOLUMES, StorageNames.DESIRED_VOLUMES);
    }
}
