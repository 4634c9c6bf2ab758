package dev.mooring.node.container;

import dev.mooring.node.KeyedExecutor;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.runtime.ContainerRuntime;
import dev.mooring.runtime.ContainerRuntime.Credentials;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.ImageFacts;
import dev.mooring.volume.WorkerPoolKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.regex.Pattern;

/**
 * Pulls images: a limited number concurrently, and never one reference twice at once. Requests with equal reference and
 * credentials share one pull. A pull continues without waiters, so that the image is present for the next request.
 * Thread-safe; never blocks the caller.
 */
final class ImagePuller {
    private static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(10);
    /** How Docker quotes an unexpected registry response. */
    private static final Pattern RESPONSE_BODY =
            Pattern.compile("(error parsing HTTP \\d+ response body): .*", Pattern.DOTALL);

    private final ContainerRuntime runtime;
    private final WorkContext context;
    private final KeyedExecutor executor;

    private final Object lock = new Object();
    private final Map<PullKey, Pull> open = new HashMap<>();

    ImagePuller(ContainerRuntime runtime, WorkContext context, int atOnce) {
        this.runtime = runtime;
        this.context = context;
        this.executor = new KeyedExecutor(atOnce, context.threads());
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

    void submit(PullKey wanted, Waiter waiter) {
        Pull pull;
        boolean isNew;
        synchronized (lock) {
            isNew = !open.containsKey(wanted);
            pull = open.computeIfAbsent(wanted, Pull::new);
            pull.waiters.add(waiter);
        }
        if (isNew) {
            executor.submit(pull);
        }
    }

    private final class Pull extends KeyedExecutor.Task<PullResult> {
        private final PullKey key;
        private final List<Waiter> waiters = new ArrayList<>();
        private Instant lastProgress = Instant.EPOCH;

        private Pull(PullKey wanted) {
            super(new Object(), WorkerPoolKey.LOCAL, wanted.reference());
            this.key = wanted;
        }

        @Override
        protected PullResult run() {
            return pull(this);
        }

        @Override
        protected PullResult failed(Throwable cause) {
            return cause instanceof RejectedExecutionException
                    ? new PullResult.Unknown()
                    : new PullResult.Failed("pulling it failed because of a bug in Mooring: "
                            + cause.getClass().getSimpleName());
        }

        @Override
        protected void report(PullResult result) {
            executor.settle(this);
            List<Waiter> all;
            synchronized (lock) {
                open.remove(key, this);
                all = List.copyOf(waiters);
            }
            all.forEach(each -> each.finished(result));
        }

        @Override
        public String toString() {
            return key.reference();
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
