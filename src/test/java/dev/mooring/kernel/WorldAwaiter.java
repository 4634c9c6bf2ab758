package dev.mooring.kernel;

import dev.mooring.model.Scope;
import dev.mooring.world.StateStore;
import dev.mooring.world.World;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Waits until the World satisfies a condition, which is checked after each event, without polling. Thread-safe. */
record WorldAwaiter(StateStore stateStore) {
    private static final Duration TIMEOUT = Duration.ofMinutes(4);

    /**
     * Waits, and returns the World that satisfies the condition.
     *
     * @param actual describes the actual state for the failure message
     */
    World await(String what, Predicate<World> reached, Supplier<String> actual) {
        CompletableFuture<World> found = new CompletableFuture<>();
        Disposable watch = stateStore
                .hub()
                .events(stateStore.ledger().world().revision(), Scope.all(), Schedulers.io())
                .subscribe(event -> check(reached, found), found::completeExceptionally);
        try {
            check(reached, found);
            return get(found, () -> what + ", but found\n" + actual.get());
        } finally {
            watch.dispose();
        }
    }

    private void check(Predicate<World> reached, CompletableFuture<World> found) {
        World now = stateStore.ledger().world();
        if (!found.isDone() && reached.test(now)) {
            found.complete(now);
        }
    }

    /** @param what describes what was awaited, for the failure message */
    static <T> T get(CompletableFuture<T> future, Supplier<String> what) {
        try {
            return future.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("Expected " + what.get(), e);
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
