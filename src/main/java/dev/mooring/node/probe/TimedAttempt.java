package dev.mooring.node.probe;

import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.disposables.Disposable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * An attempt that ends with a result or at its time limit. All its resources are released at the end in either case, so
 * an unresponsive peer holds none. Thread-safe.
 */
final class TimedAttempt<T> {
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final List<Runnable> releases = new ArrayList<>();
    private boolean ended;

    /**
     * Creates an attempt.
     *
     * @param late the result at the time limit
     */
    TimedAttempt(Scheduler timers, Duration limit, Supplier<T> late) {
        Disposable timer = timers.scheduleDirect(() -> complete(late.get()), limit.toMillis(), TimeUnit.MILLISECONDS);
        onComplete(timer::dispose);
    }

    /** Returns the result. The stage always completes, and never exceptionally. */
    CompletionStage<T> result() {
        return result;
    }

    /** Completes the attempt; only the first call counts. */
    void complete(T outcome) {
        if (result.complete(outcome)) {
            List<Runnable> all;
            synchronized (this) {
                ended = true;
                all = List.copyOf(releases);
            }
            all.forEach(Runnable::run);
        }
    }

    /** Completes the attempt with the mapped result of the stage, when that completes. */
    <V> void completeWith(CompletionStage<V> known, BiFunction<V, Throwable, T> outcome) {
        known.whenComplete((value, failure) -> complete(outcome.apply(value, failure)));
    }

    boolean isDone() {
        return result.isDone();
    }

    /** Registers a resource to release at the end; released at once if the attempt has ended. */
    void onComplete(Runnable release) {
        synchronized (this) {
            if (!ended) {
                releases.add(release);
                return;
            }
        }
        release.run();
    }
}
