package dev.mooring.node.image;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import dev.mooring.runtime.ImageFacts;
import java.util.Optional;
import java.util.function.Consumer;

/** That a container needs an image for its next attempt, and how far that is. What changes is guarded by the lock of {@link Images}. */
final class Want {
    /** How far it is. */
    enum Stage {
        NEW,
        /** Looked for, fetched, or waiting for an engine. */
        UNDER_WAY,
        PRESENT,
        /** The Pod's {@link Setback} with this image says more. */
        SET_BACK,
        /** {@link #shown} says why. */
        REFUSED
    }

    private final String container;
    private final String image;
    private final String policyText;
    private final ImageName name;
    private final PullPolicy policy;
    private Pod pod;
    private Consumer<ObjectKey> wake;
    private Stage stage = Stage.NEW;
    private ImageFacts facts;
    private ImageState.Failed shown;
    private boolean backOffTold;

    Want(Request request, ImageName name, PullPolicy policy) {
        this.container = request.container();
        this.image = request.image();
        this.policyText = request.policy();
        this.name = name;
        this.policy = policy;
        take(request);
    }

    /** What a container asks for. */
    record Request(Pod pod, String container, String image, String policy, Consumer<ObjectKey> wake) {}

    boolean isFor(Request request) {
        return image.equals(request.image()) && policyText.equals(request.policy());
    }

    /** Whoever asked last is told, and about the newest Pod. */
    void take(Request request) {
        pod = request.pod();
        wake = request.wake();
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

    /** What was told last, if that was a failure. */
    Optional<ImageState.Failed> shown() {
        return Optional.ofNullable(shown);
    }

    void begin() {
        stage = Stage.UNDER_WAY;
    }

    void present(ImageFacts found) {
        stage = Stage.PRESENT;
        facts = found;
        shown = null;
    }

    void refused(ImageState.Failed why) {
        stage = Stage.REFUSED;
        shown = why;
    }

    void setBack(ImageState.Failed why) {
        stage = Stage.SET_BACK;
        shown = why;
        backOffTold = false;
    }

    void show(ImageState.Failed why) {
        shown = why;
    }

    /** Whether this is the first time since it failed. */
    boolean tellBackOff() {
        boolean first = !backOffTold;
        backOffTold = true;
        return first;
    }

    Runnable waking() {
        ObjectKey key = pod.key();
        Consumer<ObjectKey> whom = wake;
        return () -> whom.accept(key);
    }
}
