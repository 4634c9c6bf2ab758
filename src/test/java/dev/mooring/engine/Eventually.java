package dev.mooring.engine;

import io.reactivex.rxjava3.core.Flowable;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Looks again and again until what is seen is as it should be; fails with what was seen last. */
final class Eventually {
    /** Far more than anything takes on a busy machine. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final long PERIOD_MILLIS = 50;

    private Eventually() {}

    static <T> T see(String what, Supplier<T> look, Predicate<T> isRight) {
        return see(what, PATIENCE, look, isRight);
    }

    static <T> T see(String what, Duration patience, Supplier<T> look, Predicate<T> isRight) {
        AtomicReference<T> last = new AtomicReference<>();
        return Optional.ofNullable(Flowable.interval(0, PERIOD_MILLIS, TimeUnit.MILLISECONDS)
                        .onBackpressureDrop()
                        .map(tick -> {
                            T seen = look.get();
                            last.set(seen);
                            return seen;
                        })
                        .filter(isRight::test)
                        .take(patience.toMillis(), TimeUnit.MILLISECONDS)
                        .firstElement()
                        .blockingGet())
                .orElseThrow(() -> new AssertionError("Expected " + what + ", but last seen was " + last.get()));
    }
}
