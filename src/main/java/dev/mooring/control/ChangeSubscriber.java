package dev.mooring.control;

import dev.mooring.model.Change;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.WorldEvent;
import io.reactivex.rxjava3.core.FlowableSubscriber;
import io.reactivex.rxjava3.disposables.Disposable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.reactivestreams.Subscription;

/**
 * Passes the changes of one scope from the reading thread to the loop's thread. Prefetches at most
 * {@link #MAX_PREFETCH} events.
 */
final class ChangeSubscriber implements FlowableSubscriber<WorldEvent>, Disposable {
    /**
     * A change and the object it replaced. The previous object is looked up on the reading thread, because the lookup
     * may read from disk.
     */
    record ObservedChange(Change change, Optional<StoredObject> before) {}

    private static final int MAX_PREFETCH = 256;
    private static final int REQUEST_SIZE = MAX_PREFETCH / 2;

    private final Scope scope;
    private final LoopExecutor executor;
    private final Consumer<List<ObservedChange>> onChanges;
    private final Consumer<Throwable> onFailed;

    private volatile Subscription subscription;
    private volatile boolean disposed;

    /** Events delivered since the last request. Accessed on the loop's thread only. */
    private int delivered;

    /**
     * @param changes receives the changes of one event, on the loop's thread
     * @param failed receives the terminal error, on the loop's thread
     */
    ChangeSubscriber(
            Scope scope, LoopExecutor executor, Consumer<List<ObservedChange>> changes, Consumer<Throwable> failed) {
        this.scope = scope;
        this.executor = executor;
        this.onChanges = changes;
        this.onFailed = failed;
    }

    @Override
    public void onSubscribe(Subscription given) {
        subscription = given;
        if (disposed) {
            given.cancel();
        } else {
            given.request(MAX_PREFETCH);
        }
    }

    @Override
    public void onNext(WorldEvent event) {
        List<Change> all = event.event().changes();
        List<ObservedChange> inScope = new ArrayList<>(all.size());
        for (int i = 0; i < all.size(); i++) {
            if (scope.contains(all.get(i).key())) {
                inScope.add(new ObservedChange(all.get(i), event.before(i)));
            }
        }
        executor.execute(() -> deliver(inScope));
    }

    private void deliver(List<ObservedChange> inScope) {
        if (disposed) {
            return;
        }
        onChanges.accept(inScope);
        if (++delivered == REQUEST_SIZE) {
            delivered = 0;
            subscription.request(REQUEST_SIZE);
        }
    }

    @Override
    public void onError(Throwable cause) {
        executor.execute(() -> {
            if (!disposed) {
                onFailed.accept(cause);
            }
        });
    }

    @Override
    public void onComplete() {
        onError(new IllegalStateException("Event stream of " + scope + " ended unexpectedly"));
    }

    @Override
    public void dispose() {
        disposed = true;
        Subscription given = subscription;
        if (given != null) {
            given.cancel();
        }
    }

    @Override
    public boolean isDisposed() {
        return disposed;
    }
}
