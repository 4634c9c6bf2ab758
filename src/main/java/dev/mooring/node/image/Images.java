package dev.mooring.node.image;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import dev.mooring.node.work.WorkParts;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.ImageFacts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The images that containers need: looks for them, fetches them as their policies say, tells their Pods about it, and remembers what came of it
 * until a container was made.
 *
 * <p>Everybody is answered at once with what is known. Who was told that it is coming, or that it failed, is woken when there is news. Asking
 * the engine and fetching happen on other threads, one question and one pull of a reference for all who wait for it. An engine that does not
 * answer is asked again until it does: that says nothing about an image. While a failed pull is tried again, its Pod goes on seeing that it
 * failed.
 *
 * <p>Thread-safe. Nobody is woken or told under its lock.
 */
public final class Images {
    static final String NEVER_PULL = "ErrImageNeverPull";
    static final String INVALID_NAME = "InvalidImageName";
    static final String INSPECT_ERROR = "ImageInspectError";

    private static final Logger LOG = LoggerFactory.getLogger(Images.class);
    private static final Duration ENGINE_AGAIN = Duration.ofSeconds(1);
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(10);
    private static final Duration NEVER = Duration.ofDays(365);

    private final ContainerRuntime runtime;
    private final WorkParts work;
    private final ImageLimits limits;
    private final ImageTeller teller;
    private final Looks looks;
    private final Pulls pulls;

    private final Object lock = new Object();
    private final Map<String, OfPod> pods = new HashMap<>();

    /** What is known for one Pod: by container, and by image. */
    private record OfPod(Map<String, Want> wants, Map<String, Setback> setbacks) {
        OfPod() {
            this(new HashMap<>(), new HashMap<>());
        }
    }

    /** @param actor who tells, such as node/NAME */
    public Images(ContainerRuntime runtime, WorkParts work, String actor, ImageLimits limits) {
        this.runtime = runtime;
        this.work = work;
        this.limits = limits;
        this.teller = new ImageTeller(actor, work);
        this.looks = new Looks(runtime, work.threads());
        this.pulls = new Pulls(runtime, work, limits.pulls());
    }

    /**
     * The image that the next attempt of a container is made of. To be asked again when woken, and when a failure says so.
     *
     * @param wake told when the answer is another one
     */
    public ImageState wanted(Pod pod, JsonNode container, Consumer<ObjectKey> wake) {
        Want.Request request = new Want.Request(
                pod,
                container.path("name").asText(""),
                container.path("image").asText(""),
                container.path("imagePullPolicy").asText(""),
                wake);
        List<Runnable> afterwards = new ArrayList<>();
        ImageState state;
        synchronized (lock) {
            OfPod known = pods.computeIfAbsent(pod.uid(), unused -> new OfPod());
            Want want = known.wants().get(request.container());
            if (want == null || !want.isFor(request)) {
                want = newWant(request, container, afterwards);
                known.wants().put(request.container(), want);
            }
            want.take(request);
            state = state(known, want, afterwards);
        }
        afterwards.forEach(Runnable::run);
        return state;
    }

    /** A container was made: its next attempt asks anew. */
    public void consumed(String podUid, String container) {
        synchronized (lock) {
            OfPod known = pods.get(podUid);
            if (known != null) {
                known.wants()
                        .computeIfPresent(container, (name, want) -> want.stage() == Want.Stage.PRESENT ? null : want);
            }
        }
    }

    /** Nobody will ask for this Pod any more. */
    public void forget(String podUid) {
        synchronized (lock) {
            pods.remove(podUid);
        }
    }

    private Want newWant(Want.Request request, JsonNode container, List<Runnable> afterwards) {
        try {
            ImageName name = ImageName.parse(request.image());
            return new Want(request, name, PullPolicy.of(container, name));
        } catch (ImageName.InvalidException e) {
            Want want = new Want(request, new ImageName("", "", "", false), PullPolicy.NEVER);
            want.refused(new ImageState.Failed(INVALID_NAME, e.getMessage(), now().plus(NEVER)));
            afterwards.add(() -> {
                teller.inspectFailed(request.pod(), e.getMessage());
                teller.error(request.pod(), INVALID_NAME);
            });
            return want;
        }
    }

