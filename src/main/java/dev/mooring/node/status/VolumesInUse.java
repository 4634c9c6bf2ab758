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
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Keeps {@code status.volumesInUse} of this node: the attachable volumes that Pods here want or have. Kubernetes' tools look there; what keeps a
 * volume from being detached is the ActualVolume itself, which is written before anything is mounted. Pure.
 */
public final class VolumesInUse implements Controller {
    private static final String NODES = "nodes";
    private static final String LIST = "volumesInUse";

    private final String node;
    private final Map<ObjectKey, String> volumes = new HashMap<>();

    /** @param node its name */
    public VolumesInUse(String node) {
        this.node = node;
    }

    @Override
    public String name() {
        return "node/" + node;
    }

    @Override
    public String part() {
        return "volumes-in-use";
    }

    @Override
    public List<Scope> scopes() {
        return List.of(
                Scope.object(Node.key(node)),
                Scope.resource(StorageNames.DESIRED_VOLUMES),
                Scope.resource(StorageNames.ACTUAL_VOLUMES));
    }

    @Override
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        String volume = switch (change.key().resource()) {
            case StorageNames.DESIRED_VOLUMES -> attachable(DesiredVolume.of(change.object()));
            case StorageNames.ACTUAL_VOLUMES -> attachable(ActualVolume.of(change.object()));
            default -> "";
        };
        String known = change.isRemoval() || volume.isEmpty()
                ? volumes.remove(change.key())
                : volumes.put(change.key(), volume);
        boolean same = !change.isRemoval() && volume.equals(known == null ? "" : known);
        if (change.key().resource().equals(NODES) || !same) {
            wakes.now(Node.key(node));
        }
    }

    private String attachable(DesiredVolume volume) {
        return volume.node().equals(node) ? attachable(volume.volume()) : "";
    }

    /** One that is only attached is to be detached when nobody wants it, which being listed would prevent. */
    private String attachable(ActualVolume volume) {
        boolean mounted = !volume.deviceMount().isEmpty() || !volume.mounts().isEmpty();
        return mounted && volume.node().equals(node) ? attachable(volume.volume()) : "";
    }

    private static String attachable(String volume) {
        return volume.startsWith(CsiNames.PLUGIN) ? volume : "";
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<Node> found = world.get(key).map(Node::of);
        TreeSet<String> wanted = new TreeSet<>(volumes.values());
        TreeSet<String> listed = new TreeSet<>();
        found.ifPresent(each -> each.status().path(LIST).forEach(one -> listed.add(one.asText(""))));
        if (found.isEmpty() || wanted.equals(listed)) {
            return Decision.nothing();
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
