package dev.mooring.kernel;

import dev.mooring.model.Scope;
import dev.mooring.world.Spine;
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

/** Waits for a World to be as it should be: looks when something has happened, and never only because time has passed. Any thread. */
record Awaiting(Spine spine) {
    private static final Duration LONG_ENOUGH = Duration.ofMinutes(4);

    /**
     * Answers with a World that is so.
     *
     * @param there what there is instead, for people
     */
    World await(String what, Predicate<World> reached, Supplier<String> there) {
        CompletableFuture<World> found = new CompletableFuture<>();
        Disposable watch = spine.hub()
                .events(spine.ledger().world().revision(), Scope.all(), Schedulers.io())
                .subscribe(event -> look(reached, found), found::completeExceptionally);
        try {
            look(reached, found);
            return get(found, () -> what + ", but there is\n" + there.get());
        } finally {
            watch.dispose();
        }
    }

    private void look(Predicate<World> reached, CompletableFuture<World> found) {
        World now = spine.ledger().world();
        if (!found.isDone() && reached.test(now)) {
            found.complete(now);
        }
    }

    /** @param what is said if it takes too long */
    static <T> T get(CompletableFuture<T> future, Supplier<String> what) {
        try {
            return future.get(LONG_ENOUGH.toSeconds(), TimeUnit.SECONDS);
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
