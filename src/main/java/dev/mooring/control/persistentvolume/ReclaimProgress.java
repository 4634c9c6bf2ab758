package dev.mooring.control.persistentvolume;

import dev.mooring.control.protection.NodeUsage;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What the reclaim policy requires for a volume, and what the work waits for. Immutable.
 *
 * @param wanted deletion or scrubbing; empty if the volume is in use, retained or cannot be reclaimed
 * @param operation the work in progress
 * @param pods Pods that may still use the deleted claim
 * @param nodes nodes that have the volume mounted, possibly mounted, or attached
 * @param nodeProblem why no node can do the work; "" if one can
 */
public record ReclaimProgress(
        Optional<VolumeOperation.OperationType> wanted,
        Optional<VolumeOperation> operation,
        List<Pod> pods,
        List<NodeUsage> nodes,
        String nodeProblem) {
    public ReclaimProgress {
        pods = List.copyOf(pods);
        nodes = List.copyOf(nodes);
    }

    /** Returns the progress by the rules of the {@link ReclaimController}. Pure. */
    public static ReclaimProgress of(World world, Volume volume, Instant now) {
        return new ReclaimSync(world, volume, now).progress();
    }
}
