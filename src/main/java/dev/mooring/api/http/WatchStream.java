package dev.mooring.api.http;

import dev.mooring.api.Status;
import dev.mooring.model.CompactedException;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.HistoryUnavailableException;
import dev.mooring.world.WatchHub;
import dev.mooring.world.World;
import dev.mooring.world.WorldEvent;
import io.reactivex.rxjava3.core.FlowableSubscriber;
import io.reactivex.rxjava3.core.Scheduler;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A watch stream: sends the initial objects if requested, then every event, at the client's speed. Confined to the
 * event loop of its request; events that are no longer in memory are read on another thread, so that a client that
 * resumes from an old revision delays no other.
 *
 * <p>It follows the {@link WatchHub} with one {@link WatchSubscriber} at a time. To switch between log and memory, the
 * stream drops the subscriber and starts a new one after the last sent revision, so that no event is lost or
 * duplicated.
 */
final class WatchStream {
    private static final Logger LOG = LoggerFactory.getLogger(WatchStream.class);

    /** Size of one chunk of initial objects. */
    private static final int CHUNK_BYTES = 64 * 1024;

    /** Maximum size of one batch; further events wait until the client has read it. */
    private static final int GATHERED_BYTES = 256 * 1024;

    private final WatchSink sink;
    private final Context context;
    private final WatchHub hub;
    private final WatchedEvents events;
    private final Scope scope;
    private final WatchLines lines;
    private final Scheduler logScheduler;
    private final SlowReaders slowReaders;
    private Runnable closeHandler = () -> {};

    /** All events up to this revision were sent or do not match this watch. */
    private long sentRevision;

    private long bookmarkedRevision;
    private boolean wantsBookmarks;
    private boolean finished;
    private boolean stalled;
    private SlowReaders.StalledResponse stalledResponse;
    private WatchSubscriber subscriber;

    /** @param logScheduler runs work that may access the disk */
    WatchStream(
            WatchSink sink,
            Context context,
            WatchHub hub,
            WatchedEvents events,
            Scheduler logScheduler,
            SlowReaders slowReaders) {
        this.sink = sink;
        this.context = context;
        this.hub = hub;
        this.events = events;
        this.scope = events.scope();
        this.lines = events.lines();
        this.logScheduler = logScheduler;
        this.slowReaders = slowReaders;
        sink.onClosed(() -> {
            end();
            drained();
        });
    }

    /** Sets a callback that runs once when the watch ends. */
    void onClose(Runnable handler) {
        closeHandler = handler;
    }

    void enableBookmarks() {
        wantsBookmarks = true;
    }

    /** Starts after a revision. */
    void startAfter(long after) {
        sentRevision = after;
        bookmarkedRevision = after;
        attach();
    }

    /** Sends the objects of a World, then the events after it. */
    void startWithInitial(World world, WatchEventEncoder encoder, InitialEventsEnd end) {
        sendInitial(world, encoder, world.list(scope).iterator(), end);
    }

    /** The events of a watch and their encoding. */
    record WatchedEvents(Scope scope, WatchLines lines, EncodingThread encodingThread) {}

    /** Which thread encodes events that are in memory. */
    enum EncodingThread {
        EVENT_LOOP,
        /** For encodings that take long or read from disk. */
        LOG_SCHEDULER
    }

    /** Whether a bookmark follows the initial objects. */
    enum InitialEventsEnd {
        ANNOUNCED,
        SILENT
    }

    private void sendInitial(
            World world, WatchEventEncoder encoder, Iterator<StoredObject> rest, InitialEventsEnd end) {
        if (finished) {
            return;
        }
        Buffer chunk = Buffer.buffer();
        while (rest.hasNext() && chunk.length() < CHUNK_BYTES) {
            encoder.appendInitial(rest.next(), chunk);
        }
        if (!rest.hasNext()) {
            if (end == InitialEventsEnd.ANNOUNCED) {
                chunk.appendBuffer(encoder.initialEventsEnd(world.revision()));
            }
            if (chunk.length() > 0) {
                sink.write(chunk);
            }
            sentRevision = world.revision();
            bookmarkedRevision = sentRevision;
            attach();
            return;
        }
        sink.write(chunk);
        whenDrained(chunk.length(), world.replacedBytes(), () -> sendInitial(world, encoder, rest, end));
    }

