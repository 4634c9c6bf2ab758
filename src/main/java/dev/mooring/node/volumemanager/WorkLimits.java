package dev.mooring.node.volumemanager;

import dev.mooring.node.KeyedExecutor;
import java.time.Duration;

/**
 * Limits of volume work on a node.
 *
 * @param local concurrent operations on local disks
 * @param perServer concurrent operations on each NFS server
 * @param deadline after which an operation is interrupted
 */
public record WorkLimits(int local, int perServer, Duration deadline) {
    public static final WorkLimits DEFAULT = new WorkLimits(4, 2, Duration.ofMinutes(2));

    public WorkLimits {
        if (local < 1 || perServer < 1 || deadline.isZero() || deadline.isNegative()) {
            throw new IllegalArgumentException("Limits must be positive, got " + local + " local, " + perServer
                    + " per server, deadline " + deadline);
        }
    }

    KeyedExecutor newExecutor(WorkContext context) {
        return new KeyedExecutor(local, perServer, deadline, context.threads(), context.timers());
    }
}
