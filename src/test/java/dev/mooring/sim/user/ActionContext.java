package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Volume;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Helpers for user actions: random numbers, manifests and random selection of objects. */
record ActionContext(SeededRandom random, SimManifests manifests, SimPodManifests pods) {
    static ActionContext of(SeededRandom random) {
        SimManifests manifests = new SimManifests(random);
        return new ActionContext(random, manifests, new SimPodManifests(random, manifests));
    }

    Optional<StoredObject> any(World world, String resource) {
        return any(world, Scope.resource(resource));
    }

    Optional<StoredObject> any(World world, Scope scope) {
        int count = world.count(scope);
        if (count == 0) {
            return Optional.empty();
        }
        int skip = random.below(count);
        for (StoredObject each : world.list(scope)) {
            if (skip-- == 0) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    /** Returns a random object of a kind that users create. */
    Optional<StoredObject> anything(World world) {
        return any(
                world,
                random.one(List.of(
                        NamePools.CLAIMS,
                        NamePools.CLAIMS,
                        NamePools.VOLUMES,
                        NamePools.VOLUMES,
                        NamePools.PODS,
                        NamePools.PODS,
                        NamePools.CLASSES)));
    }

    /** A bound claim and its volume. */
    record Pair(Claim claim, Volume volume) {}

    Optional<Pair> pair(World world) {
        List<Pair> pairs = new ArrayList<>();
        for (StoredObject each : world.list(Scope.resource(NamePools.CLAIMS))) {
            Claim claim = Claim.of(each);
            if (claim.phase().equals("Bound") && !claim.volumeName().isEmpty()) {
                world.get(Volume.key(claim.volumeName()))
                        .ifPresent(found -> pairs.add(new Pair(claim, Volume.of(found))));
            }
        }
        return pairs.isEmpty() ? Optional.empty() : Optional.of(random.one(pairs));
    }

    /** Describes an object, such as {@code Bound PV}. */
    static String describe(StoredObject object) {
        String kind = switch (object.key().resource()) {
            case NamePools.CLAIMS -> "PVC";
            case NamePools.VOLUMES -> "PV";
            case NamePools.PODS -> "Pod";
            case NamePools.CLASSES -> "StorageClass";
            case NamePools.NAMESPACES -> "Namespace";
            case NamePools.NODES -> "Node";
            default -> object.key().resource();
        };
        ObjectNode tree = object.toTree();
        String phase = tree.path("status").path("phase").asText("");
        String terminating = tree.path("metadata").has("deletionTimestamp") ? "terminating " : "";
        return terminating + (phase.isEmpty() ? "" : phase + " ") + kind;
    }

    static ObjectNode json() {
        return JsonNodeFactory.instance.objectNode();
    }
}
