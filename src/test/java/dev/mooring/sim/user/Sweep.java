package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Deletes all objects repeatedly until nothing is left. */
final class Sweep {
    private static final Duration PAUSE = Duration.ofSeconds(10);

    /** Number of empty rounds before the end: volumes of deleted claims may still appear. */
    private static final int EMPTY_ROUNDS = 12;

    private static final Set<String> KEPT = Set.of("default", "kube-system", "kube-node-lease", "kube-public");
    private static final List<String> SWEPT = List.of(
            NamePools.PODS,
            NamePools.CLAIMS,
            NamePools.VOLUMES,
            NamePools.CLASSES,
            NamePools.CONFIG_MAPS,
            NamePools.SECRETS,
            NamePools.NAMESPACES);

    private final SimClient user;
    private final Random random;
    private int emptyRounds;

    Sweep(SimClient user, Random random) {
        this.user = user;
        this.random = random;
    }

    /** Returns the objects to delete. */
    static List<StoredObject> left(World world) {
        List<StoredObject> left = new ArrayList<>();
        for (String resource : SWEPT) {
            for (StoredObject each : world.list(Scope.resource(resource))) {
                if (!resource.equals(NamePools.NAMESPACES)
                        || !KEPT.contains(each.key().name())) {
                    left.add(each);
                }
            }
        }
        return left;
    }

    /** Deletes all objects and schedules the next round. */
    void round() {
        // Without a server the next round tries again.
        List<StoredObject> left = user.world().map(Sweep::left).orElseGet(() -> new ArrayList<>());
        Collections.shuffle(left, random);
        for (StoredObject each : left) {
            ObjectNode tree = each.toTree();
            if (!tree.path("metadata").hasNonNull("deletionTimestamp")) {
                user.send(SimRequest.delete("finally deletes " + ActionContext.describe(each), each.key()));
            }
            if (each.containsText(NamePools.OWN_FINALIZERS)) {
                EditActions.release(user, each.key());
            }
        }
        emptyRounds = left.isEmpty() && user.world().isPresent() ? emptyRounds + 1 : 0;
        if (emptyRounds < EMPTY_ROUNDS) {
            user.later(PAUSE, this::round);
        }
    }
}
