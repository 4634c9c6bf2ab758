package dev.mooring.control.bind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.AccessModes;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.NodeSelector;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeMode;
import java.util.Optional;

/**
 * What the index keeps of a volume: enough to find it and to say why it is not the one. Immutable.
 *
 * @param revision that it was told of
 * @param labels missing if it has none, or is not free
 * @param affinity any if it is not free
 */
record VolumeEntry(
        String name,
        long revision,
        Shelf shelf,
        AccessModes accessModes,
        Quantity capacity,
        JsonNode labels,
        NodeSelector affinity,
        State state,
        Optional<ClaimRef> claimRef)
        implements Comparable<VolumeEntry> {
    /** Whether somebody can have it. */
    enum State {
        FREE,
        /** Kept for or bound to a claim. */
        TAKEN,
        RELEASED,
        FAILED,
        BEING_DELETED
    }

    /** What must be equal for a volume to fit a claim. */
    record Shelf(String className, VolumeMode mode, String attributesClass) {}

    static VolumeEntry of(Volume volume) {
        State state = state(volume);
        boolean free = state == State.FREE; // of most volumes, which are not, there is no need to keep so much
        return new VolumeEntry(
                volume.name(),
                volume.revision(),
                new Shelf(volume.className(), volume.mode(), volume.attributesClass()),
                volume.accessModes(),
                volume.capacity().orElse(Quantity.ZERO),
                free ? volume.labels() : MissingNode.getInstance(),
                free ? volume.nodeAffinity() : NodeSelector.any(),
                state,
                volume.claimRef());
    }

    /** A volume nobody has looked at yet is as good as an available one: looking makes it so. */
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

    /** The smallest first, then by name. */
    @Override
    public int compareTo(VolumeEntry other) {
        int bySize = capacity.compareTo(other.capacity);
        return bySize == 0 ? name.compareTo(other.name) : bySize;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof VolumeEntry entry
                && name.equals(entry.name)
                && capacity.equals(entry.capacity)
                && shelf.equals(entry.shelf)
                && accessModes.equals(entry.accessModes)
                && labels.equals(entry.labels)
                && state == entry.state
                && claimRef.equals(entry.claimRef);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }
}
