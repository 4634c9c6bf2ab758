package dev.mooring.api.resource;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.kind.Kind;
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
 * Renewals of Leases: kept in memory, not in history. A write that changes nothing but the time of renewal raises no revision; readers
 * get the newest time, and whoever takes a Lease over makes an event. After a restart the last committed time stands, until the
 * holder renews. Thread-safe.
 */
public final class Heartbeats {
    private static final String LEASES = "leases.coordination.k8s.io";

    /** Leases that may beat at once; beyond it renewals are committed like everything else. */
    static final int MAX_LEASES = 10_000;

    /** Kubernetes' MicroTime always has six digits. */
    private static final DateTimeFormatter MICRO_TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private final Supplier<World> world;
    private final Clock clock;
    private final ConcurrentMap<ObjectKey, StoredObject> beats = new ConcurrentHashMap<>();
    private final ConcurrentMap<ObjectKey, Instant> arrivals = new ConcurrentHashMap<>();

    /**
     * @param world the newest
     * @param clock tells when a beat arrived
     */
    public Heartbeats(Supplier<World> world, Clock clock) {
        this.world = world;
        this.clock = clock;
    }

    /** When a Lease was last renewed, by this server's clock; nothing if it was not since the server was started. */
    public Optional<Instant> last(ObjectKey lease) {
        return Optional.ofNullable(arrivals.get(lease));
    }

    /** Renews a Lease of somebody in this process; one that is gone stays so. */
    public void renew(ObjectKey lease, Instant now) {
        world.get().get(lease).ifPresent(stored -> {
            ObjectNode next = Json.tree(newest(stored));
            next.withObject("/spec").put("renewTime", MICRO_TIME.format(now));
            beat(stored, next);
        });
    }

    /** The object as of the newest beat since it was written. */
    public StoredObject newest(StoredObject stored) {
        if (beats.isEmpty()) {
            return stored;
        }
        StoredObject beat = beats.get(stored.key());
        return beat != null && beat.revision() == stored.revision() ? beat : stored;
    }

    /** The same for a list, which stays as it is while nothing beats. */
    public List<StoredObject> newest(List<StoredObject> stored) {
        return beats.isEmpty() ? stored : stored.stream().map(this::newest).toList();
    }

    /** Whether a write changes nothing but the time of renewal. */
    boolean isMereBeat(Kind kind, ObjectNode before, ObjectNode next) {
        return kind.resource().equals(LEASES) && withoutTime(before).equals(withoutTime(next));
    }

    /**
     * Remembers a beat. When there is no more room, those of Leases that are gone or have changed are forgotten.
     *
     * @return nothing if there is no room even then, and the renewal has to be committed
     */
    Optional<StoredObject> beat(StoredObject seen, ObjectNode next) {
        arrivals.put(seen.key(), clock.instant());
        if (beats.size() >= MAX_LEASES && !beats.containsKey(seen.key())) {
            forgetOthersThan(world.get());
            if (beats.size() >= MAX_LEASES) {
                return Optional.empty();
            }
        }
        StoredObject beat = new StoredObject(seen.key(), seen.revision(), Json.bytes(next));
        beats.put(seen.key(), beat);
        return Optional.of(beat);
    }

    private void forgetOthersThan(World now) {
        arrivals.keySet().removeIf(lease -> now.get(lease).isEmpty());
        beats.values()
                .removeIf(beat -> now.get(beat.key())
                        .map(stored -> stored.revision() != beat.revision())
                        .orElse(true));
    }

    private static ObjectNode withoutTime(ObjectNode lease) {
        ObjectNode rest = lease.deepCopy();
        rest.withObject("/spec").remove("renewTime");
        rest.withObject("/metadata").remove("managedFields");
        return rest;
    }
}
