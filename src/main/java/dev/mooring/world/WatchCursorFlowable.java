package dev.mooring.world;

import dev.mooring.model.Scope;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Scheduler;
import org.reactivestreams.Subscriber;

/** Creates a {@link WatchCursor} for each subscriber. */
final class WatchCursorFlowable extends Flowable<WorldEvent> {
    private final WatchHub hub;
    private final long after;
    private final Scope scope;
    private final Scheduler scheduler;

    WatchCursorFlowable(WatchHub hub, long after, Scope scope, Scheduler scheduler) {
        this.hub = hub;
        this.after = after;
        this.scope = scope;
        this.scheduler = scheduler;
    }

    @Override
    protected void subscribeActual(Subscriber<? super WorldEvent> subscriber) {
        WatchCursor cursor = new WatchCursor(hub, after, scope, subscriber, scheduler.createWorker());
        subscriber.onSubscribe(cursor);
        cursor.open();
    }
}
