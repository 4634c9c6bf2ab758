package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import dev.mooring.runtime.ImageFacts;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A container's request for the image of its next attempt, and its progress. Mutable state is guarded by the lock of
 * {@link ImageManager}.
 */
final class ImageRequest {
    /** The progress of a request. */
    enum Stage {
        NEW,
        /** Being inspected or pulled, or waiting for the engine. */
        IN_PROGRESS,
        PRESENT,
        /** The last pull failed; see the Pod's {@link PullFailure} for this image. */
        BACKING_OFF,
        /** Not available; see {@link #lastFailure}. */
        REJECTED
    }

    private final String container;
    private final String image;
    private final String policyText;
    private final ImageName name;
    private final PullPolicy policy;
    private Pod pod;
    private Consumer<ObjectKey> requeue;
    private Stage stage = Stage.NEW;
    private ImageFacts facts;
    private ImageState.Failed lastFailure;
    private boolean backOffRecorded;

    ImageRequest(Pod pod, JsonNode container, Consumer<ObjectKey> requeue, ImageName name, PullPolicy policy) {
        this.container = container.path("name").asText("");
        this.image = container.path("image").asText("");
        this.policyText = container.path("imagePullPolicy").asText("");
        this.name = name;
        this.policy = policy;
        update(pod, requeue);
    }

    /** Returns whether a container's image and policy are those of this request. */
    boolean isFor(JsonNode spec) {
        return image.equals(spec.path("image").asText(""))
                && policyText.equals(spec.path("imagePullPolicy").asText(""));
    }

    /** Updates the request with the newest Pod and callback. */
    void update(Pod newest, Consumer<ObjectKey> callback) {
        pod = newest;
        requeue = callback;
    }

    Pod pod() {
        return pod;
    }

    String container() {
        return container;
    }

    String image() {
        return image;
    }

    ImageName name() {
        return name;
    }

    PullPolicy policy() {
        return policy;
    }

    Stage stage() {
        return stage;
    }

    ImageFacts facts() {
        return facts;
    }

    /** Returns the last reported state, if it was a failure. */
    Optional<ImageState.Failed> lastFailure() {
        return Optional.ofNullable(lastFailure);
    }

    void begin() {
        stage = Stage.IN_PROGRESS;
    }

    void present(ImageFacts found) {
        stage = Stage.PRESENT;
        facts = found;
        lastFailure = null;
    }

    void rejected(ImageState.Failed why) {
        stage = Stage.REJECTED;
        lastFailure = why;
    }

    void backOff(ImageState.Failed why) {
        stage = Stage.BACKING_OFF;
        lastFailure = why;
        backOffRecorded = false;
    }

    void setLastFailure(ImageState.Failed why) {
        lastFailure = why;
    }

    /** Marks the back-off Event as recorded; returns true on the first call since the failure. */
    boolean markBackOffRecorded() {
        boolean first = !backOffRecorded;
        backOffRecorded = true;
        return first;
    }

    Runnable notification() {
        ObjectKey key = pod.key();
        Consumer<ObjectKey> target = requeue;
        return () -> target.accept(key);
    }

    /** A container's imagePullPolicy. */
    enum PullPolicy {
        ALWAYS,
        IF_NOT_PRESENT,
        NEVER;

        static PullPolicy of(JsonNode container, ImageName image) {
            return switch (container.path("imagePullPolicy").asText("")) {
                case "Always" -> ALWAYS;
                case "Never" -> NEVER;
                case "IfNotPresent" -> IF_NOT_PRESENT;
                default -> image.latest() ? ALWAYS : IF_NOT_PRESENT;
            };
        }
    }
}
