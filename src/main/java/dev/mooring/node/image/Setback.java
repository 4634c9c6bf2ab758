package dev.mooring.node.image;

import dev.mooring.control.Backoff;
import java.time.Duration;
import java.time.Instant;

/**
 * That an image could not be fetched for a Pod: what went wrong last, and until when it is not tried again. For a moment it is an error, then
 * it is waited for. Guarded by the lock of {@link Images}.
 */
final class Setback {
    static final String ERROR = "ErrImagePull";
    static final String BACK_OFF = "ImagePullBackOff";

    /** Long enough to be seen, short against the first wait. */
    private static final Duration SHOWN_AS_ERROR = Duration.ofSeconds(2);

    private final String image;
    private final Backoff backoff;
    private PullEnd counted;
    private int failures;
    private String error = "";
    private Instant waitsFrom = Instant.EPOCH;
    private Instant nextTry = Instant.EPOCH;

    Setback(String image, Backoff backoff) {
        this.image = image;
        this.backoff = backoff;
    }

    /** Several containers of a Pod may have waited for one pull: it counts once. */
    @SuppressWarnings("ReferenceEquality")
    void failed(PullEnd.Failed end, Instant now) {
        if (counted == end) {
            return;
        }
        counted = end;
        failures++;
        error = end.message();
        waitsFrom = now.plus(SHOWN_AS_ERROR);
        nextTry = now.plus(backoff.after(failures));
    }

    /** One that would last longer than any was written down before the clock was set back. */
    boolean isOver(Instant now) {
        return !now.isBefore(nextTry) || nextTry.isAfter(now.plus(backoff.longest()));
    }

    ImageState.Failed state(Instant now) {
        return now.isBefore(waitsFrom) ? new ImageState.Failed(ERROR, error, waitsFrom) : backOff(nextTry);
    }

    ImageState.Failed backOff(Instant next) {
        return new ImageState.Failed(
                BACK_OFF, "Back-off pulling image \"" + image + "\": " + ERROR + ": " + error, next);
    }
}
