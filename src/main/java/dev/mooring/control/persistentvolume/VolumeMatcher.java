package dev.mooring.control.persistentvolume;

import dev.mooring.model.Quantity;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Volume;
import java.util.Optional;

/** Compares a volume with a claim's request, regardless of its current claim. Pure; thread-safe. */
public final class VolumeMatcher {
    private VolumeMatcher() {}

    /** Returns why the volume does not match; empty if it does. */
    public static Optional<MismatchReason> mismatch(Volume volume, Claim claim) {
        Optional<MismatchReason> misfit = mismatchOfNamed(volume, claim);
        if (misfit.isEmpty()
                && claim.selector()
                        .filter(selector -> !selector.matches(volume.labels()))
                        .isPresent()) {
            return Optional.of(MismatchReason.SELECTOR_MISMATCH);
        }
        return misfit;
    }

    /** Returns why a volume that the claim names does not match; labels are not compared. */
    public static Optional<MismatchReason> mismatchOfNamed(Volume volume, Claim claim) {
        if (volume.isBeingDeleted()) {
            return Optional.of(MismatchReason.BEING_DELETED);
        }
        if (isTooSmall(volume, claim)) {
            return Optional.of(MismatchReason.TOO_SMALL);
        }
        if (!volume.className().equals(claim.className().orElse(""))) {
            return Optional.of(MismatchReason.CLASS_MISMATCH);
        }
        return mismatchOfReserved(volume, claim);
    }

    /** Returns why a volume that is reserved for the claim does not match; class and labels are not compared. */
    static Optional<MismatchReason> mismatchOfReserved(Volume volume, Claim claim) {
        if (volume.isBeingDeleted()) {
            return Optional.of(MismatchReason.BEING_DELETED);
        }
        if (isTooSmall(volume, claim)) {
            return Optional.of(MismatchReason.TOO_SMALL);
        }
        if (!volume.attributesClass().equals(claim.attributesClass())) {
            return Optional.of(MismatchReason.ATTRIBUTES_CLASS_MISMATCH);
        }
        if (volume.mode() != claim.mode()) {
            return Optional.of(MismatchReason.VOLUME_MODE_MISMATCH);
        }
        if (!volume.accessModes().containsAll(claim.accessModes())) {
            return Optional.of(MismatchReason.ACCESS_MODE_MISMATCH);
        }
        return Optional.empty();
    }

    static boolean isTooSmall(Volume volume, Claim claim) {
        return volume.capacity().orElse(Quantity.ZERO).compareTo(claim.request()) < 0;
    }
}
