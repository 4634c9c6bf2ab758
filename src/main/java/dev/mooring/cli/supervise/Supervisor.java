package dev.mooring.cli.supervise;

import dev.mooring.api.Health;
import dev.mooring.api.HealthCheck;
import dev.mooring.api.HealthChecks;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Deploys verticles by name and replaces those that die, each with its own back-off: one that dies again and again holds up
 * nobody else. A verticle dies when its start fails, when an exception reaches its context uncaught, when it says so itself
 * ({@link Supervision}), or when it is killed. Each death is a log line, a metric and a failing health check
 * {@code verticle-NAME}.
 *
 * <p>Threading: may be called from any thread; all decisions are taken on one Vert.x context, and so are the callbacks of
 * the futures that are handed out.
 */
public final class Supervisor {
    private final Vertx vertx;
    private final Context context;
    private final SupervisorParts parts;
    private final HealthChecks healthChecks;

    // Only touched on the context.
    private final Map<String, Child> children = new HashMap<>();
    private final Deque<Child> newestFirst = new ArrayDeque<>();
    private Future<Void> stopped;

    public Supervisor(Vertx vertx, SupervisorParts parts, HealthChecks healthChecks) {
        this.vertx = vertx;
        this.context = vertx.getOrCreateContext();
        this.parts = parts;
        this.healthChecks = healthChecks;
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
            Child child = new Child(spec, vertx, context, parts);
            children.put(spec.name(), child);
            newestFirst.push(child);
            healthChecks.add(HealthCheck.ready(
                    "verticle-" + spec.name(),
                    () -> child.state().problem().map(Health::failing).orElse(Health.ok())));
            child.start();
            return child.firstUp();
        });
    }

    /** Kills a verticle; it will be replaced like any that died. Completes when the death is noted, not when it is overcome. */
    public Future<Void> kill(String name, String reason) {
        return onContext(() -> {
            Child child = children.get(name);
            if (child == null) {
                return Future.failedFuture(new IllegalArgumentException("Expected the name of a verticle ("
                        + String.join(", ", children.keySet()) + "), but got " + name));
            }
            child.kill(reason);
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
}
