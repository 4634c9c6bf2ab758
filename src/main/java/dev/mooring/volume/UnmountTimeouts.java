package dev.mooring.volume;

import java.time.Duration;

/**
 * Timeouts of the unmount steps, after which the next, stronger one is tried.
 *
 * @param plain for umount
 * @param forced for umount -f
 * @param lazy for umount -l
 */
public record UnmountTimeouts(Duration plain, Duration forced, Duration lazy) {
    /** For network file systems. The kubelet waits for one minute; a responsive server needs far less. */
    public static final UnmountTimeouts REMOTE =
            new UnmountTimeouts(Duration.ofSeconds(21), Duration.ofSeconds(11), Duration.ofSeconds(12));

    /** For local file systems, which write back cached data. */
    public static final UnmountTimeouts LOCAL =
            new UnmountTimeouts(Duration.ofSeconds(62), Duration.ofSeconds(11), Duration.ofSeconds(12));
}
