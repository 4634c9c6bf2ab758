package dev.mooring.control.protect;

import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Which objects of one resource point to an object, kept from the changes that were told. What it answers is true of the World it is
 * asked about, even if that is newer: what it knows is looked up there, and what it has not been told yet has a higher revision than
 * anything it has.
 *
 * <p>For one thread.
 */
public final class References {
    private final Function<StoredObject, List<ObjectKey>> targets;
    private final Map<ObjectKey, Set<ObjectKey>> sources = new HashMap<>();
    private final Map<ObjectKey, List<ObjectKey>> known = new HashMap<>();
    private long revision;

    /** @param targets what an object points to; pure */
    public References(Function<StoredObject, List<ObjectKey>> targets) {
        this.targets = targets;
    }

    /**
     * Takes a change. All changes of the resource have to be told, in their order.
     *
     * @return what the object pointed to before, or does now
     */
    public Set<ObjectKey> follow(Change change) {
        revision = Math.max(revision, change.object().revision());
        List<ObjectKey> after = change.isRemoval() ? List.of() : targets.apply(change.object());
        List<ObjectKey> before = after.isEmpty() ? known.remove(change.key()) : known.put(change.key(), after);
        Set<ObjectKey> touched = new LinkedHashSet<>(after);
        if (before != null) {
            before.forEach(target -> remove(target, change.key()));
            touched.addAll(before);
        }
        after.forEach(target ->
                sources.computeIfAbsent(target, unused -> new LinkedHashSet<>()).add(change.key()));
        return touched;
    }

    private void remove(ObjectKey target, ObjectKey source) {
        Set<ObjectKey> keys = sources.get(target);
        if (keys != null && keys.remove(source) && keys.isEmpty()) {
            sources.remove(target);
        }
    }

    /** What points to an object, as far as was told. */
    public Collection<ObjectKey> told(ObjectKey target) {
        return Optional.ofNullable(sources.get(target)).orElse(Set.of());
    }

    /** Everything that points to anything, as far as was told. */
    public Set<ObjectKey> told() {
        return known.keySet();
    }

    /**
     * What points to an object in a World, by key. Walks over the scope, but looks only into what is new to it.
     *
     * @param within where to look for what has not been told yet
     */
    public Collection<StoredObject> in(World world, Scope within, ObjectKey target) {
        TreeMap<ObjectKey, StoredObject> found = new TreeMap<>();
        List<StoredObject> candidates = new ArrayList<>();
        told(target).forEach(key -> world.get(key).ifPresent(candidates::add));
        for (StoredObject each : world.list(within)) {
            if (each.revision() > revision) {
                candidates.add(each);
            }
        }
        for (StoredObject each : candidates) {
            if (targets.apply(each).contains(target)) {
                found.put(each.key(), each);
            }
        }
        return found.values();
    }
}
