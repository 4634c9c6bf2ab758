package dev.mooring.server;

import dev.mooring.api.HealthCheck;
import dev.mooring.api.HealthChecks;
import dev.mooring.control.Backoff;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deploys verticles by name and replaces those that die, each with its own back-off, so that one that keeps dying does
 * not delay the others. A verticle dies when its start fails, when an exception reaches its context uncaught, when it
 * reports a failure ({@link ChildSpec.FailureReporter}), or when it is killed. Each death is logged, counted, passed to
 * the listeners and shown by the health check {@code verticle-NAME}: failing if nothing can be served without the
 * verticle, else degraded.
 *
 * <p>Thread-safe. All decisions, and the callbacks of returned futures, run on one Vert.x context.
 */
public final class Supervisor {
    private static final Logger LOG = LoggerFactory.getLogger(Supervisor.class);

    private final Vertx vertx;
    private final Context context;
    private final SupervisorContext supervisorContext;
    private final HealthChecks healthChecks;
    private final List<VerticleListener> listeners = new CopyOnWriteArrayList<>();

    // Accessed on the context only.
    private final Map<String, Child> children = new LinkedHashMap<>();
    private final Deque<Child> newestFirst = new ArrayDeque<>();
    private Future<Void> stopped;

    public Supervisor(Vertx vertx, SupervisorContext supervisorContext, HealthChecks healthChecks) {
        this.vertx = vertx;
        this.context = vertx.getOrCreateContext();
        this.supervisorContext = supervisorContext;
        this.healthChecks = healthChecks;
    }

    /** Adds a listener for future changes. */
    public void addListener(VerticleListener listener) {
        listeners.add(listener);
    }

    /**
     * Supervises a verticle. Completes when it is up for the first time; fails if it never will be: see
     * {@link ChildSpec.FirstStartPolicy}.
     */
    public Future<Void> supervise(ChildSpec spec) {
        return onContext(() -> {
            if (stopped != null) {
                return Future.failedFuture(
                        new IllegalStateException("Cannot start " + spec.name() + ": the supervisor was stopped"));
            }
            if (children.containsKey(spec.name())) {
                return Future.failedFuture(
                        new IllegalArgumentException("Verticle " + spec.name() + " is already supervised"));
            }
            Child child = new Child(spec, vertx, context, supervisorContext, new CompositeListener());
            children.put(spec.name(), child);
            newestFirst.push(child);
            healthChecks.add(HealthCheck.ready("verticle-" + spec.name(), child::health));
            child.start();
            return child.firstUp();
        });
    }

    /** Returns the state of all verticles in order of their first start. */
    public Future<List<ChildReport>> children() {
        return onContext(() -> Future.succeededFuture(
                children.values().stream().map(Child::report).toList()));
    }

    /**
     * Kills a verticle; it is replaced like any that died. Completes when the death is recorded, not when the verticle
     * is up again.
     */
    public Future<Void> kill(String name, String reason) {
        return withChild(name, child -> child.kill(reason));
    }

    /** Stops a verticle and starts it again after the given time. Completes when the pause is recorded. */
    public Future<Void> pause(String name, Duration length, String reason) {
        return withChild(name, child -> child.pause(length, reason));
    }

    /** Ends all pauses. */
    public Future<Void> resumeAll() {
        return onContext(() -> {
            if (stopped == null) {
                children.values().forEach(Child::resume);
            }
            return Future.succeededFuture();
        });
    }

    private Future<Void> withChild(String name, Consumer<Child> action) {
        return onContext(() -> {
            Child child = children.get(name);
            if (child == null) {
                return Future.failedFuture(new IllegalArgumentException("Verticle \"" + name
                        + "\" not found; expected one of " + String.join(", ", children.keySet())));
            }
            action.accept(child);
            return Future.succeededFuture();
        });
    }

    /**
     * Stops all verticles, the newest first, each with its own deadline. Always succeeds. Nothing can be started
     * afterwards.
     */
    public Future<Void> stop() {
        return onContext(() -> {
            if (stopped == null) {
                // Set before the first stop, so that no verticle can be added meanwhile.
                Promise<Void> all = Promise.promise();
                stopped = all.future();
                stopNext(all);
            }
            return stopped;
        });
    }

