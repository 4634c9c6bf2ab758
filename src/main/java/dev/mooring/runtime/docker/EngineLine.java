package dev.mooring.runtime.docker;

import com.github.dockerjava.transport.DockerHttpClient;
import com.github.dockerjava.transport.DockerHttpClient.Response;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Connections to the engine for one sort of calls, so that long ones never keep short ones waiting.
 *
 * <p>A call runs on a thread of its own while the caller's waits for it: a read from a Unix socket has no timeout in docker-java, and one from a
 * TCP socket cannot be interrupted. A caller whose time is up goes, and the call's thread is interrupted, which closes a Unix socket.
 *
 * <p>Connections are kept, and after a restart of the engine all of them are dead, which only using them shows. So the first one that breaks
 * retires them all, and its call is made once more over a new one: every call can be repeated, see {@link dev.mooring.runtime.ContainerRuntime}.
 * Any thread.
 */
final class EngineLine implements AutoCloseable {
    private final String where;
    private final Supplier<DockerHttpClient> clients;
    private final ExecutorService threads;
    private Wire current; // guarded by this
    private boolean closed; // guarded by this

    /** @param clients makes one without connecting; asked for the first when the first call is made */
    EngineLine(String where, Supplier<DockerHttpClient> clients, ExecutorService threads) {
        this.where = where;
        this.clients = clients;
        this.threads = threads;
    }

    /** What is done with an answer that has begun to come. */
    interface Exchange<T> {
        T read(Response response, Pulse pulse) throws IOException, EngineException;
    }

    /** Counts signs of life. */
    static final class Pulse {
        private final AtomicLong beats = new AtomicLong();

        void beat() {
            beats.incrementAndGet();
        }
    }

    /** A whole answer, whatever its status. */
    Answer ask(Call call, Duration deadline) throws EngineException, InterruptedException {
        return run(call, deadline, (response, pulse) -> Answer.read(response));
    }

    /**
     * An answer that comes bit by bit.
     *
     * @param idle how long there may be no sign of life
     */
    <T> T run(Call call, Duration idle, Exchange<T> exchange) throws EngineException, InterruptedException {
        return insist(call, idle, (wire, pulse) -> {
            try (Response response = wire.client.execute(call.request())) {
                wire.answered = true;
                pulse.beat();
                return exchange.read(response, pulse);
            }
        });
    }

    /** An answer that has begun and goes on until it is closed. */
    Opened open(Call call, Duration deadline) throws EngineException, InterruptedException {
        // Holds nothing once the caller has gone: what comes then is closed by the thread that got it.
        AtomicReference<Optional<Opened>> place = new AtomicReference<>();
        boolean taken = false;
        try {
            Opened opened = insist(call, deadline, (wire, pulse) -> {
                Opened got = new Opened(wire.client.execute(call.request()));
                wire.answered = true;
                if (!place.compareAndSet(null, Optional.of(got))) {
                    got.close();
                }
                return got;
            });
            taken = true;
            return opened;
        } finally {
            if (!taken) {
                Optional<Opened> left = place.getAndSet(Optional.empty());
                if (left != null) {
                    left.ifPresent(Opened::close);
                }
            }
        }
    }

    @Override
    public void close() {
        Wire last;
        synchronized (this) {
            closed = true;
            last = current;
            current = null;
        }
        if (last != null) {
            last.close();
        }
    }

    private <T> T insist(Call call, Duration limit, Use<T> use) throws EngineException, InterruptedException {
        Wire wire = take();
        boolean mayBeStale = wire.answered;
        Pulse pulse = new Pulse();
        try {
            return attempt(wire, call, limit, pulse, use);
        } catch (UncheckedIOException e) {
            retire(wire);
            if (!mayBeStale || call.upload().isPresent() || pulse.beats.get() > 0) {
                throw Failures.unreachable(where, e);
            }
        } finally {
            giveBack(wire);
        }
        Wire fresh = take();
        try {
            return attempt(fresh, call, limit, new Pulse(), use);
        } catch (UncheckedIOException e) {
            retire(fresh);
            throw Failures.unreachable(where, e);
        } finally {
            giveBack(fresh);
        }
    }

    /** @throws UncheckedIOException if the connection could not be made, or broke */
    private <T> T attempt(Wire wire, Call call, Duration limit, Pulse pulse, Use<T> use)
            throws EngineException, InterruptedException {
        Future<T> future;
        try {
            future = threads.submit(() -> use.of(wire, pulse));
        } catch (RejectedExecutionException e) {
            throw new EngineException(
                    Kind.UNREACHABLE, "the connection to the Docker daemon at " + where + " was closed", e);
        }
        try {
            while (true) {
                long before = pulse.beats.get();
                try {
                    return future.get(limit.toNanos(), TimeUnit.NANOSECONDS);
                } catch (TimeoutException e) {
                    if (pulse.beats.get() == before) {
                        retire(wire);
                        throw Failures.tooSlow(where, call, limit);
                    }
                }
            }
        } catch (ExecutionException e) {
            throw unwrapped(e.getCause());
        } finally {
            future.cancel(true);
        }
    }

    /** @return an {@link UncheckedIOException} for trouble with the connection */
    private static RuntimeException unwrapped(Throwable thrown) throws EngineException {
        if (thrown instanceof EngineException e) {
            throw e;
        }
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof IOException e) {
                return new UncheckedIOException(e);
            }
        }
        throw new EngineException(Kind.FAILED, Failures.oneLine(String.valueOf(thrown)), thrown);
    }

    private synchronized Wire take() throws EngineException {
        if (closed) {
            throw Failures.closed(where);
        }
        if (current == null) {
            current = new Wire(clients.get());
        }
        current.users++;
        return current;
    }

    private synchronized void retire(Wire wire) {
        if (current == wire) {
            current = null;
        }
        wire.retired = true;
    }

    private void giveBack(Wire wire) {
        boolean last;
        synchronized (this) {
            wire.users--;
            last = wire.retired && wire.users == 0;
        }
        if (last) {
            wire.close();
        }
    }

    private interface Use<T> {
        T of(Wire wire, Pulse pulse) throws IOException, EngineException;
    }

    /** Connections of one time, which are dead together. */
    private static final class Wire {
        private final DockerHttpClient client;
        private volatile boolean answered;
        private int users; // guarded by the line
        private boolean retired; // guarded by the line

        Wire(DockerHttpClient client) {
            this.client = client;
        }

        void close() {
            try {
                client.close();
            } catch (IOException e) {
                throw new UncheckedIOException("Expected to close connections to the engine, but could not", e);
            }
        }
    }

    /** An answer under way. */
    record Opened(Response response) implements AutoCloseable {
        /** Also ends a read that waits in another thread. */
        @Override
        public void close() {
            response.close();
        }
    }
}
