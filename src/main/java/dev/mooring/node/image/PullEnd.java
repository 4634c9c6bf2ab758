package dev.mooring.node.image;

import dev.mooring.runtime.ImageFacts;
import java.time.Duration;

/** How a pull ended. Each is one of its own: two that say the same are of two pulls. */
sealed interface PullEnd {
    /** @param took without what it had to wait for its turn */
    record Done(ImageFacts image, Duration took) implements PullEnd {}

    record Failed(String message) implements PullEnd {}

    /** The engine went away: nothing is known of the registry or the image. */
    record Unknown() implements PullEnd {}
}