    private void stopNext(Promise<Void> all) {
        if (newestFirst.isEmpty()) {
            all.complete();
            return;
        }
        newestFirst.pop().stop().onComplete(v -> stopNext(all));
    }

    private <T> Future<T> onContext(Supplier<Future<T>> action) {
        Promise<T> promise = Promise.promise();
        context.runOnContext(v -> {
            Future<T> result;
            try {
                result = action.get();
            } catch (RuntimeException e) {
                result = Future.failedFuture(e);
            }
            result.onComplete(promise);
        });
        return promise.future();
    }

    /** Notifies all listeners; an exception of one does not affect the others. */
    private final class CompositeListener implements VerticleListener {
        @Override
        public void died(String verticle, int deathsInARow, String cause, Duration nextTry) {
            notifyListeners(each -> each.died(verticle, deathsInARow, cause, nextTry));
        }

        @Override
        public void recovered(String verticle, int deathsBefore) {
            notifyListeners(each -> each.recovered(verticle, deathsBefore));
        }

        private void notifyListeners(Consumer<VerticleListener> news) {
            for (VerticleListener each : listeners) {
                try {
                    news.accept(each);
                } catch (RuntimeException e) {
                    LOG.atError().setCause(e).log("Verticle listener failed");
                }
            }
        }
    }

    /**
     * Back-off before a dead verticle is restarted.
     *
     * @param first delay after the first death; doubled with each further one
     * @param most maximum delay
     * @param healthyAfter uptime after which the next death counts as the first again
     * @param stopDeadline how long a verticle may take to stop (or, when it is killed while starting, to start) before
     *     the supervisor continues without waiting for it
     */
    public record BackoffPolicy(Duration first, Duration most, Duration healthyAfter, Duration stopDeadline) {
        public static final BackoffPolicy DEFAULT = new BackoffPolicy(
                Duration.ofMillis(100), Duration.ofSeconds(30), Duration.ofSeconds(60), Duration.ofSeconds(5));

        /** Relative jitter, so that verticles that died of the same cause do not restart at the same time. */
        private static final double JITTER = 0.2;

        /**
         * Returns the delay before the next start.
         *
         * @param deaths consecutive deaths, including the latest
         */
        Duration delay(int deaths, RandomGenerator random) {
            long millis = new Backoff(first, most).after(deaths).toMillis();
            long jittered = Math.round(millis * (1 + JITTER * (2 * random.nextDouble() - 1)));
            return Duration.ofMillis(Math.max(1, Math.min(jittered, most.toMillis())));
        }
    }

    /**
     * Receives deaths and recoveries of verticles. Called on the supervisor's context, so it must not block; exceptions
     * are logged and ignored.
     */
    public interface VerticleListener {
        /**
         * A verticle died and will be restarted.
         *
         * @param deathsInARow consecutive deaths, including this one
         */
        void died(String verticle, int deathsInARow, String cause, Duration nextTry);

        /** A verticle stayed up long enough that the next death counts as the first again. */
        void recovered(String verticle, int deathsBefore);
    }

    /**
     * State of a supervised verticle. Immutable.
     *
     * @param restarts since the process started
     * @param deathsInARow consecutive deaths without a healthy period
     * @param lastCause cause of the last death, if any
     * @param until start time of a waiting or paused verticle
     */
    public record ChildReport(
            String name,
            VerticlePhase phase,
            long restarts,
            int deathsInARow,
            Optional<String> lastCause,
            Optional<Instant> until) {

        /** Phase of a supervised verticle. */
        public enum VerticlePhase {
            STARTING,
            UP,
            /** Dead; its deployment is being stopped. */
            ENDING,
            /** Waiting for the next start. */
            WAITING,
            /** Stopped for a while on request. */
            PAUSED,
            /** Stopped permanently. */
            STOPPED
        }

        /** Returns whether there is a deployment to kill. */
        public boolean isAlive() {
            return phase == VerticlePhase.STARTING || phase == VerticlePhase.UP;
        }
    }

    /** Dependencies of a supervisor. */
    public record SupervisorContext(BackoffPolicy backoff, MeterRegistry meters, Clock clock, RandomGenerator random) {}
}
