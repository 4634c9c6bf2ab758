package dev.mooring.control.schedule;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Pod;
import dev.mooring.world.Indexes;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The exclusive claims of a Pod and their users: ReadWriteOncePod allows one Pod, ReadWriteOnce the Pods of one node.
 *
 * <p><b>Why two Pods that are decided at the same time cannot both get such a claim.</b> If a Pod with the claim is on
 * a node, other Pods follow it to that node (ReadWriteOnce) or wait (ReadWriteOncePod); its departure only relaxes the
 * restriction. While a Pod of this scheduler is {@link InFlight}, other Pods wait for its outcome. If there is neither,
 * the Pod is the first, and its event has as precondition that every other Pod of the claim without a node is
 * unchanged: if any scheduler binds one of them before, the event conflicts and the Pod is reconciled again. A Pod that
 * did not exist at that time is decided later, so it either sees the first Pod on its node or has as precondition that
 * the first Pod has none. Both orders are safe as long as proposals reach the ledger in the order in which they are
 * decided, which holds for a scheduler and its successor. Nothing is written to the claim.
 *
 * <p>A Pod that is created with a node bypasses the scheduler; the node must reject it.
 *
 * @param claimants each exclusive claim that other Pods use or request
 */
record VolumeRestrictions(List<ExclusiveClaim> claimants) {
    /**
     * An exclusive claim of the Pod.
     *
     * @param holder the Pod that uses it
     * @param nodes nodes of the Pods that use it
     * @param temporary whether the holder is only about to be bound to its node
     * @param competingPods unscheduled Pods that also request it; none if a Pod uses it
     */
    record ExclusiveClaim(
            Claim claim,
            Optional<ObjectKey> holder,
            List<String> nodes,
            boolean temporary,
            List<StoredObject> competingPods) {}

    static VolumeRestrictions of(World world, ObjectKey pod, List<Claim> claims, InFlight inFlight) {
        List<ExclusiveClaim> claimants = new ArrayList<>();
        for (Claim claim : claims) {
            if (!claim.accessModes().allowsManyNodes()) {
                claimants.add(claimant(world, pod, claim, inFlight));
            }
        }
        return new VolumeRestrictions(claimants);
    }

    private static ExclusiveClaim claimant(World world, ObjectKey pod, Claim claim, InFlight inFlight) {
        List<StoredObject> competing = new ArrayList<>();
        List<String> nodes = new ArrayList<>();
        Optional<ObjectKey> holder = Optional.empty();
        for (StoredObject each : world.find(Indexes.PODS_BY_CLAIM, claim.key())) {
            Pod user = Pod.of(each);
            if (each.key().equals(pod)) {
                continue;
            }
            if (SchedulingState.SCHEDULED.isOf(user)) {
                holder = holder.or(() -> Optional.of(each.key()));
                nodes.add(user.nodeName());
            } else if (SchedulingState.WAITING.isOf(user)) {
                competing.add(each);
            }
        }
        if (holder.isPresent()) {
            return new ExclusiveClaim(claim, holder, nodes, false, List.of());
        }
        Optional<InFlight.Holder> inFlightHolder = inFlight.holder(claim.key());
        return inFlightHolder.isPresent()
                ? new ExclusiveClaim(
                        claim,
                        inFlightHolder.map(InFlight.Holder::pod),
                        List.of(inFlightHolder.get().node()),
                        true,
                        List.of())
                : new ExclusiveClaim(claim, Optional.empty(), List.of(), false, competing);
    }

    /** Returns why the Pod cannot use its claims on a node. */
    Optional<UnschedulableReason> unschedulableReason(String node) {
        for (ExclusiveClaim each : claimants) {
            if (each.holder().isPresent()) {
                String holder = "persistentvolumeclaim \"" + each.claim().name() + "\" is used by pod \""
                        + each.holder().get().name() + "\" on node \""
                        + each.nodes().get(0) + "\"";
                if (each.claim().accessModes().isOncePod()) {
                    return Optional.of(UnschedulableReason.of(UnschedulableReason.ONCE_POD)
                            .withDetail(holder)
                            .withBlocker(each.holder().get())
                            .temporary(each.temporary()));
                }
                // The node of a Pod in flight is not certain: another scheduler may have bound it elsewhere before this
                // one started.
                if (each.temporary() || !each.nodes().contains(node)) {
                    return Optional.of(UnschedulableReason.of(UnschedulableReason.ONE_NODE)
                            .withDetail(holder)
                            .withBlocker(each.holder().get())
                            .temporary(each.temporary()));
                }
            }
        }
        return Optional.empty();
    }

    /** Returns the Pods that must still have no node when this one gets its node. */
    List<StoredObject> competingPods() {
        List<StoredObject> competing = new ArrayList<>();
        for (ExclusiveClaim each : claimants) {
            for (StoredObject competitor : each.competingPods()) {
                if (competing.stream().noneMatch(known -> known.key().equals(competitor.key()))) {
                    competing.add(competitor);
                }
            }
        }
        return competing;
    }
}
