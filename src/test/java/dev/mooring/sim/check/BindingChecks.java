package dev.mooring.sim.check;

import dev.mooring.model.Scope;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.sim.InvariantViolations;
import dev.mooring.world.World;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Checks bindings (I2): a volume belongs to at most one claim, and both sides agree in the same revision. Also checks
 * for impossible phase transitions. Users may write any phase; objects whose status a user has written are not checked.
 */
final class BindingChecks {
    private static final String I2 = "I2";
    private static final String BOUND = "Bound";
    private static final Scope CLAIMS = Scope.resource(StorageNames.CLAIMS);
    private static final Scope VOLUMES = Scope.resource(StorageNames.VOLUMES);

    private final ViewCache views;
    private final Set<String> editedByUser = new HashSet<>();

    BindingChecks(ViewCache views) {
        this.views = views;
    }

    void check(CheckedChange step) {
        if (step.isByUser()) {
            if (step.event().type().endsWith("StatusUpdated")) {
                step.is().ifPresent(is -> editedByUser.add(is.uid()));
            }
            return;
        }
        step.is(Claim.class).filter(is -> !editedByUser.contains(is.uid())).ifPresent(is -> claim(step, is));
        step.is(Volume.class).filter(is -> !editedByUser.contains(is.uid())).ifPresent(is -> volume(step, is));
    }

    private void claim(CheckedChange step, Claim is) {
        String was = step.was(Claim.class).map(Claim::phase).orElse("");
        boolean impossible = switch (was) {
            case BOUND -> is.phase().equals("Pending") || is.phase().equals("Failed");
            case "Lost" -> is.phase().equals("Pending") || is.phase().equals("Failed");
            default -> is.phase().equals("Lost") && !was.equals("Lost") && !is.isBindCompleted();
        };
        step.require(!impossible, I2, () -> "its phase was \"" + was + "\" and became " + is.phase());
        if (is.phase().equals(BOUND) && !was.equals(BOUND)) {
            Optional<Volume> volume = views.volume(step.after(), is.volumeName());
            step.require(
                    volume.filter(each -> each.phase().equals(BOUND) && isOf(each, is))
                            .isPresent(),
                    I2,
                    () -> "it is Bound, but its volume is " + volume.map(Volume::tree));
        }
        if (is.phase().equals(BOUND)) {
            owners(step, is);
        }
    }

    private static boolean isOf(Volume volume, Claim claim) {
        return volume.claimRef()
                .filter(ref -> ref.names(claim) && ref.uid().equals(claim.uid()))
                .isPresent();
    }

    /**
     * Checks that no other claim has the same volume. A claim whose volume was replaced by another one of the same name
     * has none.
     */
    private void owners(CheckedChange step, Claim claim) {
        if (!isItsVolume(step.after(), claim)) {
            return;
        }
        for (Claim other : views.list(step.after(), CLAIMS, Claim.class)) {
            boolean both = !other.key().equals(claim.key())
                    && other.phase().equals(BOUND)
                    && other.volumeName().equals(claim.volumeName())
                    && !editedByUser.contains(other.uid())
                    && isItsVolume(step.after(), other);
            step.require(!both, I2, () -> other.key() + " is also Bound to " + claim.volumeName());
        }
    }

    private boolean isItsVolume(World world, Claim claim) {
        String known = claim.status().path("volumeUID").asText("");
        return views.volume(world, claim.volumeName())
                .filter(each -> known.isEmpty() || known.equals(each.uid()))
                .isPresent();
    }

    private void volume(CheckedChange step, Volume is) {
        Optional<Volume> was = step.was(Volume.class);
        String now = is.claimRef().map(ClaimRef::uid).orElse("");
        String then = was.flatMap(Volume::claimRef).map(ClaimRef::uid).orElse("");
        step.require(
                now.isEmpty() || then.isEmpty() || now.equals(then),
                I2,
                () -> "its claimRef changed directly from " + then + " to " + now);
        String before = was.map(Volume::phase).orElse("");
        boolean reused = before.equals("Released")
                && !then.isEmpty()
                && now.equals(then)
                && (is.phase().equals("Available") || is.phase().equals(BOUND));
        step.require(!reused, I2, () -> "it was Released from claim " + then + " and became " + is.phase());
        if (is.phase().equals(BOUND) && !before.equals(BOUND)) {
            Optional<Claim> claim = is.claimRef().flatMap(ref -> views.get(step.after(), ref.key(), Claim.class));
            step.require(
                    claim.filter(each -> isOf(is, each) && each.volumeName().equals(is.name()))
                            .isPresent(),
                    I2,
                    () -> "it is Bound, but its claim is " + claim.map(Claim::tree));
        }
    }

    /** Checks that both sides of all bindings agree when the binder is idle. */
    void quiescent(World world, InvariantViolations violations) {
        for (Claim claim : views.list(world, CLAIMS, Claim.class)) {
            // Users may write any status into a claim that is being deleted; the binder ignores it.
            boolean forged = claim.isBeingDeleted() && claim.volumeName().isEmpty();
            if (claim.phase().equals(BOUND) && !forged) {
                Optional<Volume> volume = views.volume(world, claim.volumeName());
                violations.check(
                        volume.filter(each -> isOf(each, claim)).isPresent(),
                        I2,
                        claim.key() + " is Bound, but its volume is " + volume.map(Volume::tree));
            }
        }
        for (Volume volume : views.list(world, VOLUMES, Volume.class)) {
            if (volume.phase().equals(BOUND)) {
                Optional<Claim> claim = volume.claimRef().flatMap(ref -> views.get(world, ref.key(), Claim.class));
                violations.check(
                        claim.filter(each ->
                                        isOf(volume, each) && each.volumeName().equals(volume.name()))
                                .isPresent(),
                        I2,
                        volume.key() + " is Bound, but its claim is " + claim.map(Claim::tree));
            }
        }
    }
}
