package dev.mooring.world;

import dev.mooring.log.Batch;
import dev.mooring.log.EventReader;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.Scope;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.exceptions.Exceptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.reactivestreams.Subscriber;

/**
 * One watcher's position in the sequence of events.
 *
 * <p>All reads and subscriber calls happen in {@link #run}, on one worker, never concurrently: a thread that wants it
 * to run increments {@link #pendingRuns}, and the thread that increments it from zero schedules it. Between runs a
 * cursor holds only a revision.
 */
final class WatchCursor implements WatchHub.ResumableSubscription, Runnable {
    /** Events examined per run; then other tasks on the same thread run. */
    private static final int EVENTS_PER_RUN = 1024;

    private final WatchHub hub;
    private final Scope scope;
    private final Subscriber<? super WorldEvent> subscriber;
    private final Scheduler.Worker worker;
    private final IdleWatchers idleWatchers;
    private final AtomicLong requested = new AtomicLong();
    private final AtomicInteger pendingRuns = new AtomicInteger();

    /** There are no relevant events before this revision. Advanced by the threads that notify this cursor. */
    private final AtomicLong skipTo = new AtomicLong();

    private volatile boolean cancelled;

    /** Whether the cursor waits for a notification. While it does, there are no events for it to read. */
    private volatile boolean idle;

    private long next;
    private EventReader reader;
    private final Deque<Event> read = new ArrayDeque<>();

    WatchCursor(
            WatchHub hub, long after, Scope scope, Subscriber<? super WorldEvent> subscriber, Scheduler.Worker worker) {
        this.hub = hub;
        this.next = after + 1;
        this.scope = scope;
        this.subscriber = subscriber;
        this.worker = worker;
        this.idleWatchers = hub.idleWatchersFor(scope);
    }

    void open() {
        hub.opened();
        schedule();
    }

    @Override
    public void request(long count) {
        if (count <= 0) {
            cancel();
            worker.schedule(() -> subscriber.onError(
                    new IllegalArgumentException("Number of requested events must be positive, got " + count)));
            return;
        }
        requested.accumulateAndGet(count, (has, more) -> has + more < 0 ? Long.MAX_VALUE : has + more);
        schedule();
    }

    @Override
    public void cancel() {
        cancelled = true;
        schedule();
    }

    @Override
    public long resumeRevision() {
        long seen = next - 1;
        if (idle) {
            long others = hub.dispatched();
            // Still idle: none of the events up to there was relevant to this cursor.
            return idle ? Math.max(seen, others) : seen;
        }
        return seen;
    }

    /** Notifies the cursor of an event at {@code revision}; there is no relevant event before it. */
    void wake(long revision) {
        skipTo.accumulateAndGet(revision, Math::max);
        idle = false;
        schedule();
    }

    private void schedule() {
        if (pendingRuns.getAndIncrement() == 0) {
            worker.schedule(this);
        }
    }

    @Override
    public void run() {
        int handled = pendingRuns.get();
        boolean more = false;
        try {
            more = !cancelled && deliver();
            closeReader();
        } catch (Throwable e) {
            Exceptions.throwIfFatal(e);
            cancelled = true;
            finish();
            subscriber.onError(e instanceof UncheckedIOException unchecked ? unchecked.getCause() : e);
            return;
        }
        if (cancelled) {
            finish();
        } else if (more || pendingRuns.addAndGet(-handled) != 0) {
            worker.schedule(this);
        }
    }

    /** Delivers available events up to the requested number. Returns whether both events and requests may be left. */
    private boolean deliver() throws IOException {
        for (int visited = 0; visited < EVENTS_PER_RUN; visited++) {
            if (requested.get() == 0 || cancelled || idle) {
                return false;
            }
            Optional<WorldEvent> event = nextEvent();
            if (event.isEmpty()) {
                if (becomeIdle()) {
                    return false;
                }
            } else if (concerns(event.get())) {
                requested.updateAndGet(left -> left == Long.MAX_VALUE ? left : left - 1);
                subscriber.onNext(event.get());
            }
        }
        return true;
    }

    /** Becomes idle, unless an event arrived meanwhile. */
    private boolean becomeIdle() {
        idle = true;
        boolean waits = idleWatchers.add(this, next - 1);
        if (waits && hub.published() >= next) {
            idleWatchers.remove(this);
            waits = false;
        }
        if (!waits) {
            idle = false;
        }
        return waits;
    }

    /** Returns the next event, relevant or not; empty if all have been read. */
    private Optional<WorldEvent> nextEvent() throws IOException {
        if (skipTo.get() > next) {
            next = skipTo.get();
            closeReader();
        }
        if (next > hub.published()) {
            return Optional.empty();
        }
        Optional<WorldEvent> event = hub.recent(next);
        if (event.isEmpty()) {
            event = fromLog();
        }
        if (event.isPresent()) {
            next++;
        }
        return event;
    }

    /**
     * Returns the event at {@link #next} from the log. The reader may be behind it, if events in between were read from
     * memory.
     */
    private Optional<WorldEvent> fromLog() throws IOException {
        if (reader == null) {
            reader = hub.log().read(next);
        }
        while (read.isEmpty() || read.peekFirst().revision() < next) {
            if (read.pollFirst() == null) {
                Optional<Batch> batch = reader.next();
                if (batch.isEmpty()) {
                    return Optional.empty();
                }
                read.addAll(batch.get().events());
            }
        }
        return Optional.of(WorldEvent.past(read.removeFirst(), hub.prior()));
    }

    private boolean concerns(WorldEvent event) {
        for (Change change : event.event().changes()) {
            if (scope.contains(change.key())) {
                return true;
            }
        }
        return false;
    }

    private void closeReader() throws IOException {
        read.clear();
        if (reader != null) {
            EventReader closing = reader;
            reader = null;
            closing.close();
        }
    }

    private void finish() {
        idleWatchers.remove(this);
        hub.closed();
        worker.dispose();
    }

    /** Creates a {@link WatchCursor} for each subscriber. */
    static final class WatchCursorFlowable extends Flowable<WorldEvent> {
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
}
