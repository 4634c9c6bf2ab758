package dev.mooring.control.attach;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Pod;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A Pod that needs its claims on a node. */
record PodUse(String node, List<ObjectKey> claims, Stay stay, Instant created) {
    /** Whether it is meant to be there. */
    enum Stay {
        STAYS,
        /** It is being deleted; its containers may still run. */
        GOING
    }

    /** Nothing for one that has no node, has ended, or uses no claims. */
    static Optional<PodUse> of(StoredObject stored) {
        Pod pod = Pod.of(stored);
        List<ObjectKey> claims = pod.claimKeys();
        if (!pod.isScheduled() || pod.isFinished() || claims.isEmpty()) {
            return Optional.empty();
        }
        Stay stay = pod.isBeingDeleted() ? Stay.GOING : Stay.STAYS;
        return Optional.of(new PodUse(pod.nodeName(), claims, stay, pod.created()));
    }
}
