package dev.mooring.world;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Outcome.Reason;
import dev.mooring.world.Outcome.Refused;
import dev.mooring.world.Proposal.Allowance;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Size limits of the World and each namespace. The ledger's thread checks every proposal that makes the World larger,
 * on the World it decides on, so that concurrent proposals cannot exceed a limit together. A proposal that makes the
 * World smaller is always accepted.
 *
 * @param userBytes limit of all objects for proposals of users
 * @param bytes limit of all objects for proposals of controllers and nodes
 */
public record WorldLimits(long userBytes, long bytes, NamespaceQuota quota) {
    public static final WorldLimits NONE = new WorldLimits(
            Long.MAX_VALUE,
            Long.MAX_VALUE,
            new NamespaceQuota(Integer.MAX_VALUE, Long.MAX_VALUE, List.of(), Set.of(), Map.of()));

    /** Fraction of {@link #userBytes} from which on {@link #isNearlyFull} is true. */
    private static final double NEARLY = 0.9;

    /**
     * The quota of one namespace.
     *
     * @param resources resources that count; Events and Leases, which controllers and nodes write, do not
     * @param exempt namespaces without a quota
     * @param published objects that the server publishes in a namespace, name by resource; they do not count, up to a
     *     size
     */
    public record NamespaceQuota(
            int objects, long bytes, List<String> resources, Set<String> exempt, Map<String, String> published) {
        /** Size up to which a published object does not count: more than a certificate needs. */
        private static final long PUBLISHED_BYTES = 8 << 10;

        public NamespaceQuota {
            resources = List.copyOf(resources);
            exempt = Set.copyOf(exempt);
            published = Map.copyOf(published);
        }

        /** Returns the usage of a namespace that counts. */
        WorldUsage used(World.Editor world, String namespace) {
            WorldUsage used = WorldUsage.NONE;
            for (String resource : resources) {
                used = used.plus(world.usage(Scope.namespace(resource, namespace)));
            }
            for (Map.Entry<String, String> each : published.entrySet()) {
                ObjectKey key = ObjectKey.namespaced(each.getKey(), namespace, each.getValue());
                used = used.minus(world.get(key)
                        .map(found -> new WorldUsage(1, Math.min(found.bytes(), PUBLISHED_BYTES)))
                        .orElse(WorldUsage.NONE));
            }
            return used;
        }

        private Optional<Refused> refusal(World.Editor world, ObjectKey key, WorldUsage requested) {
            Optional<String> namespace = key.namespace();
            boolean cannotExceed = world.objects() < objects && world.bytes() + requested.bytes() <= bytes;
            if (cannotExceed
                    || namespace.isEmpty()
                    || exempt.contains(namespace.get())
                    || !resources.contains(key.resource())) {
                return Optional.empty();
            }
            WorldUsage used = used(world, namespace.get());
            if (requested.objects() > 0 && used.objects() + requested.objects() > objects) {
                return Optional.of(exceeded("objects", "Objects", requested.objects(), used.objects(), objects));
            }
            if (requested.bytes() > 0 && used.bytes() + requested.bytes() > bytes) {
                return Optional.of(exceeded("bytes", "Bytes", requested.bytes(), used.bytes(), bytes));
            }
            return Optional.empty();
        }

        /** Returns the refusal in Kubernetes' wording, with the setting as the name of the quota. */
        private static Refused exceeded(String unit, String setting, long requested, long used, long limit) {
            return new Refused(
                    Reason.QUOTA,
                    "exceeded quota: quota.namespace" + setting + ", requested: " + unit + "=" + requested + ", used: "
                            + unit + "=" + used + ", limited: " + unit + "=" + limit);
        }
    }

    /** Returns whether users' writes are refused, or soon will be. */
    public boolean isNearlyFull(World world) {
        return world.bytes() > NEARLY * userBytes;
    }

    /**
     * Returns why a proposal is refused; empty if it is not.
     *
     * @param before the objects it replaces or removes, in the order of {@code after}; null where there is none
     * @param after the resulting objects; null where it removes one
     */
    Optional<Refused> refusal(Proposal proposal, World.Editor world, StoredObject[] before, StoredObject[] after) {
        if (proposal.allowance() == Allowance.DELETION) {
            return Optional.empty();
        }
        long growth = 0;
        for (int i = 0; i < before.length; i++) {
            growth += bytes(after[i]) - bytes(before[i]);
        }
        if (growth <= 0) {
            return Optional.empty();
        }
        boolean isUser = proposal.allowance() == Allowance.USER;
        for (int i = 0; isUser && i < before.length; i++) {
            if (after[i] != null) {
                WorldUsage requested = new WorldUsage(before[i] == null ? 1 : 0, bytes(after[i]) - bytes(before[i]));
                Optional<Refused> refusal = quota.refusal(world, after[i].key(), requested);
                if (refusal.isPresent()) {
                    return refusal;
                }
            }
        }
        long limit = isUser ? userBytes : bytes;
        return world.bytes() + growth <= limit ? Optional.empty() : Optional.of(full(growth, world.bytes(), limit));
    }

    private static Refused full(long requested, long used, long limit) {
        return new Refused(
                Reason.FULL,
                "the server's memory for objects is full: requested: bytes=" + requested + ", used: bytes=" + used
                        + ", limited: bytes=" + limit
                        + "; delete objects, or start the server with a larger heap (-Xmx)");
    }

    private static long bytes(StoredObject object) {
        return object == null ? 0 : object.bytes();
    }
}
