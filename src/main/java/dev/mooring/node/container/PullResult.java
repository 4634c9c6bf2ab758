package dev.mooring.node.container;

import dev.mooring.runtime.ImageFacts;
import java.time.Duration;

/** The result of a pull. Compared by identity: equal results belong to different pulls. */
sealed interface PullResult {
    /**
     * The pull succeeded.
     *
     * @param took without the time in the queue
     */
    record Pulled(ImageFacts image, Duration took) implements PullResult {}

    record Failed(String message) implements PullResult {}

    /** The engine became unreachable; the state of registry and image is unknown. */
    record Unknown() implements PullResult {}
}