    /** Continues when the client has read the data, or the connection is closed. */
    private void drained() {
        if (stalledResponse != null) {
            stalledResponse.end();
            stalledResponse = null;
        }
    }

    /**
     * Runs the continuation when the client has read the written data.
     *
     * @param heldSince read mark of the objects that are still to be sent
     */
    private void whenDrained(int written, long heldSince, Runnable then) {
        if (sink.isFull()) {
            stalled = true;
            stalledResponse = slowReaders.trackStalled(written, heldSince, () -> context.runOnContext(v -> abort()));
            if (slowReaders.isFull()) {
                abort();
                return;
            }
            sink.onDrained(() -> {
                stalled = false;
                drained();
                then.run();
            });
        } else {
            context.runOnContext(v -> then.run());
        }
    }

    private void attach() {
        if (finished) {
            return;
        }
        subscriber = mayFollowMemory() ? new MemorySubscriber() : new LogSubscriber();
        subscriber.start();
    }

    private boolean mayFollowMemory() {
        return events.encodingThread() == EncodingThread.EVENT_LOOP && hub.isRecent(sentRevision);
    }

    /** Performs the periodic checks, about once a minute. */
    void tick() {
        if (finished || !wantsBookmarks || stalled || subscriber == null) {
            return;
        }
        long passed = subscriber.passedRevision();
        if (passed > bookmarkedRevision) {
            bookmarkedRevision = passed;
            sink.write(lines.bookmark(passed));
        }
    }

    /** Returns whether the client has not read anything for a while. */
    boolean isStalled() {
        return stalled;
    }

    /** Ends the watch normally. */
    void finish() {
        if (!finished) {
            end();
            sink.end();
        }
    }

    /** Ends the watch with an ERROR event. */
    void fail(Status status) {
        if (!finished) {
            end();
            sink.end(WatchEventEncoder.error(status));
        }
    }

    /** Ends the watch and its connection, because the client does not read. */
    void abort() {
        if (!finished) {
            end();
            sink.reset();
        }
    }

    private void end() {
        if (!finished) {
            finished = true;
            if (subscriber != null) {
                subscriber.cancel();
            }
            closeHandler.run();
        }
    }

    private void failed(Throwable failure) {
        if (failure instanceof CompactedException gone) {
            fail(Status.expired("too old resource version: " + gone.getMessage()));
        } else if (failure instanceof HistoryUnavailableException refused) {
            fail(ReadHandler.pastRefused(refused));
        } else {
            LOG.atError().setCause(failure).log("Failed to read events for watch");
            fail(Status.internalError());
        }
    }

    /** A subscription that can be dropped; later events from it are ignored. */
    private abstract class WatchSubscriber implements FlowableSubscriber<WorldEvent> {
        WatchHub.ResumableSubscription cursor;
        volatile boolean dropped;

        abstract void start();

        @Override
        public void onSubscribe(Subscription subscription) {
            cursor = (WatchHub.ResumableSubscription) subscription;
            cursor.request(window());
        }

        /** Returns the number of events it may be ahead of the client. */
        abstract int window();

        @Override
        public void onComplete() {
            // The hub never completes.
        }

        long passedRevision() {
            return sentRevision;
        }

        void cancel() {
            dropped = true;
            if (cursor != null) {
                cursor.cancel();
            }
        }
    }

    /** Follows the events in memory, on the event loop. */
    private final class MemorySubscriber extends WatchSubscriber {
        private static final int WINDOW = 256;

