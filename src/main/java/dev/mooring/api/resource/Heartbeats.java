package dev.mooring.api.resource;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.kind.Kind;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Renewals of Leases: kept in memory, not in history. A write that changes nothing but the time of renewal raises no revision; readers
 * get the newest time, and whoever takes a Lease over makes an event. After a restart the last committed time stands, until the
 * holder renews. Thread-safe.
 */
public final class Heartbeats {
    private static final String LEASES = "leases.coordination.k8s.io";

    /** Leases that may beat at once; beyond it renewals are committed like everything else. */
    private static final int MAX_LEASES = 10_000;

    private final ConcurrentMap<ObjectKey, StoredObject> beats = new ConcurrentHashMap<>();

    /** The object as of the newest beat since it was written. */
    public StoredObject newest(StoredObject stored) {
        if (beats.isEmpty()) {
            return stored;
        }
        StoredObject beat = beats.get(stored.key());
        return beat != null && beat.revision() == stored.revision() ? beat : stored;
    }

    boolean isMereBeat(Kind kind, ObjectNode before, ObjectNode next) {
        return kind.resource().equals(LEASES)
                && beats.size() < MAX_LEASES
                && withoutTime(before).equals(withoutTime(next));
    }

    /** Remembers a beat, and forgets those of Leases that are gone or have changed. */
    StoredObject beat(StoredObject seen, ObjectNode next) {
        StoredObject beat = new StoredObject(seen.key(), seen.revision(), Json.bytes(next));
        beats.put(seen.key(), beat);
        return beat;
    }

    /** Drops what no longer belongs to an object of this World. */
    public void forgetOthersThan(World world) {
        beats.values()
                .removeIf(beat -> world.get(beat.key())
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
