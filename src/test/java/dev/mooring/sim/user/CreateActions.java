package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.world.World;
import java.util.List;
import java.util.Optional;

/** Actions that create objects, most of them valid. */
final class CreateActions {
    private final ActionContext context;
    private final SeededRandom random;
    private final InvalidManifests invalid;

    CreateActions(ActionContext context) {
        this.context = context;
        this.random = context.random();
        this.invalid = new InvalidManifests(context);
    }

    void perform(SimClient user, World world) {
        switch (random.below(20)) {
            case 0, 1, 2, 3 -> send(user, volume(world, random.one(NamePools.VOLUME_NAMES)));
            case 4, 5, 6, 7, 8 -> send(user, claim(world, anyNamespace(), random.one(NamePools.CLAIM_NAMES)));
            case 9, 10, 11, 12, 13, 14 -> send(user, pod(world, anyNamespace(), random.one(NamePools.POD_NAMES)));
            case 15, 16 -> send(user, storageClass(random.one(NamePools.CLASS_NAMES)));
            case 17 -> send(user, namespace(random.one(NamePools.NEW_NAMESPACES)));
            case 18 -> {
                String resource = random.one(List.of(NamePools.CONFIG_MAPS, NamePools.SECRETS));
                send(user, content(resource, anyNamespace(), random.one(NamePools.CONTENT_NAMES)));
            }
            default -> user.send(invalid.request(world));
        }
    }

    /** Creates a second namespace. */
    void createNamespace(SimClient user) {
        user.send(namespace(NamePools.NEW_NAMESPACES.get(0)));
    }

    private void send(SimClient user, SimRequest request) {
        user.send(random.percent(4) ? request.asDryRun() : request);
    }

    /** Returns a request that creates an object of the same kind and name. */
    Optional<SimRequest> recreate(World world, ObjectKey key) {
        String namespace = key.namespace().orElse("");
        return switch (key.resource()) {
            case NamePools.VOLUMES -> Optional.of(volume(world, key.name()));
            case NamePools.CLAIMS -> Optional.of(claim(world, namespace, key.name()));
            case NamePools.PODS -> Optional.of(pod(world, namespace, key.name()));
            case NamePools.CLASSES -> Optional.of(storageClass(key.name()));
            case NamePools.NAMESPACES -> Optional.of(namespace(key.name()));
            case NamePools.CONFIG_MAPS, NamePools.SECRETS ->
                Optional.of(content(key.resource(), namespace, key.name()));
            default -> Optional.empty();
        };
    }

    private String anyNamespace() {
        return random.one(NamePools.TARGET_NAMESPACES);
    }

    private SimRequest volume(World world, String name) {
        return SimRequest.create(
                "creates PV",
                NamePools.VOLUMES,
                Optional.empty(),
                context.manifests().volume(world, name));
    }

    private SimRequest claim(World world, String namespace, String name) {
        return SimRequest.create(
                "creates PVC",
                NamePools.CLAIMS,
                Optional.of(namespace),
                context.manifests().claim(world, name));
    }

    private SimRequest pod(World world, String namespace, String name) {
        ObjectNode pod = context.pods().pod(world, namespace, name);
        return SimRequest.create("creates Pod", NamePools.PODS, Optional.of(namespace), pod);
    }

    private SimRequest storageClass(String name) {
        return SimRequest.create(
                "creates StorageClass",
                NamePools.CLASSES,
                Optional.empty(),
                context.manifests().storageClass(name));
    }

    private SimRequest namespace(String name) {
        return SimRequest.create(
                "creates Namespace",
                NamePools.NAMESPACES,
                Optional.empty(),
                context.manifests().namespace(name));
    }

    private SimRequest content(String resource, String namespace, String name) {
        boolean secret = resource.equals(NamePools.SECRETS);
        ObjectNode object =
                secret ? context.manifests().secret(name) : context.manifests().configMap(name);
        return SimRequest.create(
                secret ? "creates Secret" : "creates ConfigMap", resource, Optional.of(namespace), object);
    }
}