        private Buffer gathered;
        private int taken;

        @Override
        int window() {
            return WINDOW;
        }

        @Override
        void start() {
            hub.events(sentRevision, scope, new EventLoopScheduler(context, this::turnEnded))
                    .subscribe(this);
        }

        @Override
        public void onNext(WorldEvent event) {
            if (dropped) {
                return;
            }
            if (gathered == null) {
                gathered = Buffer.buffer(1024);
            }
            lines.append(event, gathered);
            sentRevision = event.revision();
            taken++;
            if (gathered.length() >= GATHERED_BYTES) {
                cursor.cancel();
            }
        }

        @Override
        public void onError(Throwable failure) {
            if (!dropped) {
                failed(failure);
            }
        }

        @Override
        long passedRevision() {
            return gathered == null ? Math.max(sentRevision, cursor.resumeRevision()) : sentRevision;
        }

        /**
         * Ends a batch. If the client is slow, the subscriber is dropped and a new one starts when the client has read
         * everything, so that nothing is buffered meanwhile.
         */
        private void turnEnded() {
            if (dropped || gathered == null) {
                return;
            }
            Buffer ready = gathered;
            gathered = null;
            if (ready.length() > 0) {
                sink.write(ready);
            }
            if (ready.length() >= GATHERED_BYTES || sink.isFull()) {
                cancel();
                whenDrained(ready.length(), SlowReaders.NO_OBJECTS, WatchStream.this::attach);
            } else if (taken >= WINDOW / 2) {
                cursor.request(taken);
                taken = 0;
            }
        }
    }

    /** Follows the log on a thread that may block on the disk, until it reaches the events in memory. */
    private final class LogSubscriber extends WatchSubscriber {
        /** Each event may have the maximum size of an object. */
        private static final int WINDOW = 8;

        /** After a larger event, only one event is read ahead. */
        private static final int LARGE_BYTES = 16 * 1024;

        /** Maximum time to wait for the event loop. */
        private static final Duration DELIVERY = Duration.ofSeconds(5);

        private int ahead = 1;

        @Override
        int window() {
            return ahead;
        }

        @Override
        void start() {
            hub.events(sentRevision, scope, logScheduler).subscribe(this);
        }

        @Override
        public void onNext(WorldEvent event) {
            if (dropped) {
                return;
            }
            Buffer line = Buffer.buffer(512);
            lines.append(event, line);
            long revision = event.revision();
            CountDownLatch delivered = new CountDownLatch(1);
            context.runOnContext(v -> {
                deliver(revision, line);
                delivered.countDown();
            });
            if (line.length() > LARGE_BYTES) {
                await(delivered);
            }
        }

        /** Waits until a large event is delivered, so that at most one of them per thread is in memory. */
        private void await(CountDownLatch delivered) {
            try {
                if (!delivered.await(DELIVERY.toMillis(), TimeUnit.MILLISECONDS)) {
                    LOG.atDebug().log("Watch event was not delivered within {}; continuing", DELIVERY);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void onError(Throwable failure) {
            context.runOnContext(v -> {
                if (!dropped) {
                    failed(failure);
                }
            });
        }

        private void deliver(long revision, Buffer line) {
            if (dropped) {
                return;
            }
            sentRevision = revision;
            if (line.length() > 0) {
                sink.write(line);
            }
            ahead--;
            if (mayFollowMemory()) {
                cancel();
                whenDrained(line.length(), SlowReaders.NO_OBJECTS, WatchStream.this::attach);
            } else if (ahead > 0) {
                return;
            } else if (sink.isFull()) {
                whenDrained(line.length(), SlowReaders.NO_OBJECTS, () -> continueReading(line));
            } else {
                continueReading(line);
            }
        }

        private void continueReading(Buffer last) {
            ahead = last.length() > LARGE_BYTES ? 1 : WINDOW;
            cursor.request(ahead);
        }
    }
}
