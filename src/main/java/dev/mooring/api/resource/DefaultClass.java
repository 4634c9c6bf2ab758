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
 * The class that claims without one get. Claims come in bunches and classes seldom change: what was found out last holds as long as the
 * classes are the very same objects, which takes no reading of any. Thread-safe.
 */
final class DefaultClass {
    private static final Scope CLASSES = Scope.resource(StorageNames.CLASSES);

    private volatile Known known = new Known(List.of(), Optional.empty());

    /** What follows from which classes. */
    private record Known(List<StoredObject> classes, Optional<String> name) {
        boolean holdsIn(World world) {
            Iterator<StoredObject> each = classes.iterator();
            for (StoredObject found : world.list(CLASSES)) {
                if (!each.hasNext() || !found.equals(each.next())) {
                    return false;
                }
            }
            return !each.hasNext();
        }
    }

    /** The name of the class; nothing if there is no default class. */
    Optional<String> in(World world) {
        Known last = known;
        if (!last.holdsIn(world)) {
            last = find(world);
            known = last;
        }
        return last.name();
    }

    private static Known find(World world) {
        List<StoredObject> classes = new ArrayList<>();
        world.list(CLASSES).forEach(classes::add);
        Optional<String> name = classes.stream()
                .map(StorageClass::of)
                .filter(StorageClass::isDefault)
                .min(StorageClass.DEFAULTS)
                .map(StorageClass::name);
        return new Known(List.copyOf(classes), name);
    }
}
