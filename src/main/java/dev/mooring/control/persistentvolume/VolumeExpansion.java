package dev.mooring.control.persistentvolume;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.SourceType;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.World;
import java.util.Optional;

/**
 * A bound claim and the objects that determine its size, as of one World. Immutable.
 *
 * @param volume refers back to the claim
 * @param operation the expansion in progress, if any
 * @param storageClass of the claim
 */
public record VolumeExpansion(
        Claim claim, Volume volume, Optional<VolumeOperation> operation, Optional<StorageClass> storageClass) {
    /** How a volume is expanded. */
    public enum ExpansionMethod {
        /** The node that has the data expands it. */
        BY_NODE,
        /** The size is not enforced, so only the capacity is updated. */
        CAPACITY_ONLY,
        /** An external controller expands it, if there is one. */
        EXTERNAL
    }

    /** Reads the objects; empty if the claim is not bound or its volume does not refer back to it. */
    public static Optional<VolumeExpansion> of(World world, Claim claim) {
        if (!claim.phase().equals("Bound") || claim.capacity().isEmpty()) {
            return Optional.empty();
        }
        return Lookup.volume(world, claim.volumeName())
                .filter(volume -> isBoundTo(volume, claim))
                .map(volume -> new VolumeExpansion(
                        claim,
                        volume,
                        world.get(operationKey(volume.uid())).map(VolumeOperation::of),
                        Lookup.storageClass(world, claim.className().orElse(""))));
    }

    static boolean isBoundTo(Volume volume, Claim claim) {
        return volume.claimRef()
                .filter(ClaimRef::hasUid)
                .filter(reference -> reference.admits(claim))
                .isPresent();
    }

    static ObjectKey operationKey(String volumeUid) {
        return VolumeOperation.key(ExpandOperations.NAME_PREFIX + volumeUid);
    }

    /** Returns whether a claim requests more than its capacity. */
    static boolean isRequested(Claim claim) {
        return claim.phase().equals("Bound")
                && claim.capacity()
                        .filter(has -> claim.request().compareTo(has) > 0)
                        .isPresent();
    }

    public boolean isRequested() {
        return isRequested(claim);
    }

    /** Returns the capacity in the claim's status. */
    public Quantity currentCapacity() {
        return claim.capacity().orElse(Quantity.ZERO);
    }

    /** Returns the target size: at least the volume's current capacity. */
    public Quantity target() {
        return atLeastVolumeCapacity(claim.request());
    }

    /** Returns the larger of the size and the volume's capacity; volumes never shrink. */
    Quantity atLeastVolumeCapacity(Quantity size) {
        return volume.capacity().filter(has -> has.compareTo(size) > 0).orElse(size);
    }

    public ExpansionMethod method() {
        Optional<SourceType> type = volume.sourceType();
        if (type.filter(SourceType::enforcesCapacity).isPresent()) {
            return ExpansionMethod.BY_NODE;
        }
        return type.isPresent() && isMooringVolume() ? ExpansionMethod.CAPACITY_ONLY : ExpansionMethod.EXTERNAL;
    }

    /** Returns whether the requested size was found to be infeasible, so that it is not tried again. */
    public boolean isInfeasible() {
        return ResizeStatus.isInfeasible(claim, target());
    }

    /**
     * Returns whether the volume has its size, and the node that mounts it must grow the file system. A volume that is
     * not created with its size may have been grown by a user: then it is larger than the claim.
     */
    public boolean isLeftToNode() {
        Optional<Quantity> has = volume.capacity();
        return method() == ExpansionMethod.BY_NODE
                ? ResizeStatus.isNodeResize(claim)
                        && has.filter(size -> size.compareTo(claim.request()) >= 0)
                                .isPresent()
                : has.filter(size -> ResizeStatus.isNodeResize(claim) || size.compareTo(currentCapacity()) > 0)
                        .isPresent();
    }

    /** Returns the provisioner of the volume's source type; "" if it has none. */
    String provisioner() {
        return volume.sourceType().flatMap(SourceType::provisioner).orElse("");
    }

    private boolean isMooringVolume() {
        return volume.provisionedBy()
                        .filter(by -> by.startsWith(StorageNames.MOORING_PROVISIONER_PREFIX))
                        .isPresent()
                || storageClass
                        .filter(of -> of.isMooringProvisioned() && of.allowsExpansion())
                        .isPresent();
    }
}
