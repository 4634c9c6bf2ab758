package dev.mooring.node.pods;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ObjectDeleter;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.PodReference;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.Index;
import dev.mooring.world.NodeValue;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
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
final class PodDeletion {
    /** ActualVolumes by their node and the UIDs of the Pods that they are mounted for. */
    private static final Index<NodeValue<String>> ACTUAL_VOLUMES_BY_POD =
            Index.of("ActualVolumes by Pod", Scope.resource(StorageNames.ACTUAL_VOLUMES), PodDeletion::mountingPods);

    private final String node;

    /**
     * Creates the deletion step.
     *
     * @param node name of the node
     */
    PodDeletion(String node) {
        this.node = node;
    }

    private static List<NodeValue<String>> mountingPods(StoredObject object) {
        ActualVolume volume = ActualVolume.of(object);
        return volume.mounts().stream()
                .map(each -> new NodeValue<>(volume.node(), each.pod().uid()))
                .toList();
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
        boolean isMounted = !world.index(ACTUAL_VOLUMES_BY_POD)
                .keys(new NodeValue<>(node, pod.uid()))
                .isEmpty();
        if (isMounted || hasDesiredVolume(world, pod)) {
            return Optional.empty();
        }
        return new ObjectDeleter(actor, pod.cause()).endGracePeriod(pod.stored(), pod.copy());
    }

    /** Returns whether a volume of the Pod is desired, so that a mount may be about to start. */
    private static boolean hasDesiredVolume(World world, Pod pod) {
        for (JsonNode volume : pod.spec().path("volumes")) {
            if (world.get(DesiredVolume.key(pod, volume.path("name").asText("")))
                    .isPresent()) {
                return true;
            }
        }
        return false;
    }

    static List<String> resources() {
        return List.of("pods", StorageNames.ACTUAL_VOLUMES, StorageNames.DESIRED_VOLUMES);
    }
}
