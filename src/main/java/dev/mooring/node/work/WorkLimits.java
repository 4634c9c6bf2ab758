package dev.mooring.node.work;

import java.time.Duration;

/**
 * How much a node does at once, and for how long.
 *
 * @param local operations at a time on this machine's own disks
 * @param perServer operations at a time on each NFS server
 * @param deadline how long one may take before it is interrupted
 */
public record WorkLimits(int local, int perServer, Duration deadline) {
    public static final WorkLimits DEFAULT = new WorkLimits(4, 2, Duration.ofMinutes(2));

    public WorkLimits {
        if (local < 1 || perServer < 1 || deadline.isZero() || deadline.isNegative()) {
            throw new IllegalArgumentException("Expected limits above zero, but they are " + local + " local, "
                    + perServer + " per server, " + deadline);
        }
    }
}
