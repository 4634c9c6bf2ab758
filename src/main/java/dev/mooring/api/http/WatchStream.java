package dev.mooring.api.http;

import dev.mooring.api.status.Status;
import dev.mooring.model.CompactedException;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Place;
import dev.mooring.world.WatchHub;
import dev.mooring.world.World;
import dev.mooring.world.WorldEvent;
import io.reactivex.rxjava3.core.FlowableSubscriber;
import io.reactivex.rxjava3.core.Scheduler;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import java.util.Iterator;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One watch: first what is there, if asked for, then every event, as fast as the client takes them. Lives on the event loop of its
 * request; what is no longer in memory is read on another thread, so that a client that comes back after a long time holds nobody up.
 *
 * <p>It follows the {@link WatchHub} with one {@link Follower} at a time. Whenever it has to go on in another way (from the log to memory, or
 * back), the old follower is dropped and a new one starts after the last revision that was sent: nothing is lost or sent twice.
 */
final class WatchStream {
    private static final Logger LOG = LoggerFactory.getLogger(WatchStream.class);

    /** How much of what is there is sent in one turn. */
    private static final int CHUNK_BYTES = 64 * 1024;

    /** A turn that has gathered this much is over: what comes next waits until the client has taken it. */
    private static final int GATHERED_BYTES = 256 * 1024;

    private final WatchSink sink;
    private final Context context;
    private final WatchHub hub;
    private final Scope scope;
    private final WatchLines lines;
    private final Scheduler reading;
    private Runnable closed = () -> {};

    /** All up to here has been sent, or does not concern this watch. */
    private long sent;

    private long bookmarked;
    private boolean wantsBookmarks;
    private boolean over;
    private boolean stalled;
    private Follower follower;

    /** @param reading runs what may touch the disk */
    WatchStream(WatchSink sink, Context context, WatchHub hub, Scope scope, WatchLines lines, Scheduler reading) {
        this.sink = sink;
        this.context = context;
        this.hub = hub;
        this.scope = scope;
        this.lines = lines;
        this.reading = reading;
        sink.whenClosed(this::end);
    }

    /** Has somebody told, once, when the watch is over. */
    void onClose(Runnable told) {
        closed = told;
    }

    void wantsBookmarks() {
        wantsBookmarks = true;
    }

    /** Goes on after a revision. */
    void follow(long after) {
        sent = after;
        bookmarked = after;
        attach();
    }

    /** Sends what is there, and goes on from there. */
    void startWith(World world, EndOfInitial end) {
        sendInitial(world, world.list(scope).iterator(), end);
    }

    /** Whether the end of what was there is announced. */
    enum EndOfInitial {
        ANNOUNCED,
        SILENT
    }

    private void sendInitial(World world, Iterator<StoredObject> rest, EndOfInitial end) {
        if (over) {
            return;
        }
        Buffer chunk = Buffer.buffer();
        while (rest.hasNext() && chunk.length() < CHUNK_BYTES) {
            lines.appendInitial(rest.next(), chunk);
        }
        if (!rest.hasNext()) {
            if (end == EndOfInitial.ANNOUNCED) {
                chunk.appendBuffer(lines.endOfInitial(world.revision()));
            }
            if (chunk.length() > 0) {
                sink.write(chunk);
            }
            sent = world.revision();
            bookmarked = sent;
            attach();
            return;
        }
        sink.write(chunk);
        whenTaken(() -> sendInitial(world, rest, end));
    }

    private void whenTaken(Runnable then) {
        if (sink.isFull()) {
            stalled = true;
            sink.whenDrained(() -> {
                stalled = false;
                then.run();
            });
        } else {
            context.runOnContext(v -> then.run());
        }
    }

    private void attach() {
        if (over) {
            return;
        }
        follower = hub.isRecent(sent) ? new LoopFollower() : new LogFollower();
        follower.start();
    }

    /** Called about once a minute. */
    void tick() {
        if (over || !wantsBookmarks || stalled || follower == null) {
            return;
        }
        long passed = follower.passed();
        if (passed > bookmarked) {
            bookmarked = passed;
            sink.write(lines.bookmark(passed));
        }
    }

