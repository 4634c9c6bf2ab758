package dev.mooring.node.container;

import dev.mooring.control.Backoff;
import java.time.Duration;
import java.time.Instant;

/**
 * The last failed pull of an image for a Pod, and the time of the next attempt. Reported as an error first, then as
 * back-off. Guarded by the lock of {@link ImageManager}.
 */
final class PullFailure {
    static final String ERROR = "ErrImagePull";
    static final String BACK_OFF = "ImagePullBackOff";

    /** Long enough to be visible, short compared to the first back-off. */
    private static final Duration SHOWN_AS_ERROR = Duration.ofSeconds(2);

    private final String image;
    private final Backoff backoff;
    private ImagePuller.PullResult lastResult;
    private int failures;
    private String error = "";
    private Instant backOffFrom = Instant.EPOCH;
    private Instant nextTry = Instant.EPOCH;

    PullFailure(String image, Backoff backoff) {
        this.image = image;
        this.backoff = backoff;
    }

    /** Counts a failure once, even if several containers of the Pod waited for the same pull. */
    @SuppressWarnings("ReferenceEquality")
    void record(ImagePuller.PullResult.Failed end, Instant now) {
        if (lastResult == end) {
            return;
        }
        lastResult = end;
        failures++;
        error = end.message();
        backOffFrom = now.plus(SHOWN_AS_ERROR);
        nextTry = now.plus(backoff.after(failures));
    }

    /**
     * Returns whether the back-off is over. A back-off longer than the maximum was stored before the clock was set
     * back.
     */
    boolean isExpired(Instant now) {
        return !now.isBefore(nextTry) || nextTry.isAfter(now.plus(backoff.longest()));
    }

    ImageState.Failed state(Instant now) {
        return now.isBefore(backOffFrom) ? new ImageState.Failed(ERROR, error, backOffFrom) : backOff(nextTry);
    }

    ImageState.Failed backOff(Instant next) {
        return new ImageState.Failed(
                BACK_OFF, "Back-off pulling image \"" + image + "\": " + ERROR + ": " + error, next);
    }
}
