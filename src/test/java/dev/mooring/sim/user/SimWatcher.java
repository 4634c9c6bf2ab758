package dev.mooring.sim.user;

import dev.mooring.log.EventReader;
import dev.mooring.model.Change;
import dev.mooring.model.CompactedException;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.sim.SimApi;
import dev.mooring.sim.SimSerialExecutor;
import dev.mooring.world.WatchHub;
import dev.mooring.world.World;
import dev.mooring.world.WorldEvent;
import io.reactivex.rxjava3.core.FlowableSubscriber;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.reactivestreams.Subscription;

/**
 * A watch client that mirrors the objects of a scope. Each change must fit the mirror exactly, so missing, duplicate or
 * reordered events are detected immediately (I8).
 *
 * <p>Runs on the server's executors while connected; between servers it keeps only its mirror and the last revision.
 */
final class SimWatcher {
    /** How fast the watcher requests events. */
    enum ReadPace {
        /** Requests all events at once. */
        FAST,
        /** Requests a few events at a time. */
        STEADY,
        /** Requests one event at a time, with long pauses. */
        SLOW
    }

    private static final int FEW = 4;
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(20);

    private final String name;
    private final Scope scope;
    private final ReadPace pace;
    private final SeededRandom random;
    private final SimWatchers.WatcherContext context;
    private final SimSerialExecutor executor;
    private final Map<ObjectKey, StoredObject> mirror = new TreeMap<>();
    private long seen = -1;
    private WatcherConnection connection;
    private boolean catchingUp;

    SimWatcher(String name, Scope scope, ReadPace pace, SeededRandom random, SimWatchers.WatcherContext context) {
        this.name = name;
        this.scope = scope;
        this.pace = pace;
        this.random = random;
        this.context = context;
        this.executor = context.taskGroup().executor(name);
    }

    /** Returns whether it is connected to a running server. */
    boolean isConnected() {
        return connection != null
                && !connection.ended
                && connection.server.taskGroup().isAlive();
    }

    /** Connects to a server and resumes. */
    void connect(SimApi server) {
        disconnect();
        long end = server.stateStore().log().lastRevision();
        if (seen > end) {
            context.violations().report("I1", name + " has seen revision " + seen + ", but the log ends with " + end);
            list(server);
        }
        if (seen < 0) {
            list(server);
        }
        context.coverage()
                .hit(
                        "watcher connects",
                        pace + (server.stateStore().hub().isRecent(seen) ? ", recent" : ", from the log"));
        connection = new WatcherConnection(server);
        server.stateStore()
                .hub()
                .events(seen, scope, server.taskGroup().scheduler(name))
                .subscribe(connection);
    }

    /** Disconnects. Revisions without matching events need not be requested again; at random they are. */
    void disconnect() {
        if (isConnected()) {
            if (random.percent(50)) {
                seen = Math.max(seen, connection.subscription.resumeRevision());
            }
            connection.subscription.cancel();
            context.coverage().hit("watcher disconnects", pace.toString());
        }
        if (connection != null) {
            connection.ended = true;
        }
    }

    /** Lists all objects, at first and after a revision has expired. */
    private void list(SimApi server) {
        World world = server.stateStore().ledger().world();
        mirror.clear();
        world.list(scope).forEach(each -> mirror.put(each.key(), each));
        seen = world.revision();
    }

    /** Requests all events from now on. */
    void catchUp() {
        catchingUp = true;
        if (isConnected()) {
            connection.subscription.request(Long.MAX_VALUE);
        }
    }

    /**
     * Compares the mirror with the World.
     *
     * @return whether it has caught up
     */
    boolean compare(World world) {
        if (!isConnected()
                || Math.max(seen, connection.subscription.resumeRevision()) < world.revision()
                || seen > world.revision()) {
            return false;
        }
        int count = 0;
        for (StoredObject each : world.list(scope)) {
            count++;
            if (!each.equals(mirror.get(each.key()))) {
                context.violations()
                        .report(
                                "I8",
                                name + " has seen all up to " + world.revision() + ", but has "
                                        + Optional.ofNullable(mirror.get(each.key())) + " instead of " + each);
                return true;
            }
        }
        require(
                count == mirror.size(),
                "I8",
                () -> name + " has seen all up to " + world.revision() + ", but has " + mirror.size()
                        + " objects instead of " + world.count(scope));
        return true;
    }

