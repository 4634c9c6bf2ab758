package dev.mooring.control.persistentvolume;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.NodeSelector;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.World;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Finds the objects that claims name. Accepts any text, including invalid names. Pure; thread-safe. */
final class Lookup {
    private Lookup() {}

    static Optional<Volume> volume(World world, String name) {
        return volumeKey(name).flatMap(world::get).map(Volume::of);
    }

    /**
     * Returns whether the volume's data is being deleted or scrubbed, so that it must not be bound, whatever its phase.
     */
    static boolean isBeingEmptied(World world, Volume volume) {
        return Stream.of("delete-", "scrub-", "wipe-")
                .anyMatch(work ->
                        world.get(VolumeOperation.key(work + volume.uid())).isPresent());
    }

    /** Returns the key of a volume; empty if the name is not valid. */
    static Optional<ObjectKey> volumeKey(String name) {
        try {
            return name.isEmpty() || name.indexOf('/') >= 0 ? Optional.empty() : Optional.of(Volume.key(name));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    static Optional<StorageClass> storageClass(World world, String name) {
        return name.isEmpty()
                ? Optional.empty()
                : emptyIfInvalidName(() -> world.get(StorageClass.key(name))).map(StorageClass::of);
    }

    /** Returns whether any existing node matches the affinity. */
    static boolean isReachable(World world, NodeSelector affinity) {
        return affinity.isAny()
                || world.stream(Scope.resource("nodes")).map(Node::of).anyMatch(affinity::matches);
    }

    /** Returns the default StorageClass. */
    static Optional<StorageClass> defaultClass(World world) {
        return world.stream(Scope.resource(StorageNames.CLASSES))
                .filter(each -> each.containsText("is-default-class"))
                .map(StorageClass::of)
                .filter(StorageClass::isDefault)
                .min(StorageClass.DEFAULTS);
    }

    private static Optional<StoredObject> emptyIfInvalidName(Supplier<Optional<StoredObject>> found) {
        try {
            return found.get();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
