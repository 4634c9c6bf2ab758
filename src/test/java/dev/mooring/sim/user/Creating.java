package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.world.World;
import java.util.List;
import java.util.Optional;

/** Makes new objects, most of them good. */
final class Creating {
    private final Acting acting;
    private final Chance chance;
    private final BrokenManifests broken;

    Creating(Acting acting) {
        this.acting = acting;
        this.chance = acting.chance();
        this.broken = new BrokenManifests(acting);
    }

    void act(Client user, World world) {
        switch (chance.below(20)) {
            case 0, 1, 2, 3 -> send(user, volume(world, chance.one(Pools.VOLUME_NAMES)));
            case 4, 5, 6, 7, 8 -> send(user, claim(world, home(), chance.one(Pools.CLAIM_NAMES)));
            case 9, 10, 11, 12, 13, 14 -> send(user, pod(world, home(), chance.one(Pools.POD_NAMES)));
            case 15, 16 -> send(user, storageClass(chance.one(Pools.CLASS_NAMES)));
            case 17 -> send(user, namespace(chance.one(Pools.NEW_NAMESPACES)));
            case 18 -> {
                String resource = chance.one(List.of(Pools.CONFIG_MAPS, Pools.SECRETS));
                send(user, content(resource, home(), chance.one(Pools.CONTENT_NAMES)));
            }
            default -> user.send(broken.request(world));
        }
    }

    /** A second namespace. */
    void home(Client user) {
        user.send(namespace(Pools.NEW_NAMESPACES.get(0)));
    }

    private void send(Client user, Request request) {
        user.send(chance.percent(4) ? request.tried() : request);
    }

    /** The same kind of object under the same name. */
    Optional<Request> again(World world, ObjectKey key) {
        String home = key.namespace().orElse("");
        return switch (key.resource()) {
            case Pools.VOLUMES -> Optional.of(volume(world, key.name()));
            case Pools.CLAIMS -> Optional.of(claim(world, home, key.name()));
            case Pools.PODS -> Optional.of(pod(world, home, key.name()));
            case Pools.CLASSES -> Optional.of(storageClass(key.name()));
            case Pools.NAMESPACES -> Optional.of(namespace(key.name()));
            case Pools.CONFIG_MAPS, Pools.SECRETS -> Optional.of(content(key.resource(), home, key.name()));
            default -> Optional.empty();
        };
    }

    private String home() {
        return chance.one(Pools.HOMES);
    }

    private Request volume(World world, String name) {
        return Request.create(
                "creates PV",
                Pools.VOLUMES,
                Optional.empty(),
                acting.manifests().volume(world, name));
    }

    private Request claim(World world, String home, String name) {
        return Request.create(
                "creates PVC",
                Pools.CLAIMS,
                Optional.of(home),
                acting.manifests().claim(world, name));
    }

    private Request pod(World world, String home, String name) {
        ObjectNode pod = acting.pods().pod(world, home, name);
        return Request.create("creates Pod", Pools.PODS, Optional.of(home), pod);
    }

    private Request storageClass(String name) {
        return Request.create(
                "creates StorageClass",
                Pools.CLASSES,
                Optional.empty(),
                acting.manifests().storageClass(name));
    }

    private Request namespace(String name) {
        return Request.create(
                "creates Namespace",
                Pools.NAMESPACES,
                Optional.empty(),
                acting.manifests().namespace(name));
    }

    private Request content(String resource, String home, String name) {
        boolean secret = resource.equals(Pools.SECRETS);
        ObjectNode object =
                secret ? acting.manifests().secret(name) : acting.manifests().configMap(name);
        return Request.create(secret ? "creates Secret" : "creates ConfigMap", resource, Optional.of(home), object);
    }
}
