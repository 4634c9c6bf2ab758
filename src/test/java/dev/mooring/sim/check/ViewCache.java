package dev.mooring.sim.check;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.View;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Cache of views of objects: most objects are read many times without a change. For one thread. */
final class ViewCache {
    static final String PODS = "pods";

    private final Map<ObjectKey, View> views = new HashMap<>();

    View of(StoredObject object) {
        View view = views.get(object.key());
        if (view == null || !view.stored().equals(object)) {
            view = read(object);
            views.put(object.key(), view);
        }
        return view;
    }

    void forget(ObjectKey key) {
        views.remove(key);
    }

    Optional<View> get(World world, ObjectKey key) {
        return world.get(key).map(this::of);
    }

    <T extends View> Optional<T> get(World world, ObjectKey key, Class<T> type) {
        return get(world, key).map(type::cast);
    }

    /** Returns the volume of a name that users may have written; invalid names match none. */
    Optional<Volume> volume(World world, String name) {
        boolean isName =
                !name.isEmpty() && name.indexOf('/') < 0 && name.chars().noneMatch(c -> c <= ' ');
        return isName ? get(world, Volume.key(name), Volume.class) : Optional.empty();
    }

    <T extends View> List<T> list(World world, Scope scope, Class<T> type) {
        List<T> list = new ArrayList<>();
        for (StoredObject each : world.list(scope)) {
            list.add(type.cast(of(each)));
        }
        return list;
    }

    /** Reads the object; kinds without a view of their own are read as a Node, which has the common fields. */
    private static View read(StoredObject object) {
        return switch (object.key().resource()) {
            case StorageNames.CLAIMS -> Claim.of(object);
            case StorageNames.VOLUMES -> Volume.of(object);
            case PODS -> Pod.of(object);
            case StorageNames.ACTUAL_VOLUMES -> ActualVolume.of(object);
            case StorageNames.DESIRED_VOLUMES -> DesiredVolume.of(object);
            case StorageNames.OPERATIONS -> VolumeOperation.of(object);
            default -> Node.of(object);
        };
    }
}
