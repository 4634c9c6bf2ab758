package dev.mooring.node.container;

import dev.mooring.runtime.ImageFacts;
import java.time.Instant;

/** The state of a container's image. */
public sealed interface ImageState {
    /** The image is present. */
    record Present(ImageFacts image) implements ImageState {}

    /** The image is being inspected or pulled. The caller is requeued when that ends. */
    record Pending() implements ImageState {}

    /**
     * The image is not available at present.
     *
     * @param reason of {@code state.waiting}: ErrImagePull, ImagePullBackOff, ErrImageNeverPull, InvalidImageName
     * @param next when to request it again; far in the future for never
     */
    record Failed(String reason, String message, Instant next) implements ImageState {}
}
