package dev.mooring.api.http;

import dev.mooring.api.ApiCore;
import dev.mooring.api.ApiLimits;
import dev.mooring.api.http.WatchStream.EndOfInitial;
import dev.mooring.api.resource.Target;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import dev.mooring.model.Scope;
import dev.mooring.model.select.Selection;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** The watches of one event loop: begins them, and sees to them about once a minute. */
final class Watches {
    private final Vertx vertx;
    private final Ledger ledger;
    private final WatchHub hub;
    private final Clock clock;
    private final Scheduler reading;
    private final ApiLimits limits;
    private final Connections connections;

    /** Of all event loops together. */
    private final AtomicInteger open;

    private final Map<WatchStream, Open> streams = new HashMap<>();
    private long timer = -1;

    /** What is known of a watch besides its stream. */
    private static final class Open {
        private final HttpConnection connection;
        private final BooleanSupplier allowed;
        private final boolean upgraded;
        private boolean wasStalled;
        private long end = -1;

        private Open(Exchange exchange, BooleanSupplier allowed) {
            this.connection = exchange.request().connection();
            this.upgraded = WatchSink.isWebSocket(exchange);
            this.allowed = allowed;
        }
    }

    /** @param reading runs what may touch the disk */
    Watches(Vertx vertx, ApiCore core, Scheduler reading, Connections connections) {
        this.vertx = vertx;
        this.ledger = core.spine().ledger();
        this.hub = core.spine().hub();
        this.clock = core.clock();
        this.reading = reading;
        this.limits = core.limits();
        this.open = core.watches();
        this.connections = connections;
    }

    /** @param allowed whether the user may still watch; asked again and again */
    void begin(Exchange exchange, Target target, BooleanSupplier allowed) {
        Query query = exchange.query();
        Form form = Form.of(exchange, target.kind());
        Selection selection = Selections.of(query, target);
        OptionalLong version = Revisions.version(query);
        Optional<Boolean> initial = query.optionalFlag("sendInitialEvents");
        boolean bookmarks = query.flag("allowWatchBookmarks");
        checkInitial(query, initial);
        // Everything that can be wrong with the request is found before the answer begins.
        OptionalLong seconds = query.number("timeoutSeconds");
        World world = ledger.world();
        if (version.isPresent() && version.getAsLong() > world.revision()) {
            // Not from this log: the client's knowledge is of another life, and it has to list again.
            throw new StatusException(Status.expired("resource version " + version.getAsLong()
                    + " has not happened here, the newest is " + world.revision() + "; list again"));
        }
        Scope scope = selection
                .exactName()
                .filter(name -> target.namespace().isPresent() || !target.kind().isNamespaced())
                .map(name -> Scope.object(target.key(name)))
                .orElseGet(() -> target.kind().scope(target.namespace()));
        WatchLines lines = new WatchLines(target.kind(), scope, selection, form, clock);
        if (open.incrementAndGet() > limits.watches()) {
            open.decrementAndGet();
            throw new StatusException(Status.tooManyRequests(
                    "Expected at most " + limits.watches() + " watches at once, but there are as many; try again", 5));
        }
        boolean fromNow = version.isEmpty() || version.getAsLong() == 0;
        Consumer<WatchStream> start = stream -> {
            if (bookmarks) {
                stream.wantsBookmarks();
            }
            seconds.ifPresent(each -> endAfter(stream, each));
            if (initial.orElse(fromNow)) {
                stream.startWith(
                        world, initial.isPresent() && bookmarks ? EndOfInitial.ANNOUNCED : EndOfInitial.SILENT);
            } else {
                stream.follow(fromNow ? world.revision() : version.getAsLong());
            }
        };
        WatchSink.of(exchange)
                .onSuccess(sink -> {
                    WatchStream stream = new WatchStream(sink, exchange.context(), hub, scope, lines, reading);
                    open(stream, exchange, allowed);
                    start.accept(stream);
                })
                .onFailure(failure -> {
                    open.decrementAndGet();
                    exchange.fail(failure);
                });
    }

    private void open(WatchStream stream, Exchange exchange, BooleanSupplier allowed) {
        Open state = new Open(exchange, allowed);
        streams.put(stream, state);
        connections.watchOpened(state.connection);
        stream.onClose(() -> closed(stream));
        exchange.access().answered(exchange.request(), 200);
        startTicking();
    }

    private static void checkInitial(Query query, Optional<Boolean> initial) {
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
            Open state = streams.get(stream);
            if (state != null) {
                state.end = vertx.setTimer(limited * 1000, id -> stream.finish());
            }
        }
    }

    private void closed(WatchStream stream) {
        Open closed = streams.remove(stream);
        if (closed != null) {
            open.decrementAndGet();
            connections.watchClosed(closed.connection);
            // Else it would hold on to the stream until then, which may be years.
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
        for (Map.Entry<WatchStream, Open> each : List.copyOf(streams.entrySet())) {
            WatchStream stream = each.getKey();
            Open state = each.getValue();
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

    /** Ends all watches, as a server that stops does. */
    void close() {
        new ArrayList<>(streams.keySet()).forEach(WatchStream::finish);
    }
}