    private ImageState state(OfPod known, Want want, List<Runnable> afterwards) {
        Instant now = now();
        switch (want.stage()) {
            case PRESENT -> {
                return new ImageState.Present(want.facts());
            }
            case NEW -> begin(want, afterwards);
            case UNDER_WAY -> {}
            case REFUSED -> {
                ImageState.Failed shown = want.shown().orElseThrow();
                if (!now.isBefore(shown.next())) {
                    want.show(new ImageState.Failed(shown.reason(), shown.message(), now.plus(LOOK_AGAIN)));
                    begin(want, afterwards);
                }
            }
            case SET_BACK -> setBack(known, want, now, afterwards);
        }
        return want.shown().map(ImageState.class::cast).orElseGet(ImageState.Coming::new);
    }

    private void setBack(OfPod known, Want want, Instant now, List<Runnable> afterwards) {
        Setback setback = known.setbacks().get(want.image());
        if (setback == null) {
            begin(want, afterwards);
        } else if (setback.isOver(now)) {
            want.show(setback.backOff(now.plus(NEVER)));
            begin(want, afterwards);
        } else {
            want.show(setback.state(now));
            tellBackOff(want, afterwards);
        }
    }

    private void tellBackOff(Want want, List<Runnable> afterwards) {
        boolean waits = want.shown()
                .filter(each -> each.reason().equals(Setback.BACK_OFF))
                .isPresent();
        if (waits && want.tellBackOff()) {
            Pod pod = want.pod();
            afterwards.add(() -> {
                teller.backOff(pod, want.image());
                teller.error(pod, Setback.BACK_OFF);
            });
        }
    }

    private void begin(Want want, List<Runnable> afterwards) {
        want.begin();
        afterwards.add(
                want.policy() == PullPolicy.ALWAYS
                        ? () -> onThread(() -> pull(want))
                        : () -> looks.join(want.name().reference(), look -> looked(want, look)));
    }

    private void onThread(Runnable task) {
        try {
            work.threads().execute(task);
        } catch (RejectedExecutionException e) {
            LOG.atDebug().setCause(e).log("There are no threads any more: the process is ending");
        }
    }

    private void looked(Want want, Looks.Look look) {
        if (look instanceof Looks.Unknown) {
            askEngineAgain(want);
        } else if (look instanceof Looks.Failed failed) {
            inspectFailed(want, failed.message());
        } else if (look instanceof Looks.Seen seen && seen.image().isPresent()) {
            ImageFacts facts = seen.image().get();
            settle(want, known -> want.present(facts), pod -> teller.alreadyPresent(pod, want.image()));
        } else if (want.policy() == PullPolicy.NEVER) {
            refuse(
                    want,
                    NEVER_PULL,
                    "Container image \"" + want.image() + "\" is not present with pull policy of Never",
                    teller::neverPulled);
        } else {
            pull(want);
        }
    }

    private void inspectFailed(Want want, String why) {
        refuse(want, INSPECT_ERROR, "Failed to inspect image \"" + want.image() + "\": " + why, teller::inspectFailed);
    }

    /** Somebody may put it there: it is looked for again now and then, and told only if that is news. */
    private void refuse(Want want, String reason, String message, BiConsumer<Pod, String> event) {
        List<Runnable> telling = new ArrayList<>();
        settle(
                want,
                known -> {
                    boolean news = want.shown()
                            .filter(each -> each.message().equals(message))
                            .isEmpty();
                    if (news) {
                        Pod pod = want.pod();
                        telling.add(() -> event.accept(pod, message));
                        telling.add(() -> teller.error(pod, reason));
                    }
                    want.refused(new ImageState.Failed(reason, message, now().plus(LOOK_AGAIN)));
                },
                pod -> telling.forEach(Runnable::run));
    }

