package dev.mooring.world;

import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.pcollections.TreePSet;

/**
 * Declares an index of the World: which values each object of a scope is found by. {@link World#index} returns its
 * entries for any World, live or past.
 *
 * <p>The extractor is a pure function of the object. It must not fail for objects that are malformed; those have no
 * values. Declare an index once, as a constant: Worlds cache the entries by the identity of the declaration.
 *
 * @param <V> the values, in an order that is consistent with equals
 */
public final class Index<V extends Comparable<? super V>> implements Derivation<Index.Entries<V>> {
    private final String name;
    private final Scope scope;
    private final Function<StoredObject, List<V>> extractor;
    private final Entries<V> none;

    private Index(String name, Scope scope, Function<StoredObject, List<V>> extractor) {
        this.name = name;
        this.scope = scope;
        this.extractor = extractor;
        this.none = new Entries<V>(TreePSet.empty(Entry.<V>order()));
    }

    /**
     * Declares an index.
     *
     * @param name for messages
     * @param scope the indexed objects
     * @param extractor returns the values of an object; duplicates count once
     */
    public static <V extends Comparable<? super V>> Index<V> of(
            String name, Scope scope, Function<StoredObject, List<V>> extractor) {
        return new Index<>(name, scope, extractor);
    }

    @Override
    public Scope scope() {
        return scope;
    }

    /** Returns the values of an object, which need not be in a World. */
    public List<V> valuesOf(StoredObject object) {
        return extractor.apply(object);
    }

    /**
     * Returns the values that an object had before a change or has after it, sorted: a controller reconciles them when
     * it is notified of the change.
     */
    public SortedSet<V> affectedBy(Change change, Optional<StoredObject> before) {
        SortedSet<V> values = new TreeSet<>();
        before.ifPresent(object -> values.addAll(valuesOf(object)));
        // A removal carries the last state of the object.
        values.addAll(valuesOf(change.object()));
        return values;
    }

    @Override
    public Entries<V> derive(Optional<Entries<V>> from, Iterable<World.Difference> differences) {
        TreePSet<Entry<V>> entries = from.orElse(none).entries;
        for (World.Difference each : differences) {
            List<V> before = each.before().map(this::valuesOf).orElse(List.of());
            List<V> after = each.after().map(this::valuesOf).orElse(List.of());
            if (!before.equals(after)) {
                for (V value : before) {
                    entries = entries.minus(
                            new Entry<>(value, each.before().orElseThrow().key()));
                }
                for (V value : after) {
                    entries = entries.plus(
                            new Entry<>(value, each.after().orElseThrow().key()));
                }
            }
        }
        return new Entries<>(entries);
    }

    @Override
    public String toString() {
        return name;
    }

    /** A value of an object. */
    public record Entry<V extends Comparable<? super V>>(V value, ObjectKey key) {
        /** Orders entries by value and key; the bound of a range has no key and precedes all entries of its value. */
        static <V extends Comparable<? super V>> Comparator<Entry<V>> order() {
            return Comparator.comparing((Entry<V> each) -> each.value())
                    .thenComparing(Entry::key, Comparator.nullsFirst(Comparator.naturalOrder()));
        }
    }

    /** The entries of one World. Immutable; sorted by value, then by key. */
    public static final class Entries<V extends Comparable<? super V>> {
        private final TreePSet<Entry<V>> entries;

        private Entries(TreePSet<Entry<V>> entries) {
            this.entries = entries;
        }

        /** Returns the objects that have a value, by key. */
        public List<ObjectKey> keys(V value) {
            List<ObjectKey> found = new ArrayList<>();
            Iterator<Entry<V>> each = from(value).iterator();
            while (each.hasNext()) {
                Entry<V> entry = each.next();
                if (entry.value().compareTo(value) != 0) {
                    break;
                }
                found.add(entry.key());
            }
            return found;
        }

        /** Returns the entries at or after a value, in order. */
        public Stream<Entry<V>> from(V value) {
            return entries.tailSet(new Entry<>(value, null)).stream();
        }

        /** Returns the entries from one value to another, exclusive. */
        public Entries<V> range(V from, V to) {
            return new Entries<>(entries.subSet(new Entry<>(from, null), new Entry<>(to, null)));
        }

        /** Returns all entries, in order. */
        public Stream<Entry<V>> all() {
            return entries.stream();
        }

        public boolean isEmpty() {
            return entries.isEmpty();
        }

        public int size() {
            return entries.size();
        }
    }
}
