package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Volume;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What those who act have at hand: chance, manifests, and a way to find something in the World to act upon. */
record Acting(Chance chance, Manifests manifests, PodManifests pods) {
    static Acting of(Chance chance) {
        Manifests manifests = new Manifests(chance);
        return new Acting(chance, manifests, new PodManifests(chance, manifests));
    }

    Optional<StoredObject> any(World world, String resource) {
        return any(world, Scope.resource(resource));
    }

    Optional<StoredObject> any(World world, Scope scope) {
        int count = world.count(scope);
        if (count == 0) {
            return Optional.empty();
        }
        int skip = chance.below(count);
        for (StoredObject each : world.list(scope)) {
            if (skip-- == 0) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /** One of a user's making or one that was made for it, not of the system. */
    Optional<StoredObject> anything(World world) {
        return any(
                world,
                chance.one(List.of(
                        Pools.CLAIMS,
                        Pools.CLAIMS,
                        Pools.VOLUMES,
                        Pools.VOLUMES,
                        Pools.PODS,
                        Pools.PODS,
                        Pools.CLASSES)));
    }

    /** A claim that has a volume, and the volume. */
    record Pair(Claim claim, Volume volume) {}

    Optional<Pair> pair(World world) {
        List<Pair> pairs = new ArrayList<>();
        for (StoredObject each : world.list(Scope.resource(Pools.CLAIMS))) {
            Claim claim = Claim.of(each);
            if (claim.phase().equals("Bound") && !claim.volumeName().isEmpty()) {
                world.get(Volume.key(claim.volumeName()))
                        .ifPresent(found -> pairs.add(new Pair(claim, Volume.of(found))));
            }
        }
        return pairs.isEmpty() ? Optional.empty() : Optional.of(chance.one(pairs));
    }

    /** Something that is there, in words: {@code bound PV}. */
    static String describe(StoredObject object) {
        String kind = switch (object.key().resource()) {
            case Pools.CLAIMS -> "PVC";
            case Pools.VOLUMES -> "PV";
            case Pools.PODS -> "Pod";
            case Pools.CLASSES -> "StorageClass";
            case Pools.NAMESPACES -> "Namespace";
            case Pools.NODES -> "Node";
            default -> object.key().resource();
        };
        ObjectNode tree = StoredJson.tree(object);
        String phase = tree.path("status").path("phase").asText("");
        String terminating = tree.path("metadata").has("deletionTimestamp") ? "terminating " : "";
        return terminating + (phase.isEmpty() ? "" : phase + " ") + kind;
    }

    static ObjectNode json() {
        return JsonNodeFactory.instance.objectNode();
    }
}
