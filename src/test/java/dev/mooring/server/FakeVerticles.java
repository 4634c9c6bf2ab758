package dev.mooring.server;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Verticles, numbered in the order of creation, that record their starts and stops and fail or hang on request. */
final class FakeVerticles {
    private final AtomicInteger created = new AtomicInteger();
    private final BlockingQueue<Instance> started = new LinkedBlockingQueue<>();
    private final List<String> history = new CopyOnWriteArrayList<>();
    private final Set<Integer> failing = ConcurrentHashMap.newKeySet();
    private final Map<Integer, Promise<Void>> heldStarts = new ConcurrentHashMap<>();
    private final Map<Integer, Promise<Void>> heldStops = new ConcurrentHashMap<>();
    private final Map<Integer, CompletableFuture<Void>> stops = new ConcurrentHashMap<>();

    ChildSpec named(String name) {
        return ChildSpec.required(name, reporter -> new Instance(created.incrementAndGet(), reporter));
    }

    void failStartsOf(Integer... numbers) {
        failing.addAll(Arrays.asList(numbers));
    }

    Promise<Void> holdStartOf(int number) {
        return heldStarts.computeIfAbsent(number, n -> Promise.promise());
    }

    void holdStopOf(int number) {
        heldStops.put(number, Promise.promise());
    }

    int created() {
        return created.get();
    }

    List<String> history() {
        return history;
    }

    CompletableFuture<Void> stopOf(int number) {
        return stops.computeIfAbsent(number, n -> new CompletableFuture<>());
    }

    void awaitStopOf(int number) {
        stopOf(number).orTimeout(60, TimeUnit.SECONDS).join();
    }

    /** Waits for and returns the next verticle whose start began and does not fail. */
    Instance next() {
        try {
            Instance next = started.poll(60, TimeUnit.SECONDS);
            if (next == null) {
                throw new AssertionError("No further verticle started; history: " + history);
            }
            return next;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    final class Instance extends VerticleBase {
        private final int number;
        private final ChildSpec.FailureReporter failureReporter;

        private Instance(int number, ChildSpec.FailureReporter reporter) {
            this.number = number;
            this.failureReporter = reporter;
        }

        int number() {
            return number;
        }

        ChildSpec.FailureReporter failureReporter() {
            return failureReporter;
        }

        void throwUncaught(RuntimeException exception) {
            context.runOnContext(v -> {
                throw exception;
            });
        }

        @Override
        public Future<?> start() {
            if (failing.contains(number)) {
                return Future.failedFuture(new IllegalStateException("cannot start " + number));
            }
            history.add("start " + number);
            started.add(this);
            Promise<Void> held = heldStarts.get(number);
            return held == null ? Future.succeededFuture() : held.future();
        }

        @Override
        public Future<?> stop() {
            history.add("stop " + number);
            stopOf(number).complete(null);
            Promise<Void> held = heldStops.get(number);
            return held == null ? Future.succeededFuture() : held.future();
        }
    }
}
