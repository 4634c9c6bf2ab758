package dev.mooring.control.attach;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.world.Indexes;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A Pod on a node that uses claims. Equal if nothing changed that is relevant for attachments. */
record PodClaimUse(String node, List<ObjectKey> claims, PodState state, Instant created) {
    /** Whether the Pod is running or terminating. */
    enum PodState {
        ACTIVE,
        /** Being deleted; containers may still run. */
        TERMINATING
    }

    /** Parses a Pod; empty if it has no node, has finished, or uses no claims. */
    static Optional<PodClaimUse> of(StoredObject stored) {
        List<ObjectKey> claims = Indexes.PODS_BY_CLAIM.valuesOf(stored);
        if (claims.isEmpty()) {
            return Optional.empty();
        }
        Pod pod = Pod.of(stored);
        if (!pod.isScheduled() || pod.isFinished()) {
            return Optional.empty();
        }
        PodState state = pod.isBeingDeleted() ? PodState.TERMINATING : PodState.ACTIVE;
        return Optional.of(new PodClaimUse(pod.nodeName(), claims, state, pod.created()));
    }

    /** Returns whether the Pod still needs its volumes; a terminating Pod on an out-of-service node does not. */
    boolean needsVolumes(World world) {
        return state == PodState.ACTIVE || !AttachDetachController.isOutOfService(world.get(Node.key(node)));
    }
}