    private void pull(Want want) {
        Pod pod;
        synchronized (lock) {
            if (!isCurrent(want)) {
                return;
            }
            pod = want.pod();
        }
        if (isSetBack(want)) {
            return;
        }
        PullSecrets secrets = PullSecrets.of(work.world().world(), pod, want.name());
        teller.secrets(pod, secrets);
        teller.pulling(pod, want.image());
        Instant asked = now();
        pulls.join(new Pulls.Wanted(want.name().reference(), secrets.credentials()), new Pulls.Waiter() {
            @Override
            public void progress(long doneBytes, long totalBytes) {
                teller.progress(pod, want.image(), doneBytes, totalBytes);
            }

            @Override
            public void ended(PullEnd end) {
                Images.this.ended(want, asked, end);
            }
        });
    }

    /** Another container of the Pod may have found out that it is not to be had for now. */
    private boolean isSetBack(Want want) {
        List<Runnable> afterwards = new ArrayList<>();
        synchronized (lock) {
            OfPod known = pods.get(want.pod().uid());
            Setback setback = known == null ? null : known.setbacks().get(want.image());
            if (setback == null || setback.isOver(now())) {
                return false;
            }
            want.setBack(setback.state(now()));
            tellBackOff(want, afterwards);
            afterwards.add(want.waking());
        }
        afterwards.forEach(Runnable::run);
        return true;
    }

    private void ended(Want want, Instant asked, PullEnd end) {
        if (end instanceof PullEnd.Done done) {
            Duration withWaiting = Duration.between(asked, now());
            settle(
                    want,
                    known -> {
                        want.present(done.image());
                        known.setbacks().remove(want.image());
                    },
                    pod -> teller.pulled(pod, want.image(), done, withWaiting));
        } else if (end instanceof PullEnd.Failed failed) {
            String remark = remark(want);
            settle(
                    want,
                    known -> {
                        Setback setback = known.setbacks()
                                .computeIfAbsent(want.image(), image -> new Setback(image, limits.backoff()));
                        setback.failed(failed, now());
                        want.setBack(setback.state(now()));
                    },
                    pod -> {
                        teller.failedToPull(pod, want.image(), failed.message(), remark);
                        teller.error(pod, Setback.ERROR);
                    });
        } else {
            askEngineAgain(want);
        }
    }

    private String remark(Want want) {
        if (want.policy() != PullPolicy.ALWAYS) {
            return "";
        }
        try {
            return runtime.image(want.name().reference()).isPresent()
                    ? " (the image is present on this machine: imagePullPolicy IfNotPresent would use it)"
                    : "";
        } catch (EngineException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    private void askEngineAgain(Want want) {
        work.timers()
                .scheduleDirect(
                        () -> {
                            List<Runnable> afterwards = new ArrayList<>();
                            synchronized (lock) {
                                if (isCurrent(want)) {
                                    begin(want, afterwards);
                                }
                            }
                            afterwards.forEach(Runnable::run);
                        },
                        ENGINE_AGAIN.toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    /** Takes down what came of it, tells it and wakes who waits; nothing of that if nobody wants to know any more. */
    private void settle(Want want, Consumer<OfPod> take, Consumer<Pod> tell) {
        Pod pod;
        Runnable waking;
        synchronized (lock) {
            if (!isCurrent(want)) {
                return;
            }
            take.accept(pods.get(want.pod().uid()));
            pod = want.pod();
            waking = want.waking();
        }
        tell.accept(pod);
        waking.run();
    }

    private boolean isCurrent(Want want) {
        OfPod known = pods.get(want.pod().uid());
        return known != null
                && want.equals(known.wants().get(want.container()))
                && want.stage() == Want.Stage.UNDER_WAY;
    }

    private Instant now() {
        return work.clock().instant();
    }
}
