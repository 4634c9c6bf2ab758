package dev.mooring.control.bind;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.World;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Finds what claims name. A name may be any text, also one that nothing can have. Pure; any thread. */
final class Lookup {
    private Lookup() {}

    static Optional<Volume> volume(World world, String name) {
        return volumeKey(name).flatMap(world::get).map(Volume::of);
    }

    /** Whether its data is about to be deleted or scrubbed, so that nobody may be given it whatever it says itself. */
    static boolean isBeingEmptied(World world, Volume volume) {
        return Stream.of("delete-", "scrub-", "wipe-")
                .anyMatch(work ->
                        world.get(VolumeOperation.key(work + volume.uid())).isPresent());
    }

    /** Nothing if no volume can have that name. */
    static Optional<ObjectKey> volumeKey(String name) {
        try {
            return name.isEmpty() ? Optional.empty() : Optional.of(Volume.key(name));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    static Optional<StorageClass> storageClass(World world, String name) {
        return name.isEmpty()
                ? Optional.empty()
                : orNothing(() -> world.get(StorageClass.key(name))).map(StorageClass::of);
    }

    /** The class that claims without one get. */
    static Optional<StorageClass> defaultClass(World world) {
        return world.stream(Scope.resource(StorageNames.CLASSES))
                .map(StorageClass::of)
                .filter(StorageClass::isDefault)
                .min(StorageClass.DEFAULTS);
    }

    private static Optional<StoredObject> orNothing(Supplier<Optional<StoredObject>> found) {
        try {
            return found.get();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
