package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.StoredJson;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.sim.user.ActionContext.Pair;
import dev.mooring.world.World;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Actions that delete objects: in any order, by force, as collections, and with immediate recreation. */
final class DeleteActions {
    private static final Duration SHORT_PAUSE = Duration.ofMillis(20);

    private final ActionContext context;
    private final SeededRandom random;
    private final CreateActions createActions;

    DeleteActions(ActionContext context, CreateActions createActions) {
        this.context = context;
        this.random = context.random();
        this.createActions = createActions;
    }

    void perform(SimClient user, World world) {
        switch (random.below(24)) {
            case 0, 1, 2, 3, 4 -> one(user, context.any(world, NamePools.PODS));
            case 5, 6, 7, 8 -> one(user, context.any(world, NamePools.CLAIMS));
            case 9, 10, 11 -> one(user, context.any(world, NamePools.VOLUMES));
            case 12 -> one(user, context.any(world, NamePools.CLASSES));
            case 13 -> one(user, context.any(world, NamePools.NAMESPACES));
            case 14 -> one(user, context.any(world, random.one(List.of(NamePools.CONFIG_MAPS, NamePools.SECRETS))));
            case 15 -> one(user, context.any(world, StorageNames.DESIRED_VOLUMES));
            case 16, 17, 18 -> wrongOrder(user, world);
            case 19 -> all(user);
            case 20 -> node(user, world);
            default -> recreate(user, world);
        }
    }

    private void one(SimClient user, Optional<StoredObject> found) {
        found.ifPresent(object -> user.send(
                SimRequest.delete("deletes " + ActionContext.describe(object), object.key(), options(object))));
    }

    private ObjectNode options(StoredObject object) {
        ObjectNode options = ActionContext.json();
        if (object.key().resource().equals(NamePools.PODS) && random.percent(40)) {
            options.put("gracePeriodSeconds", random.one(List.of(0, 0, 1, 5)));
        }
        if (random.percent(15)) {
            String uid = random.percent(70) ? StoredJson.uid(object) : "another";
            options.putObject("preconditions").put("uid", uid);
        }
        if (random.percent(8)) {
            options.put("propagationPolicy", random.one(List.of("Foreground", "Orphan", "Background")));
        }
        return options;
    }

    /** Deletes a volume, then its claim, then the Pods that use it. */
    private void wrongOrder(SimClient user, World world) {
        context.pair(world).ifPresent(pair -> {
            user.send(
                    SimRequest.delete("deletes PV before its PVC", pair.volume().key()));
            user.send(SimRequest.delete("deletes PVC after its PV", pair.claim().key()));
            users(world, pair).forEach(pod -> user.send(SimRequest.delete("deletes Pod after its PVC", pod)));
        });
    }

    private static List<ObjectKey> users(World world, Pair pair) {
        return world.stream(Scope.namespace(NamePools.PODS, pair.claim().namespace()))
                .map(Pod::of)
                .filter(pod -> pod.claimKeys().contains(pair.claim().key()))
                .map(Pod::key)
                .toList();
    }

    private void all(SimClient user) {
        String resource = random.one(List.of(NamePools.PODS, NamePools.PODS, NamePools.CLAIMS));
        String namespace = random.one(NamePools.TARGET_NAMESPACES);
        user.send(SimRequest.deleteAll("deletes all " + resource, resource, Optional.of(namespace)));
    }

    /** Rarely deletes a Node while it is in use. */
    private void node(SimClient user, World world) {
        if (random.percent(15)) {
            one(user, context.any(world, NamePools.NODES));
        }
    }

    /** Deletes an object and recreates it immediately or shortly after. */
    private void recreate(SimClient user, World world) {
        context.anything(world)
                .ifPresent(object -> createActions.recreate(world, object.key()).ifPresent(create -> {
                    ObjectNode options = ActionContext.json();
                    if (random.percent(50)) {
                        options.put("gracePeriodSeconds", 0);
                    }
                    user.send(SimRequest.delete("deletes to recreate", object.key(), options));
                    if (random.percent(50)) {
                        user.send(create);
                    } else {
                        user.later(random.upTo(SHORT_PAUSE), () -> user.send(create));
                    }
                }));
    }
}
