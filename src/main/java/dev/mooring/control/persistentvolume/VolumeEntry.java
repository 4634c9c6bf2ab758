package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.model.Quantity;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.AccessModes;
import dev.mooring.model.view.NodeSelector;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.world.Index;
import dev.mooring.world.World;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The indexed fields of a PersistentVolume: enough to find it and to explain why it does not match, without parsing it.
 * Immutable.
 *
 * <p>Ordered by class. Free volumes precede the others of their class; they are ordered by the fields that must be
 * equal to those of a claim, by access modes, capacity and name. The others are ordered by state and name.
 *
 * @param matchKey only the class unless it is free
 * @param capacity zero unless it is free
 * @param labels missing if it has none or is not free
 * @param requiredAffinity {@code spec.nodeAffinity.required}; missing if it has none or is not free
 */
record VolumeEntry(
        MatchKey matchKey, State state, Quantity capacity, String name, JsonNode labels, JsonNode requiredAffinity)
        implements Comparable<VolumeEntry> {
    static final Index<VolumeEntry> INDEX = Index.of(
            "PersistentVolumes in matching order",
            Scope.resource(StorageNames.VOLUMES),
            stored -> List.of(of(Volume.of(stored))));

    /** Free volumes that are not reachable from every node. */
    static final Index<Boolean> WITH_NODE_AFFINITY = Index.of(
            "free PersistentVolumes with node affinity",
            Scope.resource(StorageNames.VOLUMES),
            VolumeEntry::hasNodeAffinity);

    private static final Comparator<VolumeEntry> ORDER = Comparator.comparing(VolumeEntry::className)
            .thenComparing(VolumeEntry::state)
            .thenComparing(VolumeEntry::matchKey)
            .thenComparing(VolumeEntry::capacity)
            .thenComparing(VolumeEntry::name)
            .thenComparing(entry -> entry.capacity + " " + entry.labels + " " + entry.requiredAffinity);

    /** Whether a volume can be bound. */
    enum State {
        FREE,
        /** Reserved for or bound to a claim. */
        TAKEN,
        RELEASED,
        FAILED,
        BEING_DELETED
    }

    /** The fields that are compared for equality when a volume is matched with a claim, and the access modes. */
    record MatchKey(String className, VolumeMode mode, String attributesClass, AccessModes accessModes)
            implements Comparable<MatchKey> {
        private static final Comparator<MatchKey> ORDER = Comparator.comparing(MatchKey::className)
                .thenComparing(MatchKey::mode)
                .thenComparing(MatchKey::attributesClass)
                .thenComparingInt(key -> key.accessModes.bits());

        /** Returns the first key of a class. */
        static MatchKey first(String className) {
            return new MatchKey(className, VolumeMode.FILESYSTEM, "", AccessModes.NONE);
        }

        @Override
        public int compareTo(MatchKey other) {
            return ORDER.compare(this, other);
        }
    }

    private static VolumeEntry of(Volume volume) {
        State state = state(volume);
        if (state != State.FREE) {
            JsonNode missing = MissingNode.getInstance();
            return new VolumeEntry(
                    MatchKey.first(volume.className()), state, Quantity.ZERO, volume.name(), missing, missing);
        }
        return new VolumeEntry(
                new MatchKey(volume.className(), volume.mode(), volume.attributesClass(), volume.accessModes()),
                state,
                volume.capacity().orElse(Quantity.ZERO),
                volume.name(),
                volume.labels(),
                volume.spec().path("nodeAffinity").path("required"));
    }

    /** Derives the state. A volume without phase counts as Available, because syncing it makes it so. */
    private static State state(Volume volume) {
        if (volume.isBeingDeleted()) {
            return State.BEING_DELETED;
        }
        return switch (volume.phase()) {
            case "Released" -> State.RELEASED;
            case "Failed" -> State.FAILED;
            case "Available", "Pending", "" -> volume.claimRef().isPresent() ? State.TAKEN : State.FREE;
            default -> State.TAKEN;
        };
    }

    private static List<Boolean> hasNodeAffinity(StoredObject stored) {
        boolean restricted = stored.containsText("nodeAffinity")
                && !of(Volume.of(stored)).affinity().isAny();
        return restricted ? List.of(true) : List.of();
    }

    /** Returns the lower bound of the free volumes that have at least a capacity. */
    static VolumeEntry atLeast(MatchKey matchKey, Quantity capacity) {
        JsonNode missing = MissingNode.getInstance();
        return new VolumeEntry(matchKey, State.FREE, capacity, "", missing, missing);
    }

    /** Returns the volumes of a class: the free ones, then the others by state and name. */
    static Stream<VolumeEntry> ofClass(World world, String className) {
        return fromClass(world, className).takeWhile(entry -> entry.className().equals(className));
    }

    /** Returns all volumes, by class. */
    static Stream<VolumeEntry> all(World world) {
        return world.index(INDEX).all().map(Index.Entry::value);
    }

    /** Returns the number of volumes of a class, without walking them. */
    static int count(World world, String className) {
        return (int) (fromClass(world, className).count()
                - fromClass(world, className + '\0').count());
    }

    /** Returns the first of the classes that volumes have, at or after a name. */
    static Optional<String> firstClass(World world, String from) {
        return fromClass(world, from).findFirst().map(VolumeEntry::className);
    }

    private static Stream<VolumeEntry> fromClass(World world, String className) {
        return world.index(INDEX)
                .from(atLeast(MatchKey.first(className), Quantity.ZERO))
                .map(Index.Entry::value);
    }

    String className() {
        return matchKey.className();
    }

    NodeSelector affinity() {
        return NodeSelector.required(requiredAffinity);
    }

    @Override
    public int compareTo(VolumeEntry other) {
        return ORDER.compare(this, other);
    }

    /** Consistent with the order, which distinguishes all fields. */
    @Override
    public boolean equals(Object other) {
        return other instanceof VolumeEntry entry && compareTo(entry) == 0;
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }
}
