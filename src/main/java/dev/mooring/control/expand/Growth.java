package dev.mooring.control.expand;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.World;
import java.util.List;
import java.util.Optional;

/**
 * A bound claim and all that has to do with its size, as of one World. Immutable.
 *
 * @param volume points back to the claim
 * @param operation that makes the volume larger, if one is under way
 * @param storageClass of the claim
 */
record Growth(Claim claim, Volume volume, Optional<VolumeOperation> operation, Optional<StorageClass> storageClass) {
    private static final List<String> NUMBER_ONLY_SOURCES = List.of("hostPath", "local", "nfs");

    /** How a volume comes to be larger. */
    enum Way {
        /** The node that has the data makes it larger. */
        BY_NODE,
        /** Nothing keeps the data below any size, so the size is what we say. */
        NUMBER_ONLY,
        /** Somebody else does it, if anybody. */
        EXTERNAL
    }

    /** Nothing if the claim is not bound, or not to a volume that belongs to it. */
    static Optional<Growth> of(World world, Claim claim) {
        if (!claim.phase().equals("Bound") || claim.capacity().isEmpty()) {
            return Optional.empty();
        }
        return named(world, StorageNames.VOLUMES, claim.volumeName())
                .map(Volume::of)
                .filter(volume -> belongs(volume, claim))
                .map(volume -> new Growth(
                        claim,
                        volume,
                        world.get(operationKey(volume.uid())).map(VolumeOperation::of),
                        named(world, StorageNames.CLASSES, claim.className().orElse(""))
                                .map(StorageClass::of)));
    }

    static boolean belongs(Volume volume, Claim claim) {
        return volume.claimRef()
                .filter(ClaimRef::hasUid)
                .filter(reference -> reference.admits(claim))
                .isPresent();
    }

    static ObjectKey operationKey(String volumeUid) {
        return VolumeOperation.key(GrowOperations.NAME_START + volumeUid);
    }

    /** The object of that name, which may be any text: not every one can be a name. */
    static Optional<StoredObject> named(World world, String resource, String name) {
        boolean possible = !name.isEmpty() && name.chars().noneMatch(c -> c <= ' ' || c == '/' || c == 0x7f);
        return possible ? world.get(ObjectKey.clusterWide(resource, name)) : Optional.empty();
    }

    /** Whether a claim asks for more than it has. */
    static boolean isWanted(Claim claim) {
        return claim.phase().equals("Bound")
                && claim.capacity()
                        .filter(has -> claim.request().compareTo(has) > 0)
                        .isPresent();
    }

    boolean isWanted() {
        return isWanted(claim);
    }

    /** What the claim says it has. */
    Quantity has() {
        return claim.capacity().orElse(Quantity.ZERO);
    }

    /** How large the volume should be: at least as large as it is already, as far as anybody has said. */
    Quantity target() {
        return largest(claim.request());
    }

    /** The size, or that of the volume if it is larger: nothing becomes smaller here. */
    Quantity largest(Quantity size) {
        return volume.capacity().filter(has -> has.compareTo(size) > 0).orElse(size);
    }

    Way way() {
        if (volume.hasSource("csi")) {
            return volume.isForeignCsi() ? Way.EXTERNAL : Way.BY_NODE;
        }
        return source().isPresent() && isOurs() ? Way.NUMBER_ONLY : Way.EXTERNAL;
    }

    /** What the volume is, if it is something without a size. */
    Optional<String> source() {
        return NUMBER_ONLY_SOURCES.stream().filter(volume::hasSource).findFirst();
    }

    private boolean isOurs() {
        return volume.provisionedBy()
                        .filter(by -> by.startsWith(StorageNames.OUR_PROVISIONERS))
                        .isPresent()
                || storageClass
                        .filter(of -> of.isOurs() && of.allowsExpansion())
                        .isPresent();
    }
}
