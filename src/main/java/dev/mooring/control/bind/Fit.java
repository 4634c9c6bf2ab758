package dev.mooring.control.bind;

import dev.mooring.model.Quantity;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Volume;
import java.util.Optional;

/** Whether a volume is what a claim asks for, whoever has it now. Pure; any thread. */
public final class Fit {
    private Fit() {}

    /** Why not; nothing if it is. */
    public static Optional<Misfit> of(Volume volume, Claim claim) {
        Optional<Misfit> misfit = named(volume, claim);
        if (misfit.isEmpty()
                && claim.selector()
                        .filter(selector -> !selector.matches(volume.labels()))
                        .isPresent()) {
            return Optional.of(Misfit.NOT_SELECTED);
        }
        return misfit;
    }

    /** The same where the claim names the volume: then its labels do not matter. */
    public static Optional<Misfit> named(Volume volume, Claim claim) {
        if (volume.isBeingDeleted()) {
            return Optional.of(Misfit.BEING_DELETED);
        }
        if (isTooSmall(volume, claim)) {
            return Optional.of(Misfit.TOO_SMALL);
        }
        if (!volume.className().equals(claim.className().orElse(""))) {
            return Optional.of(Misfit.OTHER_CLASS);
        }
        return reserved(volume, claim);
    }

    /** The same where the volume is kept for the claim: then its class and labels do not matter. */
    static Optional<Misfit> reserved(Volume volume, Claim claim) {
        if (volume.isBeingDeleted()) {
            return Optional.of(Misfit.BEING_DELETED);
        }
        if (isTooSmall(volume, claim)) {
            return Optional.of(Misfit.TOO_SMALL);
        }
        if (!volume.attributesClass().equals(claim.attributesClass())) {
            return Optional.of(Misfit.OTHER_ATTRIBUTES);
        }
        if (volume.mode() != claim.mode()) {
            return Optional.of(Misfit.OTHER_MODE);
        }
        if (!volume.accessModes().containsAll(claim.accessModes())) {
            return Optional.of(Misfit.OTHER_ACCESS);
        }
        return Optional.empty();
    }

    static boolean isTooSmall(Volume volume, Claim claim) {
        return volume.capacity().orElse(Quantity.ZERO).compareTo(claim.request()) < 0;
    }
}
