package dev.mooring.cli.supervise;

import dev.mooring.api.HealthCheck;
import dev.mooring.api.HealthChecks;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deploys verticles by name and replaces those that die, each with its own back-off: one that dies again and again holds up
 * nobody else. A verticle dies when its start fails, when an exception reaches its context uncaught, when it says so itself
 * ({@link Supervision}), or when it is killed. Each death is a log line, a metric, news for the listeners and a health check
 * {@code verticle-NAME} that is not well: failing if nothing can be served without it, else degraded.
 *
 * <p>Threading: may be called from any thread; all decisions are taken on one Vert.x context, and so are the callbacks of
 * the futures that are handed out.
 */
public final class Supervisor {
    private static final Logger LOG = LoggerFactory.getLogger(Supervisor.class);

    private final Vertx vertx;
    private final Context context;
    private final SupervisorParts parts;
    private final HealthChecks healthChecks;
    private final List<VerticleListener> listeners = new CopyOnWriteArrayList<>();

    // Only touched on the context.
    private final Map<String, Child> children = new LinkedHashMap<>();
    private final Deque<Child> newestFirst = new ArrayDeque<>();
    private Future<Void> stopped;

    public Supervisor(Vertx vertx, SupervisorParts parts, HealthChecks healthChecks) {
        this.vertx = vertx;
        this.context = vertx.getOrCreateContext();
        this.parts = parts;
        this.healthChecks = healthChecks;
    }

    /** Has one more told from now on. */
    public void listen(VerticleListener listener) {
        listeners.add(listener);
    }

    /** Completes when the verticle is up for the first time. Fails if that will never be: see {@link ChildSpec.FirstStart}. */
    public Future<Void> supervise(ChildSpec spec) {
        return onContext(() -> {
            if (stopped != null) {
                return Future.failedFuture(new IllegalStateException(
                        "Expected to start " + spec.name() + ", but the supervisor was stopped"));
            }
            if (children.containsKey(spec.name())) {
                return Future.failedFuture(new IllegalArgumentException(
                        "Expected a new name for a verticle, but " + spec.name() + " is already supervised"));
            }
            Child child = new Child(spec, vertx, context, parts, new Everybody());
            children.put(spec.name(), child);
            newestFirst.push(child);
            healthChecks.add(HealthCheck.ready("verticle-" + spec.name(), child::health));
            child.start();
            return child.firstUp();
        });
    }

    /** How each is, in the order of their first start. */
    public Future<List<ChildReport>> children() {
        return onContext(() -> Future.succeededFuture(
                children.values().stream().map(Child::report).toList()));
    }

    /** Kills a verticle; it will be replaced like any that died. Completes when the death is noted, not when it is overcome. */
    public Future<Void> kill(String name, String reason) {
        return withChild(name, child -> child.kill(reason));
    }

    /** Stops a verticle and starts it again when the time has passed. Completes when that is noted. */
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
                return Future.failedFuture(new IllegalArgumentException("Expected the name of a verticle ("
                        + String.join(", ", children.keySet()) + "), but got " + name));
            }
            action.accept(child);
            return Future.succeededFuture();
        });
    }

    /** Stops all verticles, the newest first, each with its own deadline. Always succeeds. Nothing starts afterwards. */
    public Future<Void> stop() {
        return onContext(() -> {
            if (stopped == null) {
                // Set before the first stop, so that nobody can come in between.
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

    /** All who listen; what one of them breaks is its own. */
    private final class Everybody implements VerticleListener {
        @Override
        public void died(String verticle, int deathsInARow, String cause, Duration nextTry) {
            tell(each -> each.died(verticle, deathsInARow, cause, nextTry));
        }

        @Override
        public void recovered(String verticle, int deathsBefore) {
            tell(each -> each.recovered(verticle, deathsBefore));
        }

        private void tell(Consumer<VerticleListener> news) {
            for (VerticleListener each : listeners) {
                try {
                    news.accept(each);
                } catch (RuntimeException e) {
                    LOG.atError().setCause(e).log("Expected to pass on how a verticle fares, but the listener broke");
                }
            }
        }
    }
}
