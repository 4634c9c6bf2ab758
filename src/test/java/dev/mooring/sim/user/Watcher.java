package dev.mooring.sim.user;

import dev.mooring.log.EventReader;
import dev.mooring.model.Change;
import dev.mooring.model.CompactedException;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.sim.SimApi;
import dev.mooring.sim.Strand;
import dev.mooring.world.Place;
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
 * Follows the events of a scope as fast as its temper says and keeps a mirror of the objects in it. Each change must fit the mirror exactly: so an
 * event that is left out, comes twice or out of order is found at once (I8).
 *
 * <p>Runs on the server's strands while it is connected, as a connection does; between servers it has only its mirror and the revision it has seen.
 */
final class Watcher {
    /** How it takes what is there. */
    enum Temper {
        /** Asks for all there will ever be. */
        FAST,
        /** Asks for a few at a time. */
        STEADY,
        /** Asks for one, and for the next one long after. */
        SLOW
    }

    private static final int FEW = 4;
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(20);

    private final String name;
    private final Scope scope;
    private final Temper temper;
    private final Chance chance;
    private final SimWatchers.Surroundings around;
    private final Strand strand;
    private final Map<ObjectKey, StoredObject> mirror = new TreeMap<>();
    private long seen = -1;
    private Connection connection;
    private boolean hurried;

    Watcher(String name, Scope scope, Temper temper, Chance chance, SimWatchers.Surroundings around) {
        this.name = name;
        this.scope = scope;
        this.temper = temper;
        this.chance = chance;
        this.around = around;
        this.strand = around.life().strand(name);
    }

    /** Whether a server that is alive sends it events. */
    boolean isConnected() {
        return connection != null
                && !connection.over
                && connection.server.life().isAlive();
    }

    /** Begins or goes on with a server. */
    void connect(SimApi server) {
        drop();
        long end = server.spine().log().lastRevision();
        if (seen > end) {
            around.findings().report("I1", name + " has seen revision " + seen + ", but the log ends with " + end);
            list(server);
        }
        if (seen < 0) {
            list(server);
        }
        around.coverage()
                .hit(
                        "watcher connects",
                        temper + (server.spine().hub().isRecent(seen) ? ", recent" : ", from the log"));
        connection = new Connection(server);
        server.spine().hub().events(seen, scope, server.life().scheduler(name)).subscribe(connection);
    }

    /** Loses its connection. What was passed over without an event need not be asked for again, and sometimes is. */
    void drop() {
        if (isConnected()) {
            if (chance.percent(50)) {
                seen = Math.max(seen, connection.place.passed());
            }
            connection.place.cancel();
            around.coverage().hit("watcher is cut off", temper.toString());
        }
        if (connection != null) {
            connection.over = true;
        }
    }

    /** As a client does first, or when it is told that what it asks for is no longer kept. */
    private void list(SimApi server) {
        World world = server.spine().ledger().world();
        mirror.clear();
        world.list(scope).forEach(each -> mirror.put(each.key(), each));
        seen = world.revision();
    }

    /** From now on it takes all there is, so that it catches up. */
    void hurry() {
        hurried = true;
        if (isConnected()) {
            connection.place.request(Long.MAX_VALUE);
        }
    }

    /** Compares the mirror with the World if it has caught up; whether it has. */
    boolean compare(World world) {
        if (!isConnected() || Math.max(seen, connection.place.passed()) < world.revision() || seen > world.revision()) {
            return false;
        }
        int count = 0;
        for (StoredObject each : world.list(scope)) {
            count++;
            if (!each.equals(mirror.get(each.key()))) {
                around.findings()
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

    /** Whether the first event that it has not seen is older than that. */
    boolean isLate(Instant than) {
        long next = Math.max(seen, connection.place.passed()) + 1;
        try (EventReader reader = connection.server.spine().log().read(next)) {
            return reader.next()
                    .filter(batch -> batch.events().get(0).time().isBefore(than))
                    .isPresent();
        } catch (IOException e) {
            return false; // what it waits for is no longer kept, and it will be told
        }
    }

    private void take(WorldEvent received) {
        Event event = received.event();
        require(
                event.revision() > seen,
                "I8",
                () -> name + " had seen revision " + seen + ", and then got " + event.revision());
        boolean concerned = false;
        for (int i = 0; i < event.changes().size(); i++) {
            Change change = event.changes().get(i);
            if (scope.contains(change.key())) {
                concerned = true;
                take(received, i, change);
            }
        }
        require(concerned, "I8", () -> name + " got revision " + event.revision() + " of another scope");
        seen = event.revision();
    }

    private void take(WorldEvent received, int index, Change change) {
        Optional<StoredObject> known = Optional.ofNullable(mirror.get(change.key()));
        long revision = known.map(StoredObject::revision).orElse(0L);
        if (revision != change.prior()) {
            around.findings()
                    .report(
                            "I8",
                            name + " knows " + change.key() + " as of revision " + revision + ", but revision "
                                    + received.revision() + " changes that of " + change.prior());
        } else if (chance.percent(25)) {
            require(
                    received.before(index).equals(known),
                    "I8",
                    () -> name + " was told that " + change.key() + " was " + received.before(index) + " before "
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
    private final class Connection implements FlowableSubscriber<WorldEvent> {
        private final SimApi server;
        private Place place;
        private boolean over;
        private int owed;

        Connection(SimApi server) {
            this.server = server;
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            place = (Place) subscription;
            ask();
        }

        private void ask() {
            if (hurried || temper == Temper.FAST) {
                place.request(Long.MAX_VALUE);
            } else {
                owed = temper == Temper.SLOW ? 1 : FEW;
                place.request(owed);
            }
        }

        @Override
        public void onNext(WorldEvent event) {
            if (over) {
                return;
            }
            take(event);
            if (!hurried && temper != Temper.FAST && --owed == 0) {
                Duration pause = temper == Temper.SLOW ? chance.upTo(LONGEST_PAUSE) : Duration.ofMillis(5);
                around.after(pause, strand, () -> {
                    if (!over && server.life().isAlive() && !hurried) {
                        ask();
                    }
                });
            }
        }

        @Override
        public void onError(Throwable failure) {
            if (over) {
                return;
            }
            over = true;
            if (failure instanceof CompactedException) {
                around.coverage().hit("watcher is told that history is cut off", temper.toString());
                seen = -1;
            } else {
                around.findings().report("I8", name + " was cut off: " + failure);
            }
        }

        @Override
        public void onComplete() {
            require(over, "I8", () -> name + " was told that there is nothing more");
        }
    }

    private void require(boolean holds, String invariant, Supplier<String> otherwise) {
        if (!holds) {
            around.findings().report(invariant, otherwise.get());
        }
    }
}
