package dev.mooring.api.resource;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.testing.Samples;
import dev.mooring.world.World;
import java.time.Clock;
import org.junit.jupiter.api.Test;

class LeaseCacheTest {
    private World world = World.EMPTY;
    private final LeaseCache leaseCache = new LeaseCache(() -> world, Clock.systemUTC());

    @Test
    void leaseCache_cachedRenewal_isReturnedUntilLeaseIsWritten() {
        StoredObject stored = put("l");
        StoredObject renewal = leaseCache.cacheRenewal(stored, renewed(1)).orElseThrow();

        assertThat(leaseCache.withLatestRenewal(stored)).isSameAs(renewal);
        assertThat(leaseCache.withLatestRenewal(put("l"))).isNotSameAs(renewal);
    }

    @Test
    void leaseCache_fullOfDeletedLeases_evictsThemForNewRenewal() {
        for (int i = 0; i < LeaseCache.MAX_LEASES; i++) {
            StoredObject deleted = new StoredObject(key("deleted-" + i), 1, new byte[0]);
            assertThat(leaseCache.cacheRenewal(deleted, renewed(i))).isPresent();
        }

        assertThat(leaseCache.cacheRenewal(put("l"), renewed(1))).isPresent();
    }

    @Test
    void leaseCache_fullOfExistingLeases_acceptsRenewalsOfCachedLeasesOnly() {
        for (int i = 0; i < LeaseCache.MAX_LEASES; i++) {
            assertThat(leaseCache.cacheRenewal(put("l-" + i), renewed(i))).isPresent();
        }

        assertThat(leaseCache.cacheRenewal(put("one-more"), renewed(1))).isEmpty();
        assertThat(leaseCache.cacheRenewal(world.get(key("l-0")).orElseThrow(), renewed(2)))
                .isPresent();
    }

    private StoredObject put(String name) {
        world = world.after(Samples.put(world, key(name), ""));
        return world.get(key(name)).orElseThrow();
    }

    private static ObjectKey key(String name) {
        return ObjectKey.namespaced("leases.coordination.k8s.io", "default", name);
    }

    private static ObjectNode renewed(int time) {
        return JsonNodeFactory.instance.objectNode().put("renewTime", time);
    }
}
