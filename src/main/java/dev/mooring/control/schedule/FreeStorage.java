package dev.mooring.control.schedule;

import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.World;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * How much can still be made on a node. A node says in an annotation how much is free; from that goes what claims ask for whose volumes are
 * being made there. One that says nothing is taken to have enough: making the volume will show. For one thread.
 */
final class FreeStorage {
    /** On a node, followed by the provisioner's name without the domain: how many bytes are free where it makes volumes. */
    static final String FREE_BYTES = "mooring.dev/free-bytes.";

    private final Map<String, Set<ObjectKey>> byNode = new HashMap<>();
    private final Map<ObjectKey, String> nodeOf = new HashMap<>();

    /** Takes in a change of a claim; whether one is no longer waited for, so that there may be more room. */
    boolean follow(Change change, Optional<Claim> claim) {
        String before = nodeOf.remove(change.key());
        if (before != null) {
            byNode.computeIfPresent(before, (name, claims) -> {
                claims.remove(change.key());
                return claims.isEmpty() ? null : claims;
            });
        }
        Optional<String> selected =
                claim.filter(each -> !PodClaims.isBound(each)).flatMap(Claim::selectedNode);
        selected.ifPresent(node -> {
            nodeOf.put(change.key(), node);
            byNode.computeIfAbsent(node, name -> new TreeSet<>()).add(change.key());
        });
        return before != null && selected.filter(before::equals).isEmpty();
    }

    /** What is left on a node for volumes of a class; nothing if nobody counts. */
    Optional<Quantity> left(World world, Node node, StorageClass storageClass, InFlight inFlight) {
        String provisioner = storageClass.provisioner();
        if (!storageClass.isOurs()
                || storageClass.parameters().getOrDefault("overcommit", "").equals("true")) {
            return Optional.empty();
        }
        Optional<Quantity> free = node.annotation(
                        FREE_BYTES + provisioner.substring(StorageNames.OUR_PROVISIONERS.length()))
                .flatMap(FreeStorage::parse);
        return free.map(bytes ->
                bytes.minus(asked(world, node.name(), provisioner)).minus(inFlight.asked(node.name(), provisioner)));
    }

    private Quantity asked(World world, String node, String provisioner) {
        Quantity sum = Quantity.ZERO;
        for (ObjectKey key : byNode.getOrDefault(node, Set.of())) {
            Optional<Claim> claim = world.get(key)
                    .map(Claim::of)
                    .filter(each -> !PodClaims.isBound(each)
                            && each.selectedNode().filter(node::equals).isPresent());
            boolean same = claim.flatMap(Claim::className)
                    .filter(name -> !name.isEmpty())
                    .flatMap(name -> world.get(StorageClass.key(name)))
                    .map(StorageClass::of)
                    .filter(found -> found.provisioner().equals(provisioner))
                    .isPresent();
            if (same) {
                sum = sum.plus(claim.get().request());
            }
        }
        return sum;
    }

    private static Optional<Quantity> parse(String text) {
        try {
            Quantity parsed = Quantity.parse(text);
            return Optional.of(Quantity.ofBytes(parsed.value()));
        } catch (Quantity.MalformedException e) {
            return Optional.empty();
        }
    }
}
