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
 * Brings the changes of one scope from the thread that reads them to the loop's thread. At most {@link #AHEAD} events are on their way;
 * the rest stays where it is.
 */
final class EventFeed implements FlowableSubscriber<WorldEvent>, Disposable {
    /** A change, with the object it replaced at hand: looking that up may touch the disk, so the loop's thread must not. */
    record Followed(Change change, Optional<StoredObject> before) {}

    private static final int AHEAD = 256;
    private static final int ASK_FOR = AHEAD / 2;

    private final Scope scope;
    private final LoopThread thread;
    private final Consumer<List<Followed>> changes;
    private final Consumer<Throwable> failed;

    private volatile Subscription subscription;
    private volatile boolean disposed;

    /** Events seen since more was asked for. The loop's thread only. */
    private int seen;

    /**
     * @param changes gets the changes of one event, on the loop's thread
     * @param failed told the end, on the loop's thread
     */
    EventFeed(Scope scope, LoopThread thread, Consumer<List<Followed>> changes, Consumer<Throwable> failed) {
        this.scope = scope;
        this.thread = thread;
        this.changes = changes;
        this.failed = failed;
    }

    @Override
    public void onSubscribe(Subscription given) {
        subscription = given;
        if (disposed) {
            given.cancel();
        } else {
            given.request(AHEAD);
        }
    }

    @Override
    public void onNext(WorldEvent event) {
        List<Change> all = event.event().changes();
        List<Followed> inScope = new ArrayList<>(all.size());
        for (int i = 0; i < all.size(); i++) {
            if (scope.contains(all.get(i).key())) {
                inScope.add(new Followed(all.get(i), event.before(i)));
            }
        }
        thread.run(() -> deliver(inScope));
    }

    private void deliver(List<Followed> inScope) {
        if (disposed) {
            return;
        }
        changes.accept(inScope);
        if (++seen == ASK_FOR) {
            seen = 0;
            subscription.request(ASK_FOR);
        }
    }

    @Override
    public void onError(Throwable cause) {
        thread.run(() -> {
            if (!disposed) {
                failed.accept(cause);
            }
        });
    }

    @Override
    public void onComplete() {
        onError(new IllegalStateException("Expected events never to end, but those of " + scope + " did"));
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
