package dev.mooring.world;

import dev.mooring.log.Snapshot;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * All objects at one revision. Immutable; a commit creates another World that shares unchanged objects. Any thread may
 * read it without a lock, and all reads are consistent.
 */
public final class World {
    /** The World before the first event. */
    public static final World EMPTY = new World(0, 0, ObjectTree.EMPTY, 0, new IndexCache());

    private final long revision;
    private final long digest;
    private final ObjectTree objects;
    private final long replacedBytes;
    private final IndexCache indexes;

    /** Entries of the indexes and sums of the tallies that were used with this World. */
    private final Map<Derivation<?>, Object> derived = new ConcurrentHashMap<>();

    private World(long revision, long digest, ObjectTree objects, long replacedBytes, IndexCache indexes) {
        this.revision = revision;
        this.digest = digest;
        this.objects = objects;
        this.replacedBytes = replacedBytes;
        this.indexes = indexes;
    }

    public static World of(Snapshot snapshot) {
        long digest = 0;
        for (StoredObject object : snapshot.objects()) {
            digest += object.digest();
        }
        if (digest != snapshot.position().digest()) {
            throw new ReplayMismatchException(
                    snapshot.revision(),
                    "the digest of the snapshot",
                    snapshot.position().digest(),
                    digest);
        }
        ObjectTree objects = ObjectTree.ofSorted(snapshot.objects().iterator());
        return new World(snapshot.revision(), digest, objects, 0, new IndexCache());
    }

    public long revision() {
        return revision;
    }

    /** Returns a digest that depends only on the objects and their revisions. Each commit in the log contains it. */
    public long digest() {
        return digest;
    }

    public int size() {
        return objects.size();
    }

    /** Returns the memory of all objects, by {@link StoredObject#bytes}. */
    public long bytes() {
        return objects.bytes();
    }

    /**
     * Returns the cumulative memory of the objects that were replaced or removed since the process started. The
     * difference from an older World's value bounds the cost of holding on to that World.
     */
    public long replacedBytes() {
        return replacedBytes;
    }

    /** Returns the usage of a scope, without walking it. */
    public WorldUsage usage(Scope scope) {
        return objects.usage(scope);
    }

    public Optional<StoredObject> get(ObjectKey key) {
        return objects.get(key);
    }

    /** Returns the objects in a scope, by key. */
    public Iterable<StoredObject> list(Scope scope) {
        return () -> objects.range(scope.from(), scope.to());
    }

    /** Returns the objects in a scope after a key, in order: the next page of a list. */
    public Iterable<StoredObject> listAfter(Scope scope, ObjectKey last) {
        String behind = last.text() + '\0';
        return () -> objects.range(behind.compareTo(scope.from()) > 0 ? behind : scope.from(), scope.to());
    }

    public Stream<StoredObject> stream(Scope scope) {
        return StreamSupport.stream(list(scope).spliterator(), false);
    }

    /** Returns the number of objects in a scope, without walking them. */
    public int count(Scope scope) {
        return objects.rank(scope.to()) - objects.rank(scope.from());
    }

    /** Returns the number of objects in a scope after a key, without walking them. */
    public int countAfter(Scope scope, ObjectKey last) {
        return objects.rank(scope.to()) - objects.rank(last.text() + '\0');
    }

    /** An object that differs between two Worlds; empty where it does not exist. */
    public record Difference(Optional<StoredObject> before, Optional<StoredObject> after) {}

    /**
     * Returns the objects in a scope that differ from those of another World, by key. The cost is proportional to the
     * differences if one World was derived from the other, else to the number of objects.
     */
    public List<Difference> differencesFrom(World before, Scope scope) {
        return before.objects.differences(objects, scope);
    }

    /**
     * Returns the entries of an index, consistent with this World. They are derived from those of another World of the
     * same history; the first use of an index reads all objects of its scope.
     */
    public <V extends Comparable<? super V>> Index.Entries<V> index(Index<V> index) {
        return derived(index);
    }

    /** Returns the sums of a tally, consistent with this World, at a cost like that of {@link #index}. */
    public Tally.Sums tally(Tally tally) {
        return derived(tally);
    }

