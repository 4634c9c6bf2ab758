package dev.mooring.api.http;

import dev.mooring.api.ApiLimits;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.User;
import dev.mooring.api.http.WatchStream.EncodingThread;
import dev.mooring.api.http.WatchStream.InitialEventsEnd;
import dev.mooring.api.http.WatchStream.WatchedEvents;
import dev.mooring.api.resource.ResourceRef;
import dev.mooring.model.Scope;
import dev.mooring.model.Selection;
import dev.mooring.world.Ledger;
import dev.mooring.world.WatchHub;
import dev.mooring.world.World;
import io.reactivex.rxjava3.core.Scheduler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** The watches of one event loop: starts them and checks them about once a minute. */
final class WatchManager {
    private final Vertx vertx;
    private final Ledger ledger;
    private final WatchHub hub;
    private final HistoryAccess access;
    private final Clock clock;
    private final Scheduler logScheduler;
    private final ApiLimits limits;
    private final ConnectionTracker connections;
    private final SlowReaders slowReaders;

    /** Open watches of all event loops. */
    private final SharedLimit open;

    private final Map<WatchStream, OpenWatch> streams = new HashMap<>();
    private long timer = -1;

    /** State of a watch besides its stream. */
    private static final class OpenWatch {
        private final HttpConnection connection;
        private final User user;
        private final BooleanSupplier allowed;
        private final boolean upgraded;
        private boolean wasStalled;
        private long end = -1;

        private OpenWatch(ApiRequest request, BooleanSupplier allowed) {
            this.connection = request.request().connection();
            this.user = request.user();
            this.upgraded = WatchSink.isWebSocket(request);
            this.allowed = allowed;
        }
    }

    /** @param logScheduler runs work that may access the disk */
    WatchManager(
            Vertx vertx, ApiCore core, HistoryAccess access, Scheduler logScheduler, ConnectionTracker connections) {
        this.vertx = vertx;
        this.ledger = core.stateStore().ledger();
        this.hub = core.stateStore().hub();
        this.access = access;
        this.clock = core.clock();
        this.logScheduler = logScheduler;
        this.limits = core.limits();
        this.open = core.sharedLimits().watches();
        this.slowReaders = core.slowReaders();
        this.connections = connections;
    }

    /** @param allowed rechecks the user's permission; called periodically */
    void start(ApiRequest request, ResourceRef target, BooleanSupplier allowed) {
        QueryParameters query = request.query();
        ResponseFormat form = ResponseFormat.of(request, target.kind());
        Selection selection = SelectionParser.parse(query, target);
        OptionalLong version = RevisionParameters.version(query);
        Optional<Boolean> initial = query.optionalFlag("sendInitialEvents");
        boolean bookmarks = query.flag("allowWatchBookmarks");
        checkInitial(query, initial);
        // All errors in the request are found before the response starts.
        OptionalLong seconds = query.number("timeoutSeconds");
        World world = ledger.world();
        if (version.isPresent() && version.getAsLong() > world.revision()) {
            // The revision is not from this event log, so the client has to list again.
            throw new StatusException(Status.expired("resource version " + version.getAsLong()
                    + " does not exist here, the newest is " + world.revision() + "; list again"));
        }
        boolean fromNow = version.isEmpty() || version.getAsLong() == 0;
        if (!initial.orElse(fromNow) && !fromNow) {
            access.requireWatch(HistoryAccess.PastRequest.of(request), target, world, version.getAsLong());
        }
        Scope scope = selection
                .exactName()
                .filter(name -> target.namespace().isPresent() || !target.kind().isNamespaced())
                .map(name -> Scope.object(target.key(name)))
                .orElseGet(() -> target.kind().scope(target.namespace()));
        WatchEventEncoder lines = new WatchEventEncoder(target.kind(), scope, selection, form, clock);
        Consumer<WatchStream> start = stream -> {
            if (bookmarks) {
                stream.enableBookmarks();
            }
            seconds.ifPresent(each -> endAfter(stream, each));
            if (initial.orElse(fromNow)) {
                stream.startWithInitial(
                        world,
                        lines,
                        initial.isPresent() && bookmarks ? InitialEventsEnd.ANNOUNCED : InitialEventsEnd.SILENT);
            } else {
                stream.startAfter(fromNow ? world.revision() : version.getAsLong());
            }
        };
        open(request, new WatchedEvents(scope, lines, EncodingThread.EVENT_LOOP), allowed, start);
    }

