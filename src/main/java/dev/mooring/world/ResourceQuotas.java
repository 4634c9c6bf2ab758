package dev.mooring.world;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ResourceQuota;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.Outcome.Reason;
import dev.mooring.world.Outcome.Refused;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Enforces the ResourceQuotas of namespaces. The ledger's thread checks every proposal on the World it decides on, so
 * concurrent proposals cannot exceed a quota together. Only growth is refused: a namespace above its limits can shrink
 * and change. Pure.
 */
public final class ResourceQuotas {
    private static final Tally PODS = Tally.of(Scope.resource("pods"), ResourceQuota::usedByPod);
    private static final Tally CLAIMS = Tally.of(Scope.resource(StorageNames.CLAIMS), ResourceQuota::usedByClaim);

    private ResourceQuotas() {}

    /** Returns what a namespace uses of each limit of a quota; limits that cannot be measured are left out. */
    public static NavigableMap<String, Quantity> used(World world, ResourceQuota quota, String namespace) {
        NavigableMap<String, Quantity> used = new TreeMap<>();
        for (String name : quota.hard().keySet()) {
            used(name, namespace, world::usage, world::tally).ifPresent(amount -> used.put(name, amount));
        }
        return used;
    }

    /** Returns why a World would refuse a new or changed object; empty if it would not. */
    public static Optional<String> refusal(World world, Optional<StoredObject> before, StoredObject after) {
        return refusal(world.editWithTallies(), new StoredObject[] {before.orElse(null)}, new StoredObject[] {after})
                .map(Refused::message);
    }

    /**
     * Returns why a proposal is refused; empty if it is not.
     *
     * @param before the objects it replaces or removes, in the order of {@code after}; null where there is none
     * @param after the resulting objects; null where it removes one
     */
    static Optional<Refused> refusal(World.Editor world, StoredObject[] before, StoredObject[] after) {
        Map<String, Map<String, Quantity>> changes = new HashMap<>();
        for (int i = 0; i < after.length; i++) {
            StoredObject object = after[i] == null ? before[i] : after[i];
            if (object.key().namespace().isEmpty()) {
                continue;
            }
            String namespace = object.key().namespace().get();
            Scope quotas = Scope.namespace(ResourceQuota.RESOURCE, namespace);
            if (world.usage(quotas).objects() > 0) {
                Map<String, Quantity> change = Tally.change(usedBy(before[i]), usedBy(after[i]));
                changes.computeIfAbsent(namespace, unused -> new HashMap<>());
                change.forEach((name, amount) -> changes.get(namespace).merge(name, amount, Quantity::plus));
                Optional<Refused> missing = before[i] == null ? unspecified(world, quotas, after[i]) : Optional.empty();
                if (missing.isPresent()) {
                    return missing;
                }
            }
        }
        return changes.entrySet().stream()
                .filter(each -> each.getValue().values().stream().anyMatch(amount -> amount.signum() > 0))
                .flatMap(each -> exceeded(world, each.getKey(), each.getValue()).stream())
                .findFirst();
    }

    private static Map<String, Quantity> usedBy(StoredObject object) {
        return object == null ? Map.of() : ResourceQuota.usedBy(object);
    }

    private static Optional<Refused> unspecified(World.Editor world, Scope quotas, StoredObject created) {
        if (!created.key().resource().equals("pods")) {
            return Optional.empty();
        }
        for (ObjectKey key : world.keys(quotas)) {
            Optional<String> missing =
                    ResourceQuota.of(world.get(key).orElseThrow()).missingFrom(created);
            if (missing.isPresent()) {
                return Optional.of(new Refused(Reason.QUOTA, "failed quota: " + key.name() + ": " + missing.get()));
            }
        }
        return Optional.empty();
    }

    private static Optional<Refused> exceeded(World.Editor world, String namespace, Map<String, Quantity> change) {
        for (ObjectKey key : world.keys(Scope.namespace(ResourceQuota.RESOURCE, namespace))) {
            NavigableMap<String, Quantity> hard =
                    ResourceQuota.of(world.get(key).orElseThrow()).hard();
            NavigableMap<String, Quantity> used = new TreeMap<>();
            for (Map.Entry<String, Quantity> limit : hard.entrySet()) {
                Quantity requested = change.getOrDefault(limit.getKey(), Quantity.ZERO);
                if (requested.signum() > 0) {
                    used(limit.getKey(), namespace, world::usage, world::tally)
                            .filter(amount -> amount.plus(requested).compareTo(limit.getValue()) > 0)
                            .ifPresent(amount -> used.put(limit.getKey(), amount));
                }
            }
            if (!used.isEmpty()) {
                return Optional.of(new Refused(
                        Reason.QUOTA,
                        "exceeded quota: " + key.name() + ", requested: " + text(used, change::get) + ", used: "
                                + text(used, used::get) + ", limited: " + text(used, hard::get)));
            }
        }
        return Optional.empty();
    }

    private static String text(NavigableMap<String, ?> names, Function<String, Quantity> amount) {
        return names.keySet().stream()
                .map(name -> name + '=' + amount.apply(name).canonical())
                .collect(Collectors.joining(","));
    }

    private static Optional<Quantity> used(
            String name, String namespace, Function<Scope, WorldUsage> usage, Function<Tally, Tally.Sums> sums) {
        if (ResourceQuota.isOfPods(name)) {
            return Optional.of(sums.apply(PODS).get(namespace, name));
        }
        if (ResourceQuota.isOfClaims(name)) {
            return Optional.of(sums.apply(CLAIMS).get(namespace, name));
        }
        return ResourceQuota.countedResource(name)
                .map(resource -> Quantity.parse(Long.toString(
                        usage.apply(Scope.namespace(resource, namespace)).objects())));
    }
}