    @SuppressWarnings("unchecked") // a value has the type of its derivation
    private <T> T derived(Derivation<T> derivation) {
        T known = (T) derived.get(derivation);
        if (known == null) {
            known = indexes.valueIn(this, derivation);
            derived.put(derivation, known);
        }
        return known;
    }

    /** Returns the objects that have a value in an index, by key. */
    public <V extends Comparable<? super V>> List<StoredObject> find(Index<V> index, V value) {
        List<StoredObject> found = new ArrayList<>();
        for (ObjectKey key : index(index).keys(value)) {
            found.add(get(key).orElseThrow());
        }
        return found;
    }

    /** Returns this World, with indexes derived from those of another one of the same history. */
    World sharingIndexesOf(World other) {
        return new World(revision, digest, objects, replacedBytes, other.indexes);
    }

    ObjectTree objects() {
        return objects;
    }

    /** Returns the World after an event. */
    public World after(Event event) {
        Editor editor = edit();
        editor.apply(event);
        return editor.done();
    }

    public Editor edit() {
        return new Editor(this, objects.edit());
    }

    /** Returns an editor that can sum tallies. It keeps the objects that it replaces, so edits must be few. */
    Editor editWithTallies() {
        Editor editor = edit();
        editor.tallyBase = Optional.of(this);
        return editor;
    }

    /** Returns an editor for a long replay in which most objects change many times. */
    public Editor editMany() {
        return new Editor(this, new HashedEdits(objects));
    }

