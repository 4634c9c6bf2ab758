package dev.mooring.volume;

import dev.mooring.volume.ServerHealth.State;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Circuit breakers of the servers of one volume plugin, so that a dead server is contacted now and then by one operation instead of all
 * the time by all. A breaker opens after {@value #TOLERATED} consecutive operations without a response, for any
 * volumes. After a pause that doubles from 5 s to 60 s, one operation is let through as a probe. Any response closes
 * the breaker, including an error. Has no threads. Thread-safe.
 */
public final class RemoteServers {
    public static final int TOLERATED = 3;
    public static final Duration FIRST_PAUSE = Duration.ofSeconds(5);
    static final Duration LONGEST_PAUSE = Duration.ofSeconds(60);

    /** Bounds the memory used for mistyped server names. */
    static final int MAX_SERVERS = 1000;

    private final Clock clock;
    private final List<ServerListener> listeners = new CopyOnWriteArrayList<>();
    private final Map<String, Breaker> breakers = new HashMap<>();

    /** State of one server. Guarded by the lock of {@link RemoteServers}. */
    private static final class Breaker {
        private ServerHealth health;
        private Duration pause = FIRST_PAUSE;

        Breaker(String server) {
            health = ServerHealth.fresh(server);
        }
    }

    public RemoteServers(Clock clock, ServerListener listener) {
        this.clock = Objects.requireNonNull(clock);
        addListener(listener);
    }

    /** Adds a listener for future changes. */
    public void addListener(ServerListener listener) {
        listeners.add(Objects.requireNonNull(listener));
    }

    /** Returns the normalized name of a server: in lower case, without the brackets of an IPv6 address. */
    public static String key(String server) {
        boolean bracketed = server.startsWith("[") && server.endsWith("]");
        return (bracketed ? server.substring(1, server.length() - 1) : server).toLowerCase(Locale.ROOT);
    }

    /** Result of {@link #tryAcquire}. */
    public sealed interface PermitResult {}

    /** The breaker is open. */
    public record PermitDenied(ServerHealth health) implements PermitResult {}

    /**
     * Permission for one operation that contacts a server. Must be closed; if no result was recorded before, the
     * breaker state does not change.
     */
    public final class Permit implements PermitResult, AutoCloseable {
        private enum PermitKind {
            ORDINARY,
            PROBE
        }

        private final String server;
        private final PermitKind kind;
        private boolean used;

        private Permit(String server, PermitKind kind) {
            this.server = server;
            this.kind = kind;
        }

        /** Records that the server responded, with success or an error. */
        public void answered() {
            used = true;
            RemoteServers.this.answered(server);
        }

        public void notAnswered(String error) {
            used = true;
            RemoteServers.this.notAnswered(server, error, kind);
        }

        @Override
        public void close() {
            if (!used && kind == PermitKind.PROBE) {
                probeLost(server);
            }
        }
    }

    /** Requests permission to contact a server. */
    public synchronized PermitResult tryAcquire(String server) {
        String key = key(server);
        Breaker breaker = breaker(key);
        ServerHealth health = breaker.health;
        return switch (health.state()) {
            case CLOSED -> new Permit(key, Permit.PermitKind.ORDINARY);
            case HALF_OPEN -> new PermitDenied(health);
            case OPEN -> {
                if (health.nextProbe().filter(clock.instant()::isBefore).isPresent()) {
                    yield new PermitDenied(health);
                }
                change(breaker, State.HALF_OPEN, health.nextProbe());
                yield new Permit(key, Permit.PermitKind.PROBE);
            }
        };
    }

    /** Records the probe of a mounted volume, which counts like any other operation. */
    public void recordProbe(String server, MountHealth health) {
        String key = key(server);
        switch (health.state()) {
            case OK, STALE -> answered(key);
            case UNREACHABLE -> notAnswered(key, health.message(), Permit.PermitKind.ORDINARY);
            case FAILED -> {
                // The error may be the server's or this machine's.
            }
        }
    }

    private synchronized void answered(String server) {
        Breaker breaker = breaker(server);
        State before = breaker.health.state();
        breaker.health = ServerHealth.fresh(server);
        breaker.pause = FIRST_PAUSE;
        if (before != State.CLOSED) {
            notifyListeners(breaker.health);
        }
    }

    private synchronized void notAnswered(String server, String error, Permit.PermitKind kind) {
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
        boolean probeFailed = kind == Permit.PermitKind.PROBE && before.state() == State.HALF_OPEN;
        if (probeFailed) {
            Duration doubled = breaker.pause.multipliedBy(2);
            breaker.pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
        }
        if (opens || probeFailed) {
            change(breaker, State.OPEN, Optional.of(now.plus(breaker.pause)));
        }
    }

    /** Ends a probe without a result, so that the next operation may probe at once. */
    private synchronized void probeLost(String server) {
        Breaker breaker = breaker(server);
        if (breaker.health.state() == State.HALF_OPEN) {
            change(breaker, State.OPEN, Optional.of(clock.instant()));
        }
    }

    private void change(Breaker breaker, State state, Optional<Instant> nextProbe) {
        ServerHealth was = breaker.health;
        breaker.health = new ServerHealth(was.server(), state, was.failures(), was.since(), nextProbe, was.lastError());
        notifyListeners(breaker.health);
    }

    private void notifyListeners(ServerHealth now) {
        listeners.forEach(each -> each.onChange(now));
    }

    private Breaker breaker(String server) {
        if (breakers.size() >= MAX_SERVERS && !breakers.containsKey(server)) {
            breakers.values().removeIf(each -> each.health.state() == State.CLOSED);
        }
        return breakers.computeIfAbsent(server, Breaker::new);
    }

    /** Returns the state of one server; closed if it was never contacted. */
    public synchronized ServerHealth health(String server) {
        String key = key(server);
        Breaker known = breakers.get(key);
        return known == null ? ServerHealth.fresh(key) : known.health;
    }

    /** Returns the state of all servers contacted so far, by name. */
    public synchronized List<ServerHealth> servers() {
        return breakers.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(each -> each.getValue().health)
                .toList();
    }
}