    /** Whether the client has not taken anything for a while. */
    boolean isStalled() {
        return stalled;
    }

    /** Ends the watch as a server does that has no more to say. */
    void finish() {
        if (!over) {
            end();
            sink.end();
        }
    }

    /** Ends the watch and says why, in the way clients of watches understand. */
    void fail(Status status) {
        if (!over) {
            end();
            sink.end(WatchLines.error(status));
        }
    }

    /** Ends the watch and its connection, which the client does not read from. */
    void abort() {
        if (!over) {
            end();
            sink.reset();
        }
    }

    private void end() {
        if (!over) {
            over = true;
            if (follower != null) {
                follower.drop();
            }
            closed.run();
        }
    }

    private void failed(Throwable failure) {
        if (failure instanceof CompactedException gone) {
            fail(Status.expired("too old resource version: " + gone.getMessage()));
        } else {
            LOG.atError().setCause(failure).log("Expected to read events for a watch, but it failed");
            fail(Status.internalError());
        }
    }

    /** A subscription that can be dropped: what still arrives from it then is ignored. */
    private abstract class Follower implements FlowableSubscriber<WorldEvent> {
        Place place;
        volatile boolean dropped;

        abstract void start();

        @Override
        public void onSubscribe(Subscription subscription) {
            place = (Place) subscription;
            place.request(window());
        }

        /** Events it may be ahead of its client. */
        abstract int window();

        @Override
        public void onComplete() {
            // The hub does not end by itself.
        }

        long passed() {
            return sent;
        }

        void drop() {
            dropped = true;
            if (place != null) {
                place.cancel();
            }
        }
    }

    /** Follows what is in memory, on the event loop itself. */
    private final class LoopFollower extends Follower {
        private static final int WINDOW = 256;

        private Buffer gathered;
        private int taken;

        @Override
        int window() {
            return WINDOW;
        }

        @Override
        void start() {
            hub.events(sent, scope, new LoopScheduler(context, this::turnIsOver))
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
            sent = event.revision();
            taken++;
            if (gathered.length() >= GATHERED_BYTES) {
                place.cancel();
            }
        }

        @Override
        public void onError(Throwable failure) {
            if (!dropped) {
                failed(failure);
            }
        }

        @Override
        long passed() {
            return gathered == null ? Math.max(sent, place.passed()) : sent;
        }

        /** With a client that does not keep up, it is given up, and another one goes on once the client has taken all: until then nothing is gathered. */
        private void turnIsOver() {
            if (dropped || gathered == null) {
                return;
            }
            Buffer ready = gathered;
            gathered = null;
            if (ready.length() > 0) {
                sink.write(ready);
            }
            if (ready.length() >= GATHERED_BYTES || sink.isFull()) {
                drop();
                whenTaken(WatchStream.this::attach);
            } else if (taken >= WINDOW / 2) {
                place.request(taken);
                taken = 0;
            }
        }
    }

    /** Follows the log, on a thread that may wait for the disk, until memory is reached. */
    private final class LogFollower extends Follower {
        /** Each may be as large as an object can be. */
        private static final int WINDOW = 8;

        @Override
        int window() {
            return WINDOW;
        }

        @Override
        void start() {
            hub.events(sent, scope, reading).subscribe(this);
        }

        @Override
        public void onNext(WorldEvent event) {
            if (dropped) {
                return;
            }
            Buffer line = Buffer.buffer(512);
            lines.append(event, line);
            context.runOnContext(v -> deliver(event, line));
        }

        @Override
        public void onError(Throwable failure) {
            context.runOnContext(v -> {
                if (!dropped) {
                    failed(failure);
                }
            });
        }

        private void deliver(WorldEvent event, Buffer line) {
            if (dropped) {
                return;
            }
            sent = event.revision();
            if (line.length() > 0) {
                sink.write(line);
            }
            if (hub.isRecent(sent)) {
                drop();
                whenTaken(WatchStream.this::attach);
            } else if (sink.isFull()) {
                whenTaken(() -> place.request(1));
            } else {
                place.request(1);
            }
        }
    }
}
