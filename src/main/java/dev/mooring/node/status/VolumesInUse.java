package dev.mooring.node.status;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.CsiNames;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.Index;
import dev.mooring.world.NodeValue;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Maintains {@code status.volumesInUse} of this node: the attachable volumes that its Pods use or will use. It informs
 * Kubernetes' tools; the ActualVolume, which is written before a mount, is what prevents a detach. Pure.
 */
public final class VolumesInUse implements Controller {
    private static final String LIST = "volumesInUse";

    /** DesiredVolumes by their node and their attachable volume. */
    private static final Index<NodeValue<String>> DESIRED = Index.of(
            "desired attachable volumes", Scope.resource(StorageNames.DESIRED_VOLUMES), VolumesInUse::desiredVolumes);

    /** ActualVolumes that are in use by their node and their attachable volume. */
    private static final Index<NodeValue<String>> ACTUAL = Index.of(
            "attachable volumes in use", Scope.resource(StorageNames.ACTUAL_VOLUMES), VolumesInUse::usedVolumes);

    private final String node;

    /**
     * Creates the controller.
     *
     * @param node name of the node
     */
    public VolumesInUse(String node) {
        this.node = node;
    }

    @Override
    public String name() {
        return "node/" + node;
    }

    @Override
    public String metricName() {
        return "volumes-in-use";
    }

    @Override
    public List<Scope> scopes() {
        return List.of(Scope.object(Node.key(node)), DESIRED.scope(), ACTUAL.scope());
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        boolean relevant = switch (change.key().resource()) {
            case StorageNames.DESIRED_VOLUMES -> isAffected(DESIRED, change, before);
            case StorageNames.ACTUAL_VOLUMES -> isAffected(ACTUAL, change, before);
            default -> true;
        };
        if (relevant) {
            queue.enqueue(Node.key(node));
        }
    }

    /** Returns whether a change may add a volume to the list or remove one. */
    private boolean isAffected(Index<NodeValue<String>> index, Change change, Optional<StoredObject> before) {
        Optional<StoredObject> after = change.isRemoval() ? Optional.empty() : Optional.of(change.object());
        return !volumes(index, before).equals(volumes(index, after));
    }

    private List<NodeValue<String>> volumes(Index<NodeValue<String>> index, Optional<StoredObject> object) {
        return object.stream()
                .flatMap(each -> index.valuesOf(each).stream())
                .filter(each -> each.node().equals(node))
                .toList();
    }

    private static List<NodeValue<String>> desiredVolumes(StoredObject object) {
        DesiredVolume volume = DesiredVolume.of(object);
        return attachable(volume.node(), volume.volume());
    }

    /** Omits a volume that is attached only, because listing it would prevent its detach. */
    private static List<NodeValue<String>> usedVolumes(StoredObject object) {
        ActualVolume volume = ActualVolume.of(object);
        boolean mounted = !volume.deviceMount().isEmpty() || !volume.mounts().isEmpty();
        return mounted ? attachable(volume.node(), volume.volume()) : List.of();
    }

    private static List<NodeValue<String>> attachable(String node, String volume) {
        return volume.startsWith(CsiNames.PLUGIN) ? List.of(new NodeValue<>(node, volume)) : List.of();
    }

    private Stream<String> volumes(World world, Index<NodeValue<String>> index) {
        return NodeValue.entriesOf(node, world.index(index))
                .all()
                .map(each -> each.value().value());
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<Node> found = world.get(key).map(Node::of);
        TreeSet<String> wanted = Stream.concat(volumes(world, DESIRED), volumes(world, ACTUAL))
                .collect(Collectors.toCollection(TreeSet::new));
        TreeSet<String> listed = new TreeSet<>();
        found.ifPresent(each -> each.status().path(LIST).forEach(one -> listed.add(one.asText(""))));
        if (found.isEmpty() || wanted.equals(listed)) {
            return Decision.none();
        }
        ObjectNode object = found.get().copy();
        ObjectNode status = object.withObject("/status");
        if (wanted.isEmpty()) {
            status.remove(LIST);
        } else {
            ArrayNode list = status.putArray(LIST);
            wanted.forEach(list::add);
        }
        return Decision.of(Proposal.by(name(), "NodeVolumesInUseChanged")
                .because(found.get().cause())
                .replace(found.get().stored(), Draft.of(key, object))
                .build());
    }
}
