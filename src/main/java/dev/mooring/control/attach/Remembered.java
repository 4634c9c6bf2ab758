package dev.mooring.control.attach;

import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * What matters of the objects of one resource, and how to find them by it. What it hands out is always as of the World it is asked
 * with: an object that has changed since it was told is read anew. Only one that is entirely new may be missing. For one thread.
 *
 * @param <T> what matters; equal if nothing that matters has changed
 */
final class Remembered<T> {
    private record Seen<T>(long revision, T what) {}

    private final Function<StoredObject, Optional<T>> reading;
    private final Function<T, List<?>> values;
    private final Map<ObjectKey, Seen<T>> seen = new HashMap<>();
    private final Map<Object, Set<ObjectKey>> found = new HashMap<>();

    /**
     * @param reading nothing if the object does not matter at all
     * @param values what it is found by
     */
    Remembered(Function<StoredObject, Optional<T>> reading, Function<T, List<?>> values) {
        this.reading = reading;
        this.values = values;
    }

    /** What was known before and what is now, each nothing if the object did not matter. */
    record Update<T>(Optional<T> before, Optional<T> after) {
        boolean isNews() {
            return !before.equals(after);
        }
    }

    Update<T> follow(Change change) {
        ObjectKey key = change.key();
        Optional<T> before = Optional.ofNullable(seen.remove(key)).map(Seen::what);
        Optional<T> after = change.isRemoval() ? Optional.empty() : reading.apply(change.object());
        after.ifPresent(what -> seen.put(key, new Seen<>(change.object().revision(), what)));
        if (!before.equals(after)) {
            before.ifPresent(what -> values.apply(what).forEach(value -> forget(value, key)));
            after.ifPresent(what -> values.apply(what).forEach(value -> remember(value, key)));
        }
        return new Update<>(before, after);
    }

    private void remember(Object value, ObjectKey key) {
        found.computeIfAbsent(value, unused -> new LinkedHashSet<>()).add(key);
    }

    private void forget(Object value, ObjectKey key) {
        Set<ObjectKey> keys = found.get(value);
        if (keys != null && keys.remove(key) && keys.isEmpty()) {
            found.remove(value);
        }
    }

    /** The objects that were last told to have a value. They may have changed or gone: {@link #get} knows. */
    Set<ObjectKey> keys(Object value) {
        return found.getOrDefault(value, Set.of());
    }

    Optional<T> get(World world, ObjectKey key) {
        Optional<StoredObject> stored = world.get(key);
        if (stored.isEmpty()) {
            return Optional.empty();
        }
        Seen<T> known = seen.get(key);
        return known != null && known.revision() == stored.get().revision()
                ? Optional.of(known.what())
                : reading.apply(stored.get());
    }
}
