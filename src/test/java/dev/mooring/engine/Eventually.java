package dev.mooring.engine;

import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Polls a value until it satisfies a predicate; fails with the last value. */
final class Eventually {
    /** Far longer than any operation takes on a busy machine. */
    static final Duration TIMEOUT = Duration.ofSeconds(60);

    private static final long PERIOD_MILLIS = 50;

    private Eventually() {}

    static <T> T await(String expected, Supplier<T> supplier, Predicate<T> predicate) {
        return await(expected, TIMEOUT, supplier, predicate);
    }

    static <T> T await(String expected, Duration timeout, Supplier<T> supplier, Predicate<T> predicate) {
        AtomicReference<T> last = new AtomicReference<>();
        // Not on a computation thread, because the supplier blocks: a server in this process has its timers there.
        return Optional.ofNullable(Flowable.interval(0, PERIOD_MILLIS, TimeUnit.MILLISECONDS, Schedulers.io())
                        .onBackpressureDrop()
                        .map(tick -> {
                            T value = supplier.get();
                            last.set(value);
                            return value;
                        })
                        .filter(predicate::test)
                        .take(timeout.toMillis(), TimeUnit.MILLISECONDS)
                        .firstElement()
                        .blockingGet())
                .orElseThrow(() -> new AssertionError("Expected " + expected + ", but last value was " + last.get()));
    }
}
