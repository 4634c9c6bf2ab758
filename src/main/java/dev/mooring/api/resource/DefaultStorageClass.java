package dev.mooring.api.resource;

import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * Finds the default storage class. Claims are created in bursts and classes rarely change, so the result is cached as
 * long as the classes are the same instances. Thread-safe.
 */
final class DefaultStorageClass {
    private static final Scope CLASSES = Scope.resource(StorageNames.CLASSES);

    private volatile CachedDefault cached = new CachedDefault(List.of(), Optional.empty());

    /** The default class of a list of classes. */
    private record CachedDefault(List<StoredObject> classes, Optional<String> name) {
        boolean isValidFor(World world) {
            Iterator<StoredObject> each = classes.iterator();
            for (StoredObject found : world.list(CLASSES)) {
                if (!each.hasNext() || !found.equals(each.next())) {
                    return false;
                }
            }
            return !each.hasNext();
        }
    }

    /** Returns the name of the default class; empty if there is none. */
    Optional<String> nameIn(World world) {
        CachedDefault last = cached;
        if (!last.isValidFor(world)) {
            last = find(world);
            cached = last;
        }
        return last.name();
    }

    private static CachedDefault find(World world) {
        List<StoredObject> classes = new ArrayList<>();
        world.list(CLASSES).forEach(classes::add);
        Optional<String> name = classes.stream()
                .map(StorageClass::of)
                .filter(StorageClass::isDefault)
                .min(StorageClass.DEFAULTS)
                .map(StorageClass::name);
        return new CachedDefault(List.copyOf(classes), name);
    }
}
