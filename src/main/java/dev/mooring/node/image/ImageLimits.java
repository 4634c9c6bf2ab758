package dev.mooring.node.image;

import dev.mooring.control.Backoff;
import java.time.Duration;

/**
 * How images are fetched.
 *
 * @param pulls at most so many at once
 * @param backoff how long a Pod waits after failed pulls of an image
 */
public record ImageLimits(int pulls, Backoff backoff) {
    /** As long as a kubelet waits; it fetches one at a time, which lets one slow registry hold up all Pods. */
    public static final ImageLimits DEFAULT =
            new ImageLimits(4, new Backoff(Duration.ofSeconds(10), Duration.ofMinutes(5)));

    public ImageLimits {
        if (pulls < 1) {
            throw new IllegalArgumentException("Expected at least one pull at a time, but it is " + pulls);
        }
    }
}