    /** Returns whether both Worlds hold the same objects, byte for byte. */
    @Override
    public boolean equals(Object other) {
        if (!(other instanceof World that)
                || revision != that.revision
                || digest != that.digest
                || size() != that.size()) {
            return false;
        }
        Iterator<StoredObject> ownObjects = list(Scope.all()).iterator();
        Iterator<StoredObject> otherObjects = that.list(Scope.all()).iterator();
        while (ownObjects.hasNext()) {
            if (!ownObjects.next().equals(otherObjects.next())) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(digest);
    }

    @Override
    public String toString() {
        return "World at revision " + revision + " with " + size() + " objects";
    }

    /** Applies events to a World. Not thread-safe; must not be used after {@link #done}. */
    public static final class Editor {
        private final ObjectEdits objects;
        private final IndexCache indexes;
        private long revision;
        private long digest;
        private long bytes;
        private int count;
        private long replacedBytes;

        /** The World before the edits, and the edits, if tallies are summed. */
        private Optional<World> tallyBase = Optional.empty();

        private final List<Difference> edits = new ArrayList<>();
        private final Map<Tally, Tally.Sums> tallies = new HashMap<>();

        @SuppressWarnings("ReferenceEquality") // only the constant itself belongs to no history
        private Editor(World world, ObjectEdits objects) {
            this.objects = objects;
            // The empty World is a constant and belongs to no history.
            this.indexes = world == EMPTY ? new IndexCache() : world.indexes;
            this.revision = world.revision;
            this.digest = world.digest;
            this.bytes = world.bytes();
            this.count = world.size();
            this.replacedBytes = world.replacedBytes;
        }

        public long revision() {
            return revision;
        }

        public long digest() {
            return digest;
        }

        /** Returns the current memory of all objects. */
        public long bytes() {
            return bytes;
        }

        /** Returns the current number of objects. */
        int objects() {
            return count;
        }

        WorldUsage usage(Scope scope) {
            return objects.usage(scope);
        }

        public Optional<StoredObject> get(ObjectKey key) {
            return objects.get(key);
        }

        /** Returns the current sums of a tally. */
        Tally.Sums tally(Tally tally) {
            return tallies.computeIfAbsent(
                    tally,
                    unused -> tally.derive(Optional.of(tallyBase.orElseThrow().tally(tally)), edits(tally.scope())));
        }

        /** Returns the keys of the objects that are now in a scope. */
        SortedSet<ObjectKey> keys(Scope scope) {
            SortedSet<ObjectKey> keys = new TreeSet<>();
            tallyBase.orElseThrow().list(scope).forEach(each -> keys.add(each.key()));
            edits(scope)
                    .forEach(each ->
                            keys.add(each.after().or(each::before).orElseThrow().key()));
            keys.removeIf(key -> get(key).isEmpty());
            return keys;
        }

        private List<Difference> edits(Scope scope) {
            return edits.stream()
                    .filter(each -> scope.contains(
                            each.after().or(each::before).orElseThrow().key()))
                    .toList();
        }

        private void recordEdit(Change change, StoredObject before) {
            Difference edit = new Difference(
                    Optional.ofNullable(before), change.isRemoval() ? Optional.empty() : Optional.of(change.object()));
            edits.add(edit);
            tallies.replaceAll((tally, sums) ->
                    tally.scope().contains(change.key()) ? tally.derive(Optional.of(sums), List.of(edit)) : sums);
        }

        /**
         * Applies an event: the only way to change a World. Each change names the revision of the object it replaced,
         * which is verified, so that a wrong replay fails at once.
         *
         * @return the objects that were replaced or removed, in the order of the changes; null where there was none
         */
        public StoredObject[] apply(Event event) {
            if (event.revision() != revision + 1) {
                throw new ReplayMismatchException(
                        event.revision(), "the event's revision", revision + 1, event.revision());
            }
            revision = event.revision();
            StoredObject[] before = new StoredObject[event.changes().size()];
            for (int i = 0; i < before.length; i++) {
                Change change = event.changes().get(i);
                before[i] = change.isRemoval() ? remove(change.key()) : put(change.object());
                long prior = before[i] == null ? 0 : before[i].revision();
                if (prior != change.prior()) {
                    throw new ReplayMismatchException(
                            revision, "the prior revision of " + change.key(), change.prior(), prior);
                }
                if (tallyBase.isPresent()) {
                    recordEdit(change, before[i]);
                }
            }
            return before;
        }

        /** Undoes an event with the objects that {@link #apply} returned. Events are undone newest first. */
        void undo(Event event, StoredObject[] before) {
            for (int i = 0; i < before.length; i++) {
                if (before[i] == null) {
                    remove(event.changes().get(i).key());
                } else {
                    put(before[i]);
                }
            }
            revision = event.revision() - 1;
        }

        private StoredObject put(StoredObject object) {
            StoredObject before = objects.put(object);
            digest += object.digest() - (before == null ? 0 : before.digest());
            bytes += object.bytes();
            count++;
            replaced(before);
            return before;
        }

        private StoredObject remove(ObjectKey key) {
            StoredObject before = objects.remove(key);
            digest -= before == null ? 0 : before.digest();
            replaced(before);
            return before;
        }

        private void replaced(StoredObject before) {
            if (before != null) {
                bytes -= before.bytes();
                replacedBytes += before.bytes();
                count--;
            }
        }

        public World done() {
            World world = new World(revision, digest, objects.done(), replacedBytes, indexes);
            indexes.dropStale(world);
            return world;
        }
    }

    /**
     * The newest known value of each derivation, shared by the Worlds of one history. The value of another World is
     * derived from it and the differences of the two Worlds, so the cost of an index is proportional to the changes
     * since it was last used. Thread-safe.
     */
    private static final class IndexCache {
        /**
         * Values hold on to their World. They are dropped when the objects that were replaced since use this much
         * memory, and built again on demand.
         */
        private static final long MAX_REPLACED_BYTES = 16 << 20;

        /** The value of a derivation in a World. */
        private record Known<T>(World world, T value) {}

        private static final class Slot<T> {
            /** Written under the lock, except that any thread may drop it. */
            private volatile Optional<Known<T>> newest = Optional.empty();

            /** Derives under a lock, so that concurrent readers do not build the same value. */
            synchronized T valueIn(World world, Derivation<T> derivation) {
                Optional<Known<T>> known = newest;
                ObjectTree base = known.map(each -> each.world().objects()).orElse(ObjectTree.EMPTY);
                T derived = derivation.derive(
                        known.map(Known::value), base.differences(world.objects(), derivation.scope()));
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

        private final Map<Derivation<?>, Slot<?>> slots = new ConcurrentHashMap<>();

        @SuppressWarnings("unchecked") // a slot has the type of its derivation
        <T> T valueIn(World world, Derivation<T> derivation) {
            return ((Slot<T>) slots.computeIfAbsent(derivation, unused -> new Slot<T>())).valueIn(world, derivation);
        }

        /** Drops values that hold on to too many objects which the current World no longer has. Never blocks. */
        void dropStale(World current) {
            slots.values().forEach(each -> each.dropIfStale(current));
        }
    }
}
