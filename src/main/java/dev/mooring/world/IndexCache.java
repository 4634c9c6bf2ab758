package dev.mooring.world;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The newest known entries of each index, shared by the Worlds of one history. The entries of another World are derived
 * from them and the differences of the two Worlds, so the cost of an index is proportional to the changes since it was
 * last used. Thread-safe.
 */
final class IndexCache {
    /**
     * Entries hold on to their World. They are dropped when the objects that were replaced since use this much memory,
     * and built again on demand.
     */
    private static final long MAX_REPLACED_BYTES = 16 << 20;

    /** The entries of an index in a World. */
    private record Known<V extends Comparable<? super V>>(World world, Index.Entries<V> entries) {}

    private static final class Slot<V extends Comparable<? super V>> {
        /** Written under the lock, except that any thread may drop it. */
        private volatile Optional<Known<V>> newest = Optional.empty();

        /** Derives under a lock, so that concurrent readers do not build the same entries. */
        synchronized Index.Entries<V> entriesOf(World world, Index<V> index) {
            Optional<Known<V>> known = newest;
            ObjectTree base = known.map(each -> each.world().objects()).orElse(ObjectTree.EMPTY);
            Index.Entries<V> derived =
                    index.derive(known.map(Known::entries), base.differences(world.objects(), index.scope()));
            if (known.filter(each -> each.world().revision() >= world.revision())
                    .isEmpty()) {
                newest = Optional.of(new Known<>(world, derived));
            }
            return derived;
        }

        void dropIfStale(World current) {
            newest.filter(each -> current.replacedBytes() - each.world().replacedBytes() > MAX_REPLACED_BYTES)
                    .ifPresent(unused -> newest = Optional.empty());
        }
    }

    private final Map<Index<?>, Slot<?>> slots = new ConcurrentHashMap<>();

    @SuppressWarnings("unchecked") // a slot has the type of its index
    <V extends Comparable<? super V>> Index.Entries<V> entriesOf(World world, Index<V> index) {
        return ((Slot<V>) slots.computeIfAbsent(index, unused -> new Slot<V>())).entriesOf(world, index);
    }

    /** Drops entries that hold on to too many objects which the current World no longer has. Never blocks. */
    void dropStale(World current) {
        slots.values().forEach(each -> each.dropIfStale(current));
    }
}
