package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.patch.FieldManager;
import dev.mooring.api.resource.Patch.PatchFormat;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.world.World;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Actions of two users on the same object. {@link AcknowledgedWrites} checks that no update is lost. */
final class ConcurrentEditActions {
    private static final Duration THINKING = Duration.ofMillis(200);

    private static final int CHANGES = 4;

    private final ActionContext context;
    private final SeededRandom random;

    ConcurrentEditActions(ActionContext context) {
        this.context = context;
        this.random = context.random();
    }

    void perform(SimClient one, SimClient other, World world) {
        int choice = random.below(100);
        if (choice < 40) {
            context.anything(world).ifPresent(object -> {
                replace(one, object);
                replace(other, object);
            });
        } else if (choice < 65) {
            apply(one);
            apply(other);
        } else if (choice < 85) {
            context.pair(world).ifPresent(pair -> {
                List<String> nodes = SimManifests.nodes(world);
                one.send(pod(world, pair.claim(), nodes.get(0)));
                other.send(pod(world, pair.claim(), nodes.get(nodes.size() - 1)));
            });
        } else {
            createAndChange(one, other, world);
        }
    }

    /** Creates a Pod on a given node for a claim. Two of them on different nodes race for the volume. */
    private SimRequest pod(World world, Claim claim, String node) {
        ObjectNode pod = context.pods().pod(world, claim.namespace(), random.one(NamePools.POD_NAMES));
        pod.withObject("/spec").put("nodeName", node);
        ObjectNode volume = (ObjectNode) pod.at("/spec/volumes/0");
        volume.retain("name").putObject("persistentVolumeClaim").put("claimName", claim.name());
        return SimRequest.create(
                "creates Pod for a claim on a node", NamePools.PODS, Optional.of(claim.namespace()), pod);
    }

    /** One user creates a claim, and another user changes it while the controllers bind it. */
    private void createAndChange(SimClient one, SimClient other, World world) {
        ObjectKey key = ObjectKey.namespaced(NamePools.CLAIMS, "default", random.one(NamePools.CLAIM_NAMES));
        ObjectNode claim = context.manifests().claim(world, key.name());
        one.send(SimRequest.create("creates PVC to be changed", NamePools.CLAIMS, key.namespace(), claim), reply -> {
            for (int i = 0; i < CHANGES; i++) {
                ObjectNode patch = EditActions.merge("/metadata/annotations", "example.com/change-" + i, other.name());
                other.send(SimRequest.patch("annotates a new PVC", key, "", PatchFormat.MERGE, patch));
            }
        });
    }

    /** Replaces an object with a modified copy after a short delay. */
    private void replace(SimClient user, StoredObject object) {
        ObjectNode edited = object.toTree();
        edited.withObject("/metadata/annotations").put("example.com/edited-by", user.name() + random.below(100));
        if (random.percent(10)) {
            edited.withObject("/metadata").remove("resourceVersion");
        }
        SimRequest request = SimRequest.replace("replaces object after a read", object.key(), "", edited);
        user.later(random.upTo(THINKING), () -> user.send(request));
    }

    /** Applies a ConfigMap with a field of this user and possibly a shared one. */
    private void apply(SimClient user) {
        String namespace = random.one(List.of("default", "default", "team-a"));
        String name = random.one(NamePools.CONTENT_NAMES);
        ObjectNode object = SimManifests.object("v1", "ConfigMap", name);
        ObjectNode data = object.putObject("data").put(user.name(), "own");
        if (random.percent(50)) {
            data.put("key", "of " + user.name());
        }
        FieldManager.Force force = random.percent(40) ? FieldManager.Force.YES : FieldManager.Force.NO;
        ObjectKey key = ObjectKey.namespaced(NamePools.CONFIG_MAPS, namespace, name);
        user.send(SimRequest.apply(
                "applies ConfigMap" + (force == FieldManager.Force.YES ? ", force" : ""), key, object, force));
        if (random.percent(30)) {
            applyClaim(user, namespace);
        }
    }

    private void applyClaim(SimClient user, String namespace) {
        String name = random.one(NamePools.CLAIM_NAMES);
        Optional<World> world = user.world();
        if (world.isPresent()) {
            ObjectNode claim = SimManifests.object("v1", "PersistentVolumeClaim", name);
            claim.withObject("/metadata/labels").put("applied-by", user.name());
            SimManifests.texts(claim.withObject("/spec").putArray("accessModes"), NamePools.RWO);
            claim.withObject("/spec/resources/requests").put("storage", "1Gi");
            ObjectKey key = ObjectKey.namespaced(NamePools.CLAIMS, namespace, name);
            user.send(SimRequest.apply("applies PVC", key, claim, FieldManager.Force.NO));
        }
    }
}
