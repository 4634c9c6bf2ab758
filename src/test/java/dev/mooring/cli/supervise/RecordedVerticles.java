package dev.mooring.cli.supervise;

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

/** Verticles that record what happened to them, numbered in the order they were made, and that fail or hang as told. */
final class RecordedVerticles {
    private final AtomicInteger made = new AtomicInteger();
    private final BlockingQueue<Incarnation> started = new LinkedBlockingQueue<>();
    private final List<String> history = new CopyOnWriteArrayList<>();
    private final Set<Integer> failing = ConcurrentHashMap.newKeySet();
    private final Map<Integer, Promise<Void>> heldStarts = new ConcurrentHashMap<>();
    private final Map<Integer, Promise<Void>> heldStops = new ConcurrentHashMap<>();
    private final Map<Integer, CompletableFuture<Void>> stops = new ConcurrentHashMap<>();

    ChildSpec named(String name) {
        return ChildSpec.required(name, supervision -> new Incarnation(made.incrementAndGet(), supervision));
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

    int made() {
        return made.get();
    }

    List<String> history() {
        return history;
    }

    CompletableFuture<Void> stopOf(int number) {
        return stops.computeIfAbsent(number, n -> new CompletableFuture<>());
    }

    void awaitStopOf(int number) {
        stopOf(number).orTimeout(20, TimeUnit.SECONDS).join();
    }

    /** The next verticle whose start began and was not told to fail. */
    Incarnation next() {
        try {
            Incarnation next = started.poll(20, TimeUnit.SECONDS);
            if (next == null) {
                throw new AssertionError("Expected another verticle to start, but the history is " + history);
            }
            return next;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    final class Incarnation extends VerticleBase {
        private final int number;
        private final Supervision supervision;

        private Incarnation(int number, Supervision supervision) {
            this.number = number;
            this.supervision = supervision;
        }

        int number() {
            return number;
        }

        Supervision supervision() {
            return supervision;
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
