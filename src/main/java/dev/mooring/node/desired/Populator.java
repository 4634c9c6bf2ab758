package dev.mooring.node.desired;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.volume.VolumePlugins;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Keeps the desired state of a node: a DesiredVolume for each volume that containers of its Pods use, as long as the Pod
 * {@link PodVolumes#wants} it, with all it takes to mount it or with what is in the way.
 *
 * <p>Keyed by Pods. A change of a claim, a PersistentVolume, a ConfigMap, a Secret or the node wakes the Pods it is about and no others
 * ({@link References}). A DesiredVolume that somebody changes or deletes is put right again, one that nobody wants goes. A volume that
 * once was resolved keeps what is known of it, so that a claim that goes wrong never unmounts anything.
 *
 * <p>A Pod whose volumes are resolved is not looked at until something changes.
 */
public final class Populator implements Controller {
    private static final String PODS = "pods";
    private static final String NODES = "nodes";

    private final String node;
    private final String name;
    private final VolumePlugins plugins;
    private final Containers containers;
    private final References references;

    /** @param node its name */
    public Populator(String node, VolumePlugins plugins, Containers containers) {
        this.node = node;
        this.name = "node/" + node;
        this.plugins = plugins;
        this.containers = containers;
        this.references = new References(node, plugins);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String part() {
        return "populator";
    }

    @Override
    public void wakeable(Consumer<ObjectKey> wake) {
        containers.whenEnded(wake);
    }

    String node() {
        return node;
    }

    VolumePlugins plugins() {
        return plugins;
    }

    Containers containers() {
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
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        ObjectKey key = change.key();
        switch (key.resource()) {
            case PODS -> {
                if (references.pod(change)) {
                    wakes.now(key);
                }
            }
            case StorageNames.CLAIMS -> {
                references.claim(change);
                references.podsUsing(key, wakes::now);
            }
            case StorageNames.VOLUMES -> {
                references.volume(change);
                references.podsUsingVolume(key, wakes::now);
            }
            case StorageNames.DESIRED_VOLUMES -> {
                if (StoredJson.mentions(change.object(), node)) {
                    wakes.now(references.desired(change).orElse(key));
                }
            }
            case NODES -> {
                if (change.isRemoval() || !labels(Optional.of(change.object())).equals(labels(before))) {
                    references.podsBoundToNodes(wakes::now);
                }
            }
            default -> references.podsUsing(key, wakes::now);
        }
    }

    private static String labels(Optional<StoredObject> object) {
        return object.map(StoredJson::tree)
                .map(tree -> tree.path("metadata").path("labels").toString())
                .orElse("none");
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        if (!key.resource().equals(PODS)) {
            return dismiss(world, key);
        }
        Optional<Pod> pod =
                world.get(key).map(Pod::of).filter(each -> each.nodeName().equals(node));
        return new PodLook(world, this, key, now).decide(pod, references.desiredFor(key));
    }

    /** One of this node that is for a Pod there cannot be. */
    private Decision dismiss(World world, ObjectKey key) {
        Optional<Proposal> removal = world.get(key)
                .map(DesiredVolume::of)
                .filter(each -> each.node().equals(node)
                        && References.podKey(each.pod()).isEmpty())
                .map(each -> Proposal.by(name, "DesiredVolumeRemoved")
                        .because(each.cause())
                        .remove(each.stored())
                        .build());
        return Decision.of(removal);
    }
}
