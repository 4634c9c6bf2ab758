package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Deletes everything, round by round, until nothing is left. */
final class Sweep {
    private static final Duration PAUSE = Duration.ofSeconds(10);

    /** What was being made when its claim was deleted may still come. */
    private static final int ENOUGH = 12;

    private static final Set<String> KEPT = Set.of("default", "kube-system", "kube-node-lease", "kube-public");
    private static final List<String> SWEPT = List.of(
            Pools.PODS, Pools.CLAIMS, Pools.VOLUMES, Pools.CLASSES, Pools.CONFIG_MAPS, Pools.SECRETS, Pools.NAMESPACES);

    private final Client user;
    private final Random random;
    private int emptyRounds;

    Sweep(Client user, Random random) {
        this.user = user;
        this.random = random;
    }

    /** What is to go. */
    static List<StoredObject> left(World world) {
        List<StoredObject> left = new ArrayList<>();
        for (String resource : SWEPT) {
            for (StoredObject each : world.list(Scope.resource(resource))) {
                if (!resource.equals(Pools.NAMESPACES)
                        || !KEPT.contains(each.key().name())) {
                    left.add(each);
                }
            }
        }
        return left;
    }

    /** Deletes what is there, and comes back after a while. */
    void round() {
        // Without a server one comes back later.
        List<StoredObject> left = user.world().map(Sweep::left).orElseGet(() -> new ArrayList<>());
        Collections.shuffle(left, random);
        for (StoredObject each : left) {
            ObjectNode tree = StoredJson.tree(each);
            if (!tree.path("metadata").hasNonNull("deletionTimestamp")) {
                user.send(Request.delete("deletes in the end " + Acting.describe(each), each.key()));
            }
            if (StoredJson.mentions(each, Pools.OWN_FINALIZERS)) {
                Editing.release(user, each.key());
            }
        }
        emptyRounds = left.isEmpty() && user.world().isPresent() ? emptyRounds + 1 : 0;
        if (emptyRounds < ENOUGH) {
            user.later(PAUSE, this::round);
        }
    }
}
