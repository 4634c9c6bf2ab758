package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.StoredJson;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.sim.user.Acting.Pair;
import dev.mooring.world.World;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Deletes things: in any order, by force, all at once, and makes them anew in the same breath. */
final class Deleting {
    private static final Duration BREATH = Duration.ofMillis(20);

    private final Acting acting;
    private final Chance chance;
    private final Creating creating;

    Deleting(Acting acting, Creating creating) {
        this.acting = acting;
        this.chance = acting.chance();
        this.creating = creating;
    }

    void act(Client user, World world) {
        switch (chance.below(24)) {
            case 0, 1, 2, 3, 4 -> one(user, acting.any(world, Pools.PODS));
            case 5, 6, 7, 8 -> one(user, acting.any(world, Pools.CLAIMS));
            case 9, 10, 11 -> one(user, acting.any(world, Pools.VOLUMES));
            case 12 -> one(user, acting.any(world, Pools.CLASSES));
            case 13 -> one(user, acting.any(world, Pools.NAMESPACES));
            case 14 -> one(user, acting.any(world, chance.one(List.of(Pools.CONFIG_MAPS, Pools.SECRETS))));
            case 15 -> one(user, acting.any(world, StorageNames.DESIRED_VOLUMES));
            case 16, 17, 18 -> wrongOrder(user, world);
            case 19 -> all(user);
            case 20 -> node(user, world);
            default -> again(user, world);
        }
    }

    private void one(Client user, Optional<StoredObject> found) {
        found.ifPresent(object ->
                user.send(Request.delete("deletes " + Acting.describe(object), object.key(), options(object))));
    }

    private ObjectNode options(StoredObject object) {
        ObjectNode options = Acting.json();
        if (object.key().resource().equals(Pools.PODS) && chance.percent(40)) {
            options.put("gracePeriodSeconds", chance.one(List.of(0, 0, 1, 5)));
        }
        if (chance.percent(15)) {
            String uid = chance.percent(70) ? StoredJson.uid(object) : "another";
            options.putObject("preconditions").put("uid", uid);
        }
        if (chance.percent(8)) {
            options.put("propagationPolicy", chance.one(List.of("Foreground", "Orphan", "Background")));
        }
        return options;
    }

    /** The volume before the claim before the Pods that use it. */
    private void wrongOrder(Client user, World world) {
        acting.pair(world).ifPresent(pair -> {
            user.send(Request.delete("deletes PV before its PVC", pair.volume().key()));
            user.send(Request.delete("deletes PVC after its PV", pair.claim().key()));
            users(world, pair).forEach(pod -> user.send(Request.delete("deletes Pod after its PVC", pod)));
        });
    }

    private static List<ObjectKey> users(World world, Pair pair) {
        return world.stream(Scope.namespace(Pools.PODS, pair.claim().namespace()))
                .map(Pod::of)
                .filter(pod -> pod.claimKeys().contains(pair.claim().key()))
                .map(Pod::key)
                .toList();
    }

    private void all(Client user) {
        String resource = chance.one(List.of(Pools.PODS, Pools.PODS, Pools.CLAIMS));
        user.send(Request.deleteAll("deletes all " + resource, resource, Optional.of(chance.one(Pools.HOMES))));
    }

    /** Seldom: a machine is taken out of the cluster while it works. */
    private void node(Client user, World world) {
        if (chance.percent(15)) {
            one(user, acting.any(world, Pools.NODES));
        }
    }

    /** Deletes something and makes another of the same name, before anybody can have noticed, or soon after. */
    private void again(Client user, World world) {
        acting.anything(world)
                .ifPresent(object -> creating.again(world, object.key()).ifPresent(create -> {
                    ObjectNode options = Acting.json();
                    if (chance.percent(50)) {
                        options.put("gracePeriodSeconds", 0);
                    }
                    user.send(Request.delete("deletes to recreate", object.key(), options));
                    if (chance.percent(50)) {
                        user.send(create);
                    } else {
                        user.later(chance.upTo(BREATH), () -> user.send(create));
                    }
                }));
    }
}
