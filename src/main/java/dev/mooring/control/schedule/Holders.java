package dev.mooring.control.schedule;

import dev.mooring.control.schedule.PodEntry.Standing;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Who has the claims of a Pod that not everybody may have at once: ReadWriteOncePod is for one Pod, ReadWriteOnce for the Pods of one node.
 *
 * <p><b>Why two Pods decided in the same instant cannot both get such a claim.</b> A Pod that is on a node with the claim settles the matter:
 * others follow it (ReadWriteOnce) or wait (ReadWriteOncePod), and that it leaves only makes it easier. While a Pod of this scheduler is on its
 * way ({@link InFlight}), others wait until it is there. If there is neither, the Pod is the first, and its event expects every other Pod of the
 * claim that has no node to be as it was seen: if one of them gets a node before, by whomever, the event does not happen and the Pod is looked
 * at again. A Pod that was not there yet when this was decided is decided later, so it either finds the first Pod on its node, or expects it
 * to have none. Both orders fail safe as long as proposals reach the ledger in the order in which they are decided, which holds for a
 * scheduler and for one that takes over from it. Nothing is written on the claim for this.
 *
 * <p>A user who creates a Pod with a node in it asks nobody; that is for the node to refuse.
 *
 * @param claimants each claim that is exclusive and has others who use or want it
 */
record Holders(List<Claimant> claimants) {
    /**
     * An exclusive claim of the Pod.
     *
     * @param holder the Pod that has it
     * @param nodes where Pods that have it are
     * @param passing whether the holder is only about to have it
     * @param rivals Pods that want it as well; none if somebody has it
     */
    record Claimant(
            Claim claim, Optional<ObjectKey> holder, List<String> nodes, boolean passing, List<StoredObject> rivals) {}

    static Holders of(World world, ObjectKey pod, List<Claim> claims, PodTable table, InFlight inFlight) {
        List<Claimant> claimants = new ArrayList<>();
        for (Claim claim : claims) {
            if (!claim.accessModes().allowsManyNodes()) {
                claimants.add(claimant(world, pod, claim, table, inFlight));
            }
        }
        return new Holders(claimants);
    }

    private static Claimant claimant(World world, ObjectKey pod, Claim claim, PodTable table, InFlight inFlight) {
        List<StoredObject> rivals = new ArrayList<>();
        List<String> nodes = new ArrayList<>();
        Optional<ObjectKey> holder = Optional.empty();
        for (ObjectKey each : table.users(claim.key())) {
            Optional<PodEntry> user = table.get(each, world).filter(found -> !each.equals(pod));
            if (user.filter(found -> found.is(Standing.ON_NODE)).isPresent()) {
                holder = holder.or(() -> Optional.of(each));
                nodes.add(user.get().node());
            } else if (user.filter(found -> found.is(Standing.WAITING)).isPresent()) {
                world.get(each).ifPresent(rivals::add);
            }
        }
        if (holder.isPresent()) {
            return new Claimant(claim, holder, nodes, false, List.of());
        }
        Optional<InFlight.Holder> coming = inFlight.holder(claim.key());
        return coming.isPresent()
                ? new Claimant(
                        claim,
                        coming.map(InFlight.Holder::pod),
                        List.of(coming.get().node()),
                        true,
                        List.of())
                : new Claimant(claim, Optional.empty(), List.of(), false, rivals);
    }

    /** Why the Pod cannot have its claims on a node. */
    Optional<Reason> refusal(String node) {
        for (Claimant each : claimants) {
            if (each.holder().isPresent()) {
                String holder = "persistentvolumeclaim \"" + each.claim().name() + "\" is used by pod \""
                        + each.holder().get().name() + "\" on node \""
                        + each.nodes().get(0) + "\"";
                if (each.claim().accessModes().isOncePod()) {
                    return Optional.of(
                            Reason.of(Reason.ONCE_POD).detailed(holder).passing(each.passing()));
                }
                // Where one that is on its way will be is not sure before it is there: it may have been sent elsewhere
                // before this scheduler began.
                if (each.passing() || !each.nodes().contains(node)) {
                    return Optional.of(
                            Reason.of(Reason.ONE_NODE).detailed(holder).passing(each.passing()));
                }
            }
        }
        return Optional.empty();
    }

    /** The Pods that must not have got a node when this one does. */
    List<StoredObject> rivals() {
        List<StoredObject> rivals = new ArrayList<>();
        for (Claimant each : claimants) {
            for (StoredObject rival : each.rivals()) {
                if (rivals.stream().noneMatch(known -> known.key().equals(rival.key()))) {
                    rivals.add(rival);
                }
            }
        }
        return rivals;
    }
}
