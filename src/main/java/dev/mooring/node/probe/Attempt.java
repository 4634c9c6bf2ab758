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
 * Something that is tried once and has an end: when its outcome is known, or when its time is up. What it holds is let go at its end, whatever
 * that is; who hangs at the other side holds nothing. Thread-safe.
 */
final class Attempt<T> {
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final List<Runnable> held = new ArrayList<>();
    private boolean ended;

    /**
     * @param late what came of it when the time is up
     */
    Attempt(Scheduler timers, Duration limit, Supplier<T> late) {
        Disposable timer = timers.scheduleDirect(() -> end(late.get()), limit.toMillis(), TimeUnit.MILLISECONDS);
        atEnd(timer::dispose);
    }

    /** What came of it. Always comes, and never fails. */
    CompletionStage<T> result() {
        return result;
    }

    /** Only the first one counts. */
    void end(T outcome) {
        if (result.complete(outcome)) {
            List<Runnable> all;
            synchronized (this) {
                ended = true;
                all = List.copyOf(held);
            }
            all.forEach(Runnable::run);
        }
    }

    /** Ends with what is made of this, when that is known. */
    <V> void endWith(CompletionStage<V> known, BiFunction<V, Throwable, T> outcome) {
        known.whenComplete((value, failure) -> end(outcome.apply(value, failure)));
    }

    boolean isOver() {
        return result.isDone();
    }

    /** At once, if it has ended. */
    void atEnd(Runnable release) {
        synchronized (this) {
            if (!ended) {
                held.add(release);
                return;
            }
        }
        release.run();
    }
}
