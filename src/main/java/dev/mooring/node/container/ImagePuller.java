package dev.mooring.node.container;

import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.ContainerRuntime.Credentials;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.ImageFacts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pulls images: a limited number concurrently, and never one reference twice at once. Requests with equal reference and
 * credentials share one pull. A pull continues without waiters, so that the image is present for the next request.
 * Thread-safe; never blocks the caller.
 */
final class ImagePuller {
    private static final Logger LOG = LoggerFactory.getLogger(ImagePuller.class);
    private static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(10);
    /** How Docker quotes an unexpected registry response. */
    private static final Pattern RESPONSE_BODY =
            Pattern.compile("(error parsing HTTP \\d+ response body): .*", Pattern.DOTALL);

    private final ContainerRuntime runtime;
    private final WorkContext context;
    private final int maxConcurrent;

    private final Object lock = new Object();
    private final Map<PullKey, Pull> open = new HashMap<>();
    private final Deque<Pull> queue = new ArrayDeque<>();
    private final Set<String> references = new HashSet<>();

    ImagePuller(ContainerRuntime runtime, WorkContext context, int atOnce) {
        this.runtime = runtime;
        this.context = context;
        this.maxConcurrent = atOnce;
    }

    /** The key of a pull. Safe to print: {@link Credentials} hides passwords. */
    record PullKey(String reference, List<Credentials> credentials) {}

    /** Receives the result of a pull, on the thread that pulls. */
    interface Waiter {
        /** Called from time to time. */
        void progress(long doneBytes, long totalBytes);

        /** Called once. */
        void finished(PullResult end);
    }

    private static final class Pull {
        private final PullKey key;
        private final List<Waiter> waiters = new ArrayList<>();
        private Instant lastProgress = Instant.EPOCH;

        Pull(PullKey wanted) {
            this.key = wanted;
        }
    }

    void submit(PullKey wanted, Waiter waiter) {
        synchronized (lock) {
            Pull pull = open.get(wanted);
            if (pull == null) {
                pull = new Pull(wanted);
                open.put(wanted, pull);
                queue.add(pull);
            }
            pull.waiters.add(waiter);
        }
        dispatch();
    }

    private void dispatch() {
        for (Pull pull : admit()) {
            try {
                context.threads().execute(() -> run(pull));
            } catch (RejectedExecutionException e) {
                // Executor is shut down; there are no waiters.
                finish(pull);
            }
        }
    }

    private List<Pull> admit() {
        List<Pull> admitted = new ArrayList<>();
        synchronized (lock) {
            Iterator<Pull> waiting = queue.iterator();
            while (references.size() < maxConcurrent && waiting.hasNext()) {
                Pull pull = waiting.next();
                if (references.add(pull.key.reference())) {
                    waiting.remove();
                    admitted.add(pull);
                }
            }
        }
        return admitted;
    }

    private void run(Pull pull) {
        PullResult end = new PullResult.Unknown();
        List<Waiter> waiters;
        try {
            end = pull(pull);
        } catch (RuntimeException e) {
            LOG.atError().addKeyValue("image", pull.key.reference()).setCause(e).log("Failed to pull image");
            end = new PullResult.Failed("pulling it failed because of a bug in Mooring: "
                    + e.getClass().getSimpleName());
        } finally {
            waiters = finish(pull);
            dispatch();
        }
        for (Waiter each : waiters) {
            each.finished(end);
        }
    }

    private List<Waiter> finish(Pull pull) {
        synchronized (lock) {
            open.remove(pull.key, pull);
            references.remove(pull.key.reference());
            return List.copyOf(pull.waiters);
        }
    }

    private PullResult pull(Pull pull) {
        Instant start = context.clock().instant();
        pull.lastProgress = start;
        List<Optional<Credentials>> ways = new ArrayList<>();
        pull.key.credentials().forEach(each -> ways.add(Optional.of(each)));
        if (ways.isEmpty()) {
            ways.add(Optional.empty());
        }
        List<String> failures = new ArrayList<>();
        for (Optional<Credentials> way : ways) {
            try {
                return new PullResult.Pulled(
                        runtime.pull(pull.key.reference(), way, (done, total) -> progress(pull, done, total)),
                        Duration.between(start, context.clock().instant()));
            } catch (EngineException e) {
                if (e.isUnavailable() && !isSlowRegistry(pull, e)) {
                    return new PullResult.Unknown();
                }
                failures.add(withoutBody(withoutPassword(e.getMessage(), way)));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return new PullResult.Unknown();
            }
        }
        return new PullResult.Failed(failures.size() == 1 ? failures.get(0) : '[' + String.join(", ", failures) + ']');
    }

    /** Returns whether the registry is slow: the pull timed out, but the engine responds to another call. */
    private boolean isSlowRegistry(Pull pull, EngineException e) {
        if (e.kind() != EngineException.Kind.TOO_SLOW) {
            return false;
        }
        try {
            runtime.image(pull.key.reference());
            return true;
        } catch (EngineException again) {
            return !again.isUnavailable();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Removes the password from an error message: engines do not repeat it, but a registry might. */
    private static String withoutPassword(String message, Optional<Credentials> used) {
        String words = message == null ? "" : message;
        String password = used.map(Credentials::password).orElse("");
        return password.isEmpty() ? words : words.replace(password, "***");
    }

    /**
     * Removes the response body from an error message. The engine may reach hosts that the Pod's author cannot, so the
     * response of a host that is no registry must not be shown.
     */
    private static String withoutBody(String message) {
        return RESPONSE_BODY.matcher(message).replaceAll("$1");
    }

    private void progress(Pull pull, long done, long total) {
        Instant now = context.clock().instant();
        List<Waiter> waiters;
        synchronized (lock) {
            if (now.isBefore(pull.lastProgress.plus(PROGRESS_INTERVAL))) {
                return;
            }
            pull.lastProgress = now;
            waiters = List.copyOf(pull.waiters);
        }
        for (Waiter each : waiters) {
            each.progress(done, total);
        }
    }

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
}
