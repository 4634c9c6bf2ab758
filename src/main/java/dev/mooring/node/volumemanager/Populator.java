package dev.mooring.node.volumemanager;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.volume.VolumePlugins;
import dev.mooring.world.Index;
import dev.mooring.world.Indexes;
import dev.mooring.world.NodeValue;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Maintains the {@link DesiredStateOfWorld} of a node: a DesiredVolume for each volume that containers of its Pods use,
 * as long as the Pod {@link PodVolumes#wants} it, with all data to mount it or with the reason why it cannot be
 * mounted.
 *
 * <p>Keyed by Pods. A change of a claim, a PersistentVolume, a ConfigMap, a Secret or the node enqueues the affected
 * Pods only. A DesiredVolume that was modified or deleted by a user is restored; an unneeded
 * one is deleted. A volume that was resolved once keeps its spec, so that an invalid claim never unmounts anything.
 *
 * <p>A Pod whose volumes are resolved is not synced until something changes.
 */
public final class Populator implements Controller {
    private static final String PODS = "pods";
    private static final String NODES = "nodes";

    /** Claims by the PersistentVolume that they name, whether or not it is bound to them. */
    private static final Index<String> CLAIMS_BY_VOLUME_NAME =
            Index.of("claims by volume name", Scope.resource(StorageNames.CLAIMS), Populator::volumeNames);

    private final String node;
    private final String name;
    private final VolumePlugins plugins;
    private final PodStateProvider containers;

    /**
     * Creates the controller.
     *
     * @param node name of the node
     */
    public Populator(String node, VolumePlugins plugins, PodStateProvider containers) {
        this.node = node;
        this.name = "node/" + node;
        this.plugins = plugins;
        this.containers = containers;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String metricName() {
        return "populator";
    }

    @Override
    public void setExternalEnqueue(Consumer<ObjectKey> requeue) {
        containers.onContainersEnded(requeue);
    }

    String node() {
        return node;
    }

    VolumePlugins plugins() {
        return plugins;
    }

    PodStateProvider containers() {
        return containers;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(
                Scope.resource(PODS),
                Scope.resource(StorageNames.CLAIMS),
                Scope.resource(StorageNames.VOLUMES),
                Scope.resource("configmaps"),
                Scope.resource("secrets"),
                Scope.resource(StorageNames.DESIRED_VOLUMES),
                Scope.object(Node.key(node)));
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        ObjectKey key = change.key();
        DesiredStateOfWorld desired = new DesiredStateOfWorld(node, world);
        switch (key.resource()) {
            case PODS -> {
                if (Indexes.PODS_BY_NODE.affectedBy(change, before).contains(node)
                        || !desired.volumesOfPod(key).isEmpty()) {
                    queue.enqueue(key);
                }
            }
            case StorageNames.VOLUMES ->
                world.index(CLAIMS_BY_VOLUME_NAME)
                        .keys(key.name())
                        .forEach(claim -> podsUsing(world, claim).forEach(queue::enqueue));
            case StorageNames.DESIRED_VOLUMES -> {
                desired.affectedBy(change, before, PODS).forEach(queue::enqueue);
                if (isDangling(change.object())) {
                    queue.enqueue(key);
                }
            }
            case NODES -> {
                if (change.isRemoval() || !labels(Optional.of(change.object())).equals(labels(before))) {
                    world.find(Indexes.PODS_BY_NODE, node).stream()
                            .filter(pod -> isBoundToNodes(world, Pod.of(pod)))
                            .forEach(pod -> queue.enqueue(pod.key()));
                }
            }
            default -> podsUsing(world, key).forEach(queue::enqueue);
        }
    }

    /** Returns the Pods of this node that name a claim, a ConfigMap or a Secret. */
    private List<ObjectKey> podsUsing(World world, ObjectKey key) {
        return world.index(Indexes.PODS_BY_REFERENCE).keys(new NodeValue<>(node, key));
    }

    private static List<String> volumeNames(StoredObject claim) {
        String volume = claim.containsText("volumeName") ? Claim.of(claim).volumeName() : "";
        return volume.isEmpty() ? List.of() : List.of(volume);
    }

    /** Returns whether a volume of the Pod has node affinity. */
    private static boolean isBoundToNodes(World world, Pod pod) {
        return pod.claimKeys().stream()
                .flatMap(claim -> world.get(claim).stream())
                .flatMap(claim -> Volume.keyIfValid(Claim.of(claim).volumeName()).stream())
                .flatMap(volume -> world.get(volume).stream())
                .anyMatch(volume -> volume.containsText("nodeAffinity"));
    }

    private static String labels(Optional<StoredObject> object) {
        return object.map(StoredObject::tree)
                .map(tree -> tree.path("metadata").path("labels").toString())
                .orElse("none");
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        if (!key.resource().equals(PODS)) {
            return removeDangling(world, key);
        }
        Optional<Pod> pod =
                world.get(key).map(Pod::of).filter(each -> each.nodeName().equals(node));
        return new PodVolumeSync(world, this, key, now)
                .decide(pod, new DesiredStateOfWorld(node, world).volumesOfPod(key));
    }

    /** Returns whether a DesiredVolume is for this node and has an invalid Pod reference. */
    private boolean isDangling(StoredObject object) {
        DesiredVolume desired = DesiredVolume.of(object);
        return desired.node().equals(node) && desired.pod().key().isEmpty();
    }

    private Decision removeDangling(World world, ObjectKey key) {
        Optional<Proposal> removal = world.get(key)
                .filter(this::isDangling)
                .map(DesiredVolume::of)
                .map(each -> Proposal.by(name, "DesiredVolumeRemoved")
                        .because(each.cause())
                        .remove(each.stored())
                        .build());
        return Decision.of(removal);
    }
}
