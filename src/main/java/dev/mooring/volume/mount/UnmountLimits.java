package dev.mooring.volume.mount;

import java.time.Duration;

/**
 * How long each way of unmounting may take before the next, harder one is tried.
 *
 * @param plain for umount
 * @param forced for umount -f
 * @param lazy for umount -l
 */
public record UnmountLimits(Duration plain, Duration forced, Duration lazy) {
    /** A server that answers does so long before. The kubelet waits for a minute. */
    public static final UnmountLimits REMOTE =
            new UnmountLimits(Duration.ofSeconds(21), Duration.ofSeconds(11), Duration.ofSeconds(12));

    /** Local file systems write back what they hold, which takes its time. */
    public static final UnmountLimits LOCAL =
            new UnmountLimits(Duration.ofSeconds(62), Duration.ofSeconds(11), Duration.ofSeconds(12));
}
