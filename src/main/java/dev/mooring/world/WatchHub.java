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
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.reactivestreams.Subscription;

/**
 * Delivers committed events to watchers, from any revision on, each once and in order.
 *
 * <p>There is no queue per watcher. A {@link WatchCursor} is a position in the sequence of revisions: it reads from the
 * shared {@link RecentEvents}, or from the log if it is further behind, as fast as its subscriber requests, on its own
 * scheduler. So a slow watcher costs no memory and delays no other watcher. A cursor that has read everything becomes
 * idle, and only an event of its resource wakes it.
 *
 * <p>Threading: {@link #publish} is called on the ledger's thread and only stores; {@code dispatcher} notifies the
 * cursors.
 */
public final class WatchHub {
    private final EventLog log;
    private final RecentEvents recent;
    private final PriorStates prior;
    private final Executor dispatcher;
    private final Map<String, IdleWatchers> idleByResource = new ConcurrentHashMap<>();
    private final AtomicBoolean dispatchPending = new AtomicBoolean();
    private final AtomicInteger watchers = new AtomicInteger();

    /** Number of idle cursors. */
    private final AtomicInteger idle = new AtomicInteger();

    private volatile long published;

    /** The revision up to which cursors have been notified. Written on the dispatcher's thread only. */
    private volatile long dispatched;

    /**
     * @param log source of events that are no longer in memory
     * @param maxEvents number of events kept in memory
     * @param maxBytes memory limit of these
     * @param dispatcher notifies watchers, one task at a time
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
     * Returns the events after a revision that change objects in a scope, with back-pressure. Never completes; fails
     * with a {@link dev.mooring.model.CompactedException} if the next event is no longer retained.
     *
     * <p>The subscription is a {@link WatchHub.ResumableSubscription}.
     *
     * @param after 0 for all events
     * @param scheduler runs the reads, which may touch the disk, and the subscriber
     */
    public Flowable<WorldEvent> events(long after, Scope scope, Scheduler scheduler) {
        return new WatchCursor.WatchCursorFlowable(this, after, scope, scheduler);
    }

    /** Returns the newest revision that is visible to watchers. */
    public long published() {
        return published;
    }

    public int watchers() {
        return watchers.get();
    }

    /** Publishes events that have just become durable. Called by the ledger only. */
    void publish(List<WorldEvent> events) {
        for (WorldEvent event : events) {
            recent.add(event);
        }
        publishUpTo(events.get(events.size() - 1).revision());
    }

    /**
     * Publishes everything up to a revision, in memory or only in the log. If no cursor is idle, none is notified: a
     * cursor checks {@link #published} again after it becomes idle, so one of the two sees the other.
     */
    void publishUpTo(long revision) {
        if (revision > published) {
            published = revision;
            if (idle.get() > 0 && dispatchPending.compareAndSet(false, true)) {
                dispatcher.execute(this::dispatch);
            }
        }
    }

    private void dispatch() {
        dispatchPending.set(false);
        long upTo = published;
        Map<IdleWatchers, Long> touched = new LinkedHashMap<>();
        for (long revision = dispatched + 1; revision <= upTo; revision++) {
            Optional<WorldEvent> event = recent.get(revision);
            if (event.isEmpty()) {
                // No longer in memory: the affected resources are unknown, so all cursors read from here.
                long from = revision;
                idleByResource.values().forEach(idleOfResource -> touched.putIfAbsent(idleOfResource, from));
                break;
            }
            touched.putIfAbsent(idleWatchers(""), revision);
            for (Change change : event.get().event().changes()) {
                touched.putIfAbsent(idleWatchers(change.key().resource()), revision);
            }
        }
        touched.forEach((idleOfResource, first) -> idleOfResource.wake(first, upTo));
        dispatched = upTo;
    }

    /**
     * Returns the idle cursors of a resource; there is one such set per resource, and one for cursors that watch
     * everything.
     */
    private IdleWatchers idleWatchers(String resource) {
        return idleByResource.computeIfAbsent(resource, unused -> new IdleWatchers(idle));
    }

    /** Returns whether all events after a revision are in memory, so that resuming there does not read from disk. */
    public boolean isRecent(long after) {
        return after >= published || recent.get(after + 1).isPresent();
    }

    long dispatched() {
        return dispatched;
    }

    /** Returns the event of a revision, if it is published and in memory. */
    public Optional<WorldEvent> recent(long revision) {
        return recent.get(revision);
    }

    EventLog log() {
        return log;
    }

    PriorStates prior() {
        return prior;
    }

    IdleWatchers idleWatchersFor(Scope scope) {
        return idleWatchers(scope.resource());
    }

    void opened() {
        watchers.incrementAndGet();
    }

    void closed() {
        watchers.decrementAndGet();
    }

    /**
     * The newest events, bounded in number and bytes, shared by all watchers. One thread adds; any number of threads
     * read without a lock. An evicted event is not found; the reader falls back to the log.
     */
    private static final class RecentEvents {
        /** Approximate memory of an event besides the JSON of its objects. */
        private static final int OVERHEAD = 200;

        private final AtomicReferenceArray<WorldEvent> slots;
        private final int mask;
        private final long maxBytes;
        private long bytes;
        private long oldest = 1;
        private long newest;

        RecentEvents(int maxEvents, long maxBytes) {
            int capacity = Integer.highestOneBit(Math.max(2, maxEvents));
            this.slots = new AtomicReferenceArray<>(capacity);
            this.mask = capacity - 1;
            this.maxBytes = maxBytes;
        }

        /** Appends the next event. Called by one thread. */
        void add(WorldEvent event) {
            if (event.revision() != newest + 1) {
                clear(event.revision());
            }
            newest = event.revision();
            bytes += size(event);
            while (oldest < newest && (newest - oldest > mask || bytes > maxBytes)) {
                forgetOldest();
            }
            slots.set(slot(newest), event);
        }

        Optional<WorldEvent> get(long revision) {
            WorldEvent event = slots.get(slot(revision));
            return event != null && event.revision() == revision ? Optional.of(event) : Optional.empty();
        }

        private void clear(long next) {
            while (oldest <= newest) {
                forgetOldest();
            }
            oldest = next;
        }

        private void forgetOldest() {
            WorldEvent event = slots.getAndSet(slot(oldest), null);
            if (event != null) {
                bytes -= size(event);
            }
            oldest++;
        }

        private int slot(long revision) {
            return (int) revision & mask;
        }

        /**
         * Returns the memory of an event: the object after, its encoded watch line and the object before may be held by
         * the event alone.
         */
        private static long size(WorldEvent event) {
            long size = OVERHEAD;
            for (Change change : event.event().changes()) {
                size += OVERHEAD + 3L * change.object().json().length;
            }
            return size;
        }
    }

    /** A watcher's subscription that knows its position. */
    public interface ResumableSubscription extends Subscription {
        /**
         * Returns a revision from which the watch can be resumed: every event up to it was delivered or is not relevant
         * to this watcher. Call it on the watcher's scheduler.
         */
        long resumeRevision();
    }
}
