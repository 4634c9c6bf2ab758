package dev.mooring.node.container;

import dev.mooring.control.Backoff;

/**
 * Limits of image pulls.
 *
 * @param pulls maximum number of concurrent pulls
 * @param backoff delay of a Pod after failed pulls of an image
 */
public record ImageLimits(int pulls, Backoff backoff) {
    /**
     * The kubelet's back-off. The kubelet pulls serially by default, so one slow registry delays all Pods; this allows
     * several pulls.
     */
    public static final ImageLimits DEFAULT = new ImageLimits(4, Backoff.CONTAINER);

    public ImageLimits {
        if (pulls < 1) {
            throw new IllegalArgumentException("pulls must be positive, got " + pulls);
        }
    }
}
