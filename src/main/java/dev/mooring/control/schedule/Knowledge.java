package dev.mooring.control.schedule;

import dev.mooring.model.ObjectKey;
import java.util.HashSet;
import java.util.Set;

/**
 * What the scheduler keeps of what it was told and of what it decided. All of it can be thrown away at any time. For one thread.
 *
 * @param onHold Pods about which nothing could be said because of what is in flight
 */
record Knowledge(
        PodTable pods,
        InFlight inFlight,
        FreeStorage storage,
        Setbacks setbacks,
        VolumeChoice volumes,
        NodeViews nodes,
        Backlog backlog,
        Set<ObjectKey> onHold) {
    static Knowledge none(VolumeChoice volumes) {
        return new Knowledge(
                new PodTable(),
                new InFlight(),
                new FreeStorage(),
                new Setbacks(),
                volumes,
                new NodeViews(),
                new Backlog(),
                new HashSet<>());
    }
}
