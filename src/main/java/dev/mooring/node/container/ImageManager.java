package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.Backoff;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.ImageFacts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Manages the images of containers: inspects them, pulls them according to their policies, records Events, and keeps
 * the result until the container is created.
 *
 * <p>{@link #state} only reads. Callers of {@link #request} are requeued when the state changes. Inspections and pulls run on other threads and are shared by all requests for a reference. If the engine
 * does not respond, the manager retries until it does: this does not count as a failure of the image. While a failed
 * pull is retried, its Pod keeps the failed state.
 *
 * <p>Thread-safe. The lock is never held while callers are requeued or Events are recorded.
 */
public final class ImageManager {
    static final String NEVER_PULL = "ErrImageNeverPull";
    static final String INVALID_NAME = "InvalidImageName";
    static final String INSPECT_ERROR = "ImageInspectError";

    private static final Logger LOG = LoggerFactory.getLogger(ImageManager.class);
    private static final Duration ENGINE_RETRY_INTERVAL = Duration.ofSeconds(1);
    private static final Duration RECHECK_INTERVAL = Duration.ofSeconds(10);
    private static final Duration NEVER = Duration.ofDays(365);

    private final ContainerRuntime runtime;
    private final WorkContext work;
    private final ImageLimits limits;
    private final ImageEventRecorder recorder;
    private final ImageInspector inspector;
    private final ImagePuller puller;

    private final Object lock = new Object();
    private final Map<String, PodImages> pods = new HashMap<>();

    /** The state of one Pod: requests by container, and failures by image. */
    private record PodImages(Map<String, ImageRequest> requests, Map<String, PullFailure> failures) {
        PodImages() {
            this(new HashMap<>(), new HashMap<>());
        }
    }

    /**
     * Creates a manager.
     *
     * @param actor the source of the Events, such as node/NAME
     */
    public ImageManager(ContainerRuntime runtime, WorkContext work, String actor, ImageLimits limits) {
        this.runtime = runtime;
        this.work = work;
        this.limits = limits;
        this.recorder = new ImageEventRecorder(actor, work);
        this.inspector = new ImageInspector(runtime, work.threads());
        this.puller = new ImagePuller(runtime, work, limits.pulls());
    }

    /** Returns the state of the image for the next attempt of a container; pending if it was not requested yet. */
    public ImageState state(Pod pod, JsonNode container, Instant now) {
        synchronized (lock) {
            PodImages known = pods.get(pod.uid());
            ImageRequest request = known == null
                    ? null
                    : known.requests().get(container.path("name").asText(""));
            return request == null || !request.isFor(container) ? new ImageState.Pending() : state(known, request, now);
        }
    }

    private static ImageState state(PodImages known, ImageRequest request, Instant now) {
        if (request.stage() == ImageRequest.Stage.PRESENT) {
            return new ImageState.Present(request.facts());
        }
        Optional<ImageState.Failed> last = request.lastFailure();
        PullFailure failure = known.failures().get(request.image());
        if (request.stage() == ImageRequest.Stage.BACKING_OFF && failure != null) {
            last = Optional.of(failure.isExpired(now) ? failure.backOff(now.plus(NEVER)) : failure.state(now));
        } else if (request.stage() == ImageRequest.Stage.REJECTED) {
            last = last.map(shown -> isDue(shown, now) ? recheckLater(shown, now) : shown);
        }
        return last.map(ImageState.class::cast).orElseGet(ImageState.Pending::new);
    }

    private static boolean isDue(ImageState.Failed shown, Instant now) {
        return !now.isBefore(shown.next());
    }

    private static ImageState.Failed recheckLater(ImageState.Failed shown, Instant now) {
        return new ImageState.Failed(shown.reason(), shown.message(), now.plus(RECHECK_INTERVAL));
    }

    /**
     * Requests the image for the next attempt of a container, unless that is in progress. To be called again while the
     * image is not present, whenever the Pod is requeued and at the time a failure names.
     *
     * @param requeue called when the state changes
     */
    public void request(Pod pod, JsonNode container, Consumer<ObjectKey> requeue) {
        List<Runnable> afterwards = new ArrayList<>();
        synchronized (lock) {
            PodImages known = pods.computeIfAbsent(pod.uid(), unused -> new PodImages());
            String name = container.path("name").asText("");
            ImageRequest imageRequest = known.requests().get(name);
            if (imageRequest == null || !imageRequest.isFor(container)) {
                imageRequest = newRequest(pod, container, requeue, afterwards);
                known.requests().put(name, imageRequest);
            }
            imageRequest.update(pod, requeue);
            proceed(known, imageRequest, afterwards);
        }
        afterwards.forEach(Runnable::run);
    }

    /** Drops the request of a created container: its next attempt makes a new one. */
    public void containerCreated(String podUid, String container) {
        synchronized (lock) {
            PodImages known = pods.get(podUid);
            if (known != null) {
                known.requests()
                        .computeIfPresent(
                                container, (name, each) -> each.stage() == ImageRequest.Stage.PRESENT ? null : each);
            }
        }
    }

    /** Drops all state of a Pod. */
    public void forget(String podUid) {
        synchronized (lock) {
            pods.remove(podUid);
        }
    }

    private ImageRequest newRequest(
            Pod pod, JsonNode container, Consumer<ObjectKey> requeue, List<Runnable> afterwards) {
        String image = container.path("image").asText("");
        try {
            ImageName name = ImageName.parse(image);
            if (!name.isReserved()) {
                return new ImageRequest(pod, container, requeue, name, ImageRequest.PullPolicy.of(container, name));
            }
        } catch (ImageName.InvalidException e) {
            return invalid(pod, container, requeue, e.getMessage(), afterwards);
        }
        String message = "Failed to use image \"" + image + "\": the name " + ContainerRuntime.PAUSE_REPOSITORY
                + " is reserved for the image of Pod sandboxes; use another name";
        return invalid(pod, container, requeue, message, afterwards);
    }

    private ImageRequest invalid(
            Pod pod, JsonNode container, Consumer<ObjectKey> requeue, String message, List<Runnable> afterwards) {
        ImageRequest imageRequest = new ImageRequest(
                pod, container, requeue, new ImageName("", "", "", false), ImageRequest.PullPolicy.NEVER);
        imageRequest.rejected(new ImageState.Failed(INVALID_NAME, message, now().plus(NEVER)));
        afterwards.add(() -> {
            recorder.inspectFailed(pod, message);
            recorder.error(pod, INVALID_NAME);
        });
        afterwards.add(imageRequest.notification());
        return imageRequest;
    }

    private void proceed(PodImages known, ImageRequest imageRequest, List<Runnable> afterwards) {
        Instant now = now();
        switch (imageRequest.stage()) {
            case NEW -> begin(imageRequest, afterwards);
            case PRESENT, IN_PROGRESS -> {}
            case REJECTED -> {
                ImageState.Failed shown = imageRequest.lastFailure().orElseThrow();
                if (isDue(shown, now)) {
                    imageRequest.setLastFailure(recheckLater(shown, now));
                    begin(imageRequest, afterwards);
                }
            }
            case BACKING_OFF -> retryAfterBackOff(known, imageRequest, now, afterwards);
        }
    }

    private void retryAfterBackOff(PodImages known, ImageRequest imageRequest, Instant now, List<Runnable> afterwards) {
        PullFailure failure = known.failures().get(imageRequest.image());
        if (failure == null) {
            begin(imageRequest, afterwards);
        } else if (failure.isExpired(now)) {
            imageRequest.setLastFailure(failure.backOff(now.plus(NEVER)));
            begin(imageRequest, afterwards);
        } else {
            imageRequest.setLastFailure(failure.state(now));
            recordBackOff(imageRequest, afterwards);
        }
    }

    private void recordBackOff(ImageRequest imageRequest, List<Runnable> afterwards) {
        boolean waits = imageRequest
                .lastFailure()
                .filter(each -> each.reason().equals(PullFailure.BACK_OFF))
                .isPresent();
        if (waits && imageRequest.markBackOffRecorded()) {
            Pod pod = imageRequest.pod();
            afterwards.add(() -> {
                recorder.backOff(pod, imageRequest.image());
                recorder.error(pod, PullFailure.BACK_OFF);
            });
        }
    }

    private void begin(ImageRequest imageRequest, List<Runnable> afterwards) {
        imageRequest.begin();
        afterwards.add(
                imageRequest.policy() == ImageRequest.PullPolicy.ALWAYS
                        ? () -> onThread(() -> pull(imageRequest))
                        : () -> inspector.inspect(
                                imageRequest.name().reference(), inspection -> onInspected(imageRequest, inspection)));
    }

    private void onThread(Runnable task) {
        try {
            work.threads().execute(task);
        } catch (RejectedExecutionException e) {
            LOG.atDebug().setCause(e).log("Executor is shut down; ignoring image request");
        }
    }

    private void onInspected(ImageRequest imageRequest, ImageInspector.ImageInspection inspection) {
        if (inspection instanceof ImageInspector.Unknown) {
            retryLater(imageRequest);
        } else if (inspection instanceof ImageInspector.Failed failed) {
            inspectFailed(imageRequest, failed.message());
        } else if (inspection instanceof ImageInspector.Inspected seen
                && seen.image().isPresent()) {
            ImageFacts facts = seen.image().get();
            complete(
                    imageRequest,
                    known -> imageRequest.present(facts),
                    pod -> recorder.alreadyPresent(pod, imageRequest.image()));
        } else if (imageRequest.policy() == ImageRequest.PullPolicy.NEVER) {
            refuse(
                    imageRequest,
                    NEVER_PULL,
                    "Container image \"" + imageRequest.image() + "\" is not present with pull policy of Never",
                    recorder::neverPulled);
        } else {
            pull(imageRequest);
        }
    }

    private void inspectFailed(ImageRequest imageRequest, String why) {
        refuse(
                imageRequest,
                INSPECT_ERROR,
                "Failed to inspect image \"" + imageRequest.image() + "\": " + why,
                recorder::inspectFailed);
    }

    /**
     * Rejects a request. The image is inspected again periodically, because it may be added later; an Event is recorded
     * only for a new message.
     */
    private void refuse(ImageRequest imageRequest, String reason, String message, BiConsumer<Pod, String> event) {
        List<Runnable> notifications = new ArrayList<>();
        complete(
                imageRequest,
                known -> {
                    boolean news = imageRequest
                            .lastFailure()
                            .filter(each -> each.message().equals(message))
                            .isEmpty();
                    if (news) {
                        Pod pod = imageRequest.pod();
                        notifications.add(() -> event.accept(pod, message));
                        notifications.add(() -> recorder.error(pod, reason));
                    }
                    imageRequest.rejected(new ImageState.Failed(reason, message, now().plus(RECHECK_INTERVAL)));
                },
                pod -> notifications.forEach(Runnable::run));
    }

    private void pull(ImageRequest imageRequest) {
        Pod pod;
        synchronized (lock) {
            if (!isCurrent(imageRequest)) {
                return;
            }
            pod = imageRequest.pod();
        }
        if (isBackingOff(imageRequest)) {
            return;
        }
        PullSecrets secrets = PullSecrets.of(work.world().world(), pod, imageRequest.name());
        recorder.unusableSecrets(pod, secrets);
        recorder.pulling(pod, imageRequest.image());
        Instant requested = now();
        puller.submit(
                new ImagePuller.PullKey(imageRequest.name().reference(), secrets.credentials()),
                new ImagePuller.Waiter() {
                    @Override
                    public void progress(long doneBytes, long totalBytes) {
                        recorder.progress(pod, imageRequest.image(), doneBytes, totalBytes);
                    }

                    @Override
                    public void finished(ImagePuller.PullResult end) {
                        ImageManager.this.onPullFinished(imageRequest, requested, end);
                    }
                });
    }

    /** Returns whether the Pod is backing off from this image, possibly after a failure for another container. */
    private boolean isBackingOff(ImageRequest imageRequest) {
        List<Runnable> afterwards = new ArrayList<>();
        synchronized (lock) {
            PodImages known = pods.get(imageRequest.pod().uid());
            PullFailure failure = known == null ? null : known.failures().get(imageRequest.image());
            if (failure == null || failure.isExpired(now())) {
                return false;
            }
            imageRequest.backOff(failure.state(now()));
            recordBackOff(imageRequest, afterwards);
            afterwards.add(imageRequest.notification());
        }
        afterwards.forEach(Runnable::run);
        return true;
    }

    private void onPullFinished(ImageRequest imageRequest, Instant requested, ImagePuller.PullResult end) {
        if (end instanceof ImagePuller.PullResult.Pulled done) {
            Duration withWaiting = Duration.between(requested, now());
            complete(
                    imageRequest,
                    known -> {
                        imageRequest.present(done.image());
                        known.failures().remove(imageRequest.image());
                    },
                    pod -> recorder.pulled(pod, imageRequest.image(), done, withWaiting));
        } else if (end instanceof ImagePuller.PullResult.Failed failed) {
            String hint = policyHint(imageRequest);
            complete(
                    imageRequest,
                    known -> {
                        PullFailure failure = known.failures()
                                .computeIfAbsent(
                                        imageRequest.image(), image -> new PullFailure(image, limits.backoff()));
                        failure.record(failed, now());
                        imageRequest.backOff(failure.state(now()));
                    },
                    pod -> {
                        recorder.failedToPull(pod, imageRequest.image(), failed.message(), hint);
                        recorder.error(pod, PullFailure.ERROR);
                    });
        } else {
            retryLater(imageRequest);
        }
    }

    private String policyHint(ImageRequest imageRequest) {
        if (imageRequest.policy() != ImageRequest.PullPolicy.ALWAYS) {
            return "";
        }
        try {
            return runtime.image(imageRequest.name().reference()).isPresent()
                    ? " (the image is present on this machine: imagePullPolicy IfNotPresent would use it)"
                    : "";
        } catch (EngineException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    private void retryLater(ImageRequest imageRequest) {
        work.timers()
                .scheduleDirect(
                        () -> {
                            List<Runnable> afterwards = new ArrayList<>();
                            synchronized (lock) {
                                if (isCurrent(imageRequest)) {
                                    begin(imageRequest, afterwards);
                                }
                            }
                            afterwards.forEach(Runnable::run);
                        },
                        ENGINE_RETRY_INTERVAL.toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    /** Stores the result, records its Event and requeues the caller; no-op if the request was dropped. */
    private void complete(ImageRequest imageRequest, Consumer<PodImages> take, Consumer<Pod> tell) {
        Pod pod;
        Runnable notification;
        synchronized (lock) {
            if (!isCurrent(imageRequest)) {
                return;
            }
            take.accept(pods.get(imageRequest.pod().uid()));
            pod = imageRequest.pod();
            notification = imageRequest.notification();
        }
        tell.accept(pod);
        notification.run();
    }

    private boolean isCurrent(ImageRequest imageRequest) {
        PodImages known = pods.get(imageRequest.pod().uid());
        return known != null
                && imageRequest.equals(known.requests().get(imageRequest.container()))
                && imageRequest.stage() == ImageRequest.Stage.IN_PROGRESS;
    }

    private Instant now() {
        return work.clock().instant();
    }

    /**
     * Limits of image pulls.
     *
     * @param pulls maximum number of concurrent pulls
     * @param backoff delay of a Pod after failed pulls of an image
     */
    public record ImageLimits(int pulls, Backoff backoff) {
        /**
         * The kubelet's back-off. The kubelet pulls serially by default, so one slow registry delays all Pods; this
         * allows several pulls.
         */
        public static final ImageLimits DEFAULT = new ImageLimits(4, Backoff.CONTAINER);

        public ImageLimits {
            if (pulls < 1) {
                throw new IllegalArgumentException("pulls must be positive, got " + pulls);
            }
        }
    }
}
