package dev.mooring.volumedriver;

import dev.mooring.model.Scope;
import dev.mooring.world.Ledger;
import dev.mooring.world.WatchHub;
import dev.mooring.world.World;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Scheduler;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Waits for a state of the World. Blocks the calling thread.
 *
 * @param scheduler reads the events
 */
public record WorldWaiter(Ledger ledger, WatchHub hub, Scheduler scheduler) {
    /** Returns the first result that any World has; empty if there is none before the timeout. */
    <T> Optional<T> await(Duration timeout, Function<World, Optional<T>> look) {
        Flowable<World> worlds = Flowable.defer(() -> {
            World now = ledger.world();
            return hub.events(now.revision(), Scope.all(), scheduler)
                    .onBackpressureLatest()
                    .map(event -> ledger.world())
                    .startWithItem(now);
        });
        Maybe<T> found = worlds.retry()
                .concatMapMaybe(world -> Maybe.fromOptional(look.apply(world)))
                .firstElement();
        return Optional.ofNullable(found.timeout(timeout.toMillis(), TimeUnit.MILLISECONDS, Maybe.empty())
                .blockingGet());
    }
}
