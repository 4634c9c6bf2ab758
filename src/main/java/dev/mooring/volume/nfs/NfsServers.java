package dev.mooring.volume.nfs;

import dev.mooring.volume.nfs.ServerHealth.State;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Remembers which NFS servers answer, so that a dead one is asked now and then by one operation rather than all the time by all: a
 * circuit breaker per server. It opens when {@value #TOLERATED} operations in a row got no answer, whatever volumes they were for; after
 * a pause that doubles from 5 s to 60 s one operation goes through as a probe; any answer closes it, an unfriendly one too. Has no
 * threads; any thread.
 */
public final class NfsServers {
    static final int TOLERATED = 3;
    static final Duration FIRST_PAUSE = Duration.ofSeconds(5);
    static final Duration LONGEST_PAUSE = Duration.ofSeconds(60);

    /** No node has so many; it only keeps mistyped names from piling up. */
    static final int MOST_REMEMBERED = 1000;

    private final Clock clock;
    private final List<ServerListener> listeners = new CopyOnWriteArrayList<>();
    private final Map<String, Breaker> breakers = new HashMap<>();

    /** What is known of one server. Guarded by the lock of all. */
    private static final class Breaker {
        private ServerHealth health;
        private Duration pause = FIRST_PAUSE;

        Breaker(String server) {
            health = ServerHealth.fresh(server);
        }
    }

    public NfsServers(Clock clock, ServerListener listener) {
        this.clock = Objects.requireNonNull(clock);
        listen(listener);
    }

    /** Has one more told from now on. */
    public void listen(ServerListener listener) {
        listeners.add(Objects.requireNonNull(listener));
    }

    /** Under which a server is remembered, however it is written in a volume. */
    public static String key(String server) {
        return ServerName.key(server);
    }

    /** What became of asking for leave. */
    sealed interface Answer {}

    /** Not now. */
    record Refused(ServerHealth health) implements Answer {}

    /**
     * Leave for one operation that asks a server. To be closed in any case; if neither of the other methods was called before, nothing
     * was learned about the server.
     */
    final class Permit implements Answer, AutoCloseable {
        private enum Kind {
            ORDINARY,
            PROBE
        }

        private final String server;
        private final Kind kind;
        private boolean used;

        private Permit(String server, Kind kind) {
            this.server = server;
            this.kind = kind;
        }

        /** The server has answered, be it with a refusal. */
        void answered() {
            used = true;
            NfsServers.this.answered(server);
        }

        void notAnswered(String error) {
            used = true;
            NfsServers.this.notAnswered(server, error, kind);
        }

        @Override
        public void close() {
            if (!used && kind == Kind.PROBE) {
                probeLost(server);
            }
        }
    }

    /** Asks for leave to ask a server. */
    synchronized Answer enter(String server) {
        String key = ServerName.key(server);
        Breaker breaker = breaker(key);
        ServerHealth health = breaker.health;
        return switch (health.state()) {
            case CLOSED -> new Permit(key, Permit.Kind.ORDINARY);
            case HALF_OPEN -> new Refused(health);
            case OPEN -> {
                if (health.nextProbe().filter(clock.instant()::isBefore).isPresent()) {
                    yield new Refused(health);
                }
                change(breaker, State.HALF_OPEN, health.nextProbe());
                yield new Permit(key, Permit.Kind.PROBE);
            }
        };
    }

    /** Learns from the probe of a mounted volume too: it is an answer like any other. */
    public void observed(String server, Health health) {
        String key = ServerName.key(server);
        switch (health.state()) {
            case OK, STALE -> answered(key);
            case UNREACHABLE -> notAnswered(key, health.words(), Permit.Kind.ORDINARY);
            case FAILED -> {
                // It may be the server's error or this machine's.
            }
        }
    }

    private synchronized void answered(String server) {
        Breaker breaker = breaker(server);
        State before = breaker.health.state();
        breaker.health = ServerHealth.fresh(server);
        breaker.pause = FIRST_PAUSE;
        if (before != State.CLOSED) {
            tell(breaker.health);
        }
    }

    private synchronized void notAnswered(String server, String error, Permit.Kind kind) {
        Breaker breaker = breaker(server);
        ServerHealth before = breaker.health;
        Instant now = clock.instant();
        breaker.health = new ServerHealth(
                server,
                before.state(),
                before.failures() + 1,
                Optional.of(before.since().orElse(now)),
                before.nextProbe(),
                error);
        boolean opens = before.state() == State.CLOSED && breaker.health.failures() >= TOLERATED;
        boolean probeFailed = kind == Permit.Kind.PROBE && before.state() == State.HALF_OPEN;
        if (probeFailed) {
            Duration doubled = breaker.pause.multipliedBy(2);
            breaker.pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
        }
        if (opens || probeFailed) {
            change(breaker, State.OPEN, Optional.of(now.plus(breaker.pause)));
        }
    }

    /** Nothing was learned, so the next may try at once. */
    private synchronized void probeLost(String server) {
        Breaker breaker = breaker(server);
        if (breaker.health.state() == State.HALF_OPEN) {
            change(breaker, State.OPEN, Optional.of(clock.instant()));
        }
    }

    private void change(Breaker breaker, State state, Optional<Instant> nextProbe) {
        ServerHealth was = breaker.health;
        breaker.health = new ServerHealth(was.server(), state, was.failures(), was.since(), nextProbe, was.lastError());
        tell(breaker.health);
    }

    private void tell(ServerHealth now) {
        listeners.forEach(each -> each.changed(now));
    }

    private Breaker breaker(String server) {
        if (breakers.size() >= MOST_REMEMBERED && !breakers.containsKey(server)) {
            breakers.values().removeIf(each -> each.health.state() == State.CLOSED);
        }
        return breakers.computeIfAbsent(server, Breaker::new);
    }

    /** Of one server; one that was never asked is taken to answer. */
    public synchronized ServerHealth health(String server) {
        String key = ServerName.key(server);
        Breaker known = breakers.get(key);
        return known == null ? ServerHealth.fresh(key) : known.health;
    }

    /** All that were asked so far, by name. */
    public synchronized List<ServerHealth> servers() {
        return breakers.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(each -> each.getValue().health)
                .toList();
    }
}
