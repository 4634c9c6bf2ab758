package dev.mooring.world;

import dev.mooring.log.EventLog;
import dev.mooring.model.Change;
import dev.mooring.model.Scope;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Scheduler;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Hands committed events to whoever watches, from any revision on, each once and in order.
 *
 * <p>There is no queue per watcher. A {@link Tap} is a place in the sequence of revisions: it reads the {@link RecentEvents} all share, or
 * the log if it is further behind, as fast as its subscriber asks for, on its own scheduler. So a slow watcher costs nothing and
 * holds nobody up. A tap that has seen everything is parked by the resource it watches, and only an event of that resource wakes
 * it: what nobody asked for costs nothing either.
 *
 * <p>Threading: {@link #publish} is called by the ledger's thread and only stores; waking is done by {@code dispatcher}.
 */
public final class WatchHub {
    private final EventLog log;
    private final RecentEvents recent;
    private final PriorStates prior;
    private final Executor dispatcher;
    private final Map<String, ParkingLot> lots = new ConcurrentHashMap<>();
    private final AtomicBoolean dispatchPending = new AtomicBoolean();
    private final AtomicInteger watchers = new AtomicInteger();

    /** Taps that wait to be woken. */
    private final AtomicInteger parked = new AtomicInteger();

    private volatile long published;

    /** All whom the events up to this one concern have been woken. Written by the dispatcher's thread only. */
    private volatile long dispatched;

    /**
     * @param log where events are read that are no longer in memory
     * @param maxEvents how many events are kept in memory
     * @param maxBytes how many bytes they may take
     * @param dispatcher a thread to wake watchers on, one task at a time
     */
    public WatchHub(EventLog log, int maxEvents, long maxBytes, Executor dispatcher) {
        this.log = log;
        this.recent = new RecentEvents(maxEvents, maxBytes);
        this.prior = new PriorStates(log);
        this.dispatcher = dispatcher;
        this.published = log.lastRevision();
        this.dispatched = published;
    }

    /**
     * The events after a revision that change something in a scope, with back-pressure. Does not end by itself; ends with a
     * {@link dev.mooring.model.CompactedException} if what comes next is no longer kept.
     *
     * <p>The subscription handed out is a {@link Place}.
     *
     * @param after 0 for all from the beginning
     * @param scheduler runs the reading, which may touch the disk, and the subscriber
     */
    public Flowable<WorldEvent> events(long after, Scope scope, Scheduler scheduler) {
        return new TapFlowable(this, after, scope, scheduler);
    }

    /** The newest revision that watchers can see. */
    public long published() {
        return published;
    }

    public int watchers() {
        return watchers.get();
    }

    /** Makes events visible that have just become durable. Only the ledger calls it. */
    void publish(List<WorldEvent> events) {
        for (WorldEvent event : events) {
            recent.add(event);
        }
        publishUpTo(events.get(events.size() - 1).revision());
    }

    /**
     * Makes everything up to a revision visible, be it in memory or only in the log. If nobody is parked, nobody is woken: a tap looks at
     * {@link #published} again after it has parked, so one of the two sees the other.
     */
    void publishUpTo(long revision) {
        if (revision > published) {
            published = revision;
            if (parked.get() > 0 && dispatchPending.compareAndSet(false, true)) {
                dispatcher.execute(this::dispatch);
            }
        }
    }

    private void dispatch() {
        dispatchPending.set(false);
        long upTo = published;
        Map<ParkingLot, Long> touched = new LinkedHashMap<>();
        for (long revision = dispatched + 1; revision <= upTo; revision++) {
            Optional<WorldEvent> event = recent.get(revision);
            if (event.isEmpty()) {
                // No longer in memory: whom it concerned is unknown, so everybody looks, from here on.
                long from = revision;
                lots.values().forEach(lot -> touched.putIfAbsent(lot, from));
                break;
            }
            touched.putIfAbsent(lot(""), revision);
            for (Change change : event.get().event().changes()) {
                touched.putIfAbsent(lot(change.key().resource()), revision);
            }
        }
        touched.forEach((lot, first) -> lot.wake(first, upTo));
        dispatched = upTo;
    }

    /** Lots are few: one for each resource there is, and one for those who watch all. */
    private ParkingLot lot(String resource) {
        return lots.computeIfAbsent(resource, unused -> new ParkingLot(parked));
    }

    /** Whether everything after a revision is still in memory, so that going on from there does not touch the disk. */
    public boolean isRecent(long after) {
        return after >= published || recent.get(after + 1).isPresent();
    }

    long dispatched() {
        return dispatched;
    }

    Optional<WorldEvent> recent(long revision) {
        return recent.get(revision);
    }

    EventLog log() {
        return log;
    }

    PriorStates prior() {
        return prior;
    }

    ParkingLot lotFor(Scope scope) {
        return lot(scope.resource());
    }

    void opened() {
        watchers.incrementAndGet();
    }

    void closed() {
        watchers.decrementAndGet();
    }
}
