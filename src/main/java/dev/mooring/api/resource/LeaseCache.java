package dev.mooring.api.resource;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

/**
 * Keeps renewals of Leases in memory instead of the event log. A write that only changes the renewal time creates no
 * revision; readers get the newest time, and a change of the holder creates an event. After a restart the last
 * committed time applies until the holder renews. Thread-safe.
 */
public final class LeaseCache {
    private static final String LEASES = "leases.coordination.k8s.io";

    /** Maximum number of cached Leases; beyond it renewals are committed like other writes. */
    static final int MAX_LEASES = 10_000;

    /** Kubernetes' MicroTime always has six digits. */
    private static final DateTimeFormatter MICRO_TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private final Supplier<World> world;
    private final Clock clock;
    private final ConcurrentMap<ObjectKey, StoredObject> renewals = new ConcurrentHashMap<>();
    private final ConcurrentMap<ObjectKey, Instant> renewalTimes = new ConcurrentHashMap<>();

    /**
     * @param world supplies the newest World
     * @param clock time at which renewals arrive
     */
    public LeaseCache(Supplier<World> world, Clock clock) {
        this.world = world;
        this.clock = clock;
    }

    /** Returns when a Lease was last renewed, by this server's clock; empty if it was not since the server started. */
    public Optional<Instant> lastRenewal(ObjectKey lease) {
        return Optional.ofNullable(renewalTimes.get(lease));
    }

    /** Renews a Lease that this process holds; no-op if it was deleted. */
    public void renew(ObjectKey lease, Instant now) {
        world.get().get(lease).ifPresent(stored -> {
            ObjectNode next = ObjectJson.tree(withLatestRenewal(stored));
            next.withObject("/spec").put("renewTime", MICRO_TIME.format(now));
            cacheRenewal(stored, next);
        });
    }

    /** Returns the object with the newest renewal since it was written. */
    public StoredObject withLatestRenewal(StoredObject stored) {
        if (renewals.isEmpty()) {
            return stored;
        }
        StoredObject renewal = renewals.get(stored.key());
        return renewal != null && renewal.revision() == stored.revision() ? renewal : stored;
    }

    /** Returns the objects with their newest renewals; the same list if there are none. */
    public List<StoredObject> withLatestRenewal(List<StoredObject> stored) {
        return renewals.isEmpty()
                ? stored
                : stored.stream().map(this::withLatestRenewal).toList();
    }

    /** Returns whether a write only changes the renewal time. */
    boolean isRenewalOnly(KindDefinition kind, ObjectNode before, ObjectNode next) {
        return kind.resource().equals(LEASES) && withoutTime(before).equals(withoutTime(next));
    }

    /**
     * Caches a renewal. If the cache is full, entries of deleted or changed Leases are evicted.
     *
     * @return empty if the cache is still full, and the renewal must be committed
     */
    Optional<StoredObject> cacheRenewal(StoredObject seen, ObjectNode next) {
        renewalTimes.put(seen.key(), clock.instant());
        if (renewals.size() >= MAX_LEASES && !renewals.containsKey(seen.key())) {
            forgetOthersThan(world.get());
            if (renewals.size() >= MAX_LEASES) {
                return Optional.empty();
            }
        }
        StoredObject renewal = new StoredObject(seen.key(), seen.revision(), ObjectJson.bytes(next));
        renewals.put(seen.key(), renewal);
        return Optional.of(renewal);
    }

    private void forgetOthersThan(World now) {
        renewalTimes.keySet().removeIf(lease -> now.get(lease).isEmpty());
        renewals.values()
                .removeIf(renewal -> now.get(renewal.key())
                        .map(stored -> stored.revision() != renewal.revision())
                        .orElse(true));
    }

    private static ObjectNode withoutTime(ObjectNode lease) {
        ObjectNode rest = lease.deepCopy();
        rest.withObject("/spec").remove("renewTime");
        rest.withObject("/metadata").remove("managedFields");
        return rest;
    }
}
