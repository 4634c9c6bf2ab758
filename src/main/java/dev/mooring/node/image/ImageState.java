package dev.mooring.node.image;

import dev.mooring.runtime.ImageFacts;
import java.time.Instant;

/** How far it is with an image that a container needs. */
public sealed interface ImageState {
    /** A container can be made of it. */
    record Present(ImageFacts image) implements ImageState {}

    /** Being looked for or fetched. Whoever asked is told when that is over. */
    record Coming() implements ImageState {}

    /**
     * It cannot be had for now.
     *
     * @param reason of {@code state.waiting}: ErrImagePull, ImagePullBackOff, ErrImageNeverPull, InvalidImageName
     * @param next when it is worth asking again; far away if that is never
     */
    record Failed(String reason, String message, Instant next) implements ImageState {}
}