    /**
     * Starts a watch of the history, with bookmarks.
     *
     * @param after the last revision before the watch
     * @param allowed rechecks the user's permission; called periodically
     */
    void startHistory(ApiRequest request, Scope scope, WatchLines lines, long after, BooleanSupplier allowed) {
        open(request, new WatchedEvents(scope, lines, EncodingThread.LOG_SCHEDULER), allowed, stream -> {
            stream.enableBookmarks();
            stream.startAfter(after);
        });
    }

    private void open(ApiRequest request, WatchedEvents events, BooleanSupplier allowed, Consumer<WatchStream> start) {
        open.acquire(request.user(), 1).ifPresent(refusal -> {
            throw new StatusException(refusal);
        });
        WatchSink.of(request)
                .onSuccess(sink -> {
                    WatchStream stream =
                            new WatchStream(sink, request.context(), hub, events, logScheduler, slowReaders);
                    open(stream, request, allowed);
                    start.accept(stream);
                })
                .onFailure(failure -> {
                    open.release(request.user(), 1);
                    request.fail(failure);
                });
    }

    private void open(WatchStream stream, ApiRequest request, BooleanSupplier allowed) {
        OpenWatch state = new OpenWatch(request, allowed);
        streams.put(stream, state);
        connections.watchOpened(state.connection);
        stream.onClose(() -> closed(stream));
        request.recordStreamingResponse(200);
        startTicking();
    }

    private static void checkInitial(QueryParameters query, Optional<Boolean> initial) {
        String match = query.text("resourceVersionMatch");
        if (initial.isEmpty() && !match.isEmpty()) {
            throw invalid("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
        }
        if (initial.isPresent() && !match.equals("NotOlderThan")) {
            throw invalid("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
        }
    }

    private static StatusException invalid(String message) {
        return new StatusException(new Status(422, "Invalid", "Forbidden: " + message));
    }

    private void endAfter(WatchStream stream, long seconds) {
        if (seconds > 0) {
            long limited = Math.min(seconds, Integer.MAX_VALUE);
            OpenWatch state = streams.get(stream);
            if (state != null) {
                state.end = vertx.setTimer(limited * 1000, id -> stream.finish());
            }
        }
    }

    private void closed(WatchStream stream) {
        OpenWatch closed = streams.remove(stream);
        if (closed != null) {
            open.release(closed.user, 1);
            connections.watchClosed(closed.connection);
            // Otherwise the timer would keep the stream in memory until then, possibly for years.
            vertx.cancelTimer(closed.end);
            if (closed.upgraded) {
                connections.upgradeEnded(closed.connection);
            }
        }
        if (streams.isEmpty() && timer >= 0) {
            vertx.cancelTimer(timer);
            timer = -1;
        }
    }

    private void startTicking() {
        if (timer < 0) {
            timer = vertx.setPeriodic(limits.watchTick().toMillis(), id -> tick());
        }
    }

    private void tick() {
        for (Map.Entry<WatchStream, OpenWatch> each : List.copyOf(streams.entrySet())) {
            WatchStream stream = each.getKey();
            OpenWatch state = each.getValue();
            if (!state.allowed.getAsBoolean()) {
                stream.fail(Status.unauthorized());
            } else if (stream.isStalled() && state.wasStalled) {
                stream.abort();
            } else {
                state.wasStalled = stream.isStalled();
                stream.tick();
            }
        }
    }

    /** Ends all watches when the server stops. */
    void close() {
        new ArrayList<>(streams.keySet()).forEach(WatchStream::finish);
    }
}
