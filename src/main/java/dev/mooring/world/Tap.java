package dev.mooring.world;

import dev.mooring.log.Batch;
import dev.mooring.log.EventReader;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.Scope;
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
 * One watcher's place in the sequence of events.
 *
 * <p>All reading and all calls of the subscriber happen in {@link #run}, on one worker, never two at a time: whoever wants it to run
 * raises {@link #wanted}, and the one who raises it from zero schedules it. Between runs a tap keeps a revision and nothing else.
 */
final class Tap implements Place, Runnable {
    /** After this many events looked at, others on the same thread get their turn. */
    private static final int TURN = 1024;

    private final WatchHub hub;
    private final Scope scope;
    private final Subscriber<? super WorldEvent> subscriber;
    private final Scheduler.Worker worker;
    private final ParkingLot lot;
    private final AtomicLong requested = new AtomicLong();
    private final AtomicInteger wanted = new AtomicInteger();

    /** Nothing of interest lies before it: moved on by whoever wakes this tap. */
    private final AtomicLong skipTo = new AtomicLong();

    private volatile boolean cancelled;

    /** While it waits to be woken, there is nothing for it to look at, whatever else happens and whatever is asked for. */
    private volatile boolean parked;

    private long next;
    private EventReader reader;
    private final Deque<Event> read = new ArrayDeque<>();

    Tap(WatchHub hub, long after, Scope scope, Subscriber<? super WorldEvent> subscriber, Scheduler.Worker worker) {
        this.hub = hub;
        this.next = after + 1;
        this.scope = scope;
        this.subscriber = subscriber;
        this.worker = worker;
        this.lot = hub.lotFor(scope);
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
                    new IllegalArgumentException("Expected a request for at least 1 event, but it was for " + count)));
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
    public long passed() {
        long seen = next - 1;
        if (parked) {
            long others = hub.dispatched();
            // Still parked: of those up to there, nothing concerned this tap.
            return parked ? Math.max(seen, others) : seen;
        }
        return seen;
    }

    /** There is an event at {@code revision}, and none that matters before it. */
    void wake(long revision) {
        skipTo.accumulateAndGet(revision, Math::max);
        parked = false;
        schedule();
    }

    private void schedule() {
        if (wanted.getAndIncrement() == 0) {
            worker.schedule(this);
        }
    }

    @Override
    public void run() {
        int handled = wanted.get();
        boolean more = false;
        try {
            more = !cancelled && turn();
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
        } else if (more || wanted.addAndGet(-handled) != 0) {
            worker.schedule(this);
        }
    }

    /** Hands out what is there and asked for; whether there may be more of both. */
    private boolean turn() throws IOException {
        for (int looked = 0; looked < TURN; looked++) {
            if (requested.get() == 0 || cancelled || parked) {
                return false;
            }
            Optional<WorldEvent> event = take();
            if (event.isEmpty()) {
                if (parks()) {
                    return false;
                }
            } else if (concerns(event.get())) {
                requested.updateAndGet(left -> left == Long.MAX_VALUE ? left : left - 1);
                subscriber.onNext(event.get());
            }
        }
        return true;
    }

    /** Waits to be woken, unless something has come meanwhile. */
    private boolean parks() {
        parked = true;
        boolean waits = lot.park(this, next - 1);
        if (waits && hub.published() >= next) {
            lot.leave(this);
            waits = false;
        }
        if (!waits) {
            parked = false;
        }
        return waits;
    }

    /** The next event, of interest or not; nothing if all have been seen. */
    private Optional<WorldEvent> take() throws IOException {
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

    /** The event at {@link #next}; the reader may be behind it, where events in between were found in memory. */
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
        lot.leave(this);
        hub.closed();
        worker.dispose();
    }
}