    /** Returns whether the first missing event is older than the given time. */
    boolean isLate(Instant than) {
        long next = Math.max(seen, connection.subscription.resumeRevision()) + 1;
        try (EventReader reader = connection.server.stateStore().log().read(next)) {
            return reader.next()
                    .filter(batch -> batch.events().get(0).time().isBefore(than))
                    .isPresent();
        } catch (IOException e) {
            return false; // the revision has expired, which the subscription will report
        }
    }

    private void take(WorldEvent received) {
        Event event = received.event();
        require(
                event.revision() > seen,
                "I8",
                () -> name + " had seen revision " + seen + ", but then received " + event.revision());
        boolean concerned = false;
        for (int i = 0; i < event.changes().size(); i++) {
            Change change = event.changes().get(i);
            if (scope.contains(change.key())) {
                concerned = true;
                take(received, i, change);
            }
        }
        require(concerned, "I8", () -> name + " received revision " + event.revision() + " of another scope");
        seen = event.revision();
    }

    private void take(WorldEvent received, int index, Change change) {
        Optional<StoredObject> known = Optional.ofNullable(mirror.get(change.key()));
        long revision = known.map(StoredObject::revision).orElse(0L);
        if (revision != change.prior()) {
            context.violations()
                    .report(
                            "I8",
                            name + " knows " + change.key() + " as of revision " + revision + ", but revision "
                                    + received.revision() + " changes that of " + change.prior());
        } else if (random.percent(25)) {
            require(
                    received.before(index).equals(known),
                    "I8",
                    () -> name + " received " + received.before(index) + " as the state of " + change.key() + " before "
                            + received.revision() + ", but it was " + known);
        }
        if (change.isRemoval()) {
            mirror.remove(change.key());
        } else {
            mirror.put(change.key(), change.object());
        }
    }

    @Override
    public String toString() {
        return name + " of " + scope + " at revision " + seen;
    }

    /** One subscription. */
    private final class WatcherConnection implements FlowableSubscriber<WorldEvent> {
        private final SimApi server;
        private WatchHub.ResumableSubscription subscription;
        private boolean ended;
        private int requested;

        WatcherConnection(SimApi server) {
            this.server = server;
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            this.subscription = (WatchHub.ResumableSubscription) subscription;
            requestMore();
        }

        private void requestMore() {
            if (catchingUp || pace == ReadPace.FAST) {
                subscription.request(Long.MAX_VALUE);
            } else {
                requested = pace == ReadPace.SLOW ? 1 : FEW;
                subscription.request(requested);
            }
        }

        @Override
        public void onNext(WorldEvent event) {
            if (ended) {
                return;
            }
            take(event);
            if (!catchingUp && pace != ReadPace.FAST && --requested == 0) {
                Duration pause = pace == ReadPace.SLOW ? random.upTo(LONGEST_PAUSE) : Duration.ofMillis(5);
                context.after(pause, executor, () -> {
                    if (!ended && server.taskGroup().isAlive() && !catchingUp) {
                        requestMore();
                    }
                });
            }
        }

        @Override
        public void onError(Throwable failure) {
            if (ended) {
                return;
            }
            ended = true;
            if (failure instanceof CompactedException) {
                context.coverage().hit("watcher receives Expired", pace.toString());
                seen = -1;
            } else {
                context.violations().report("I8", name + " was disconnected: " + failure);
            }
        }

        @Override
        public void onComplete() {
            require(ended, "I8", () -> name + " received the end of the stream");
        }
    }

    private void require(boolean holds, String invariant, Supplier<String> message) {
        if (!holds) {
            context.violations().report(invariant, message.get());
        }
    }
}
