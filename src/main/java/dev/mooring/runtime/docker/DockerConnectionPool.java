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
 * A connection pool for one class of calls, so that long calls never delay short ones.
 *
 * <p>A call runs on its own thread while the caller waits for it: a read from a Unix socket has no timeout in
 * docker-java, and one from a TCP socket cannot be interrupted. On timeout the caller returns, and the call's thread is
 * interrupted, which closes a Unix socket.
 *
 * <p>After a restart of the engine all kept connections are dead, which only shows on use. The first one that breaks
 * retires all of them, and its call is repeated once over a new one: all calls are idempotent, see
 * {@link dev.mooring.runtime.ContainerRuntime}. Any thread.
 */
final class DockerConnectionPool implements AutoCloseable {
    private final String where;
    private final Supplier<DockerHttpClient> clients;
    private final ExecutorService threads;
    private SharedClient current; // guarded by this
    private boolean closed; // guarded by this

    /**
     * Creates a pool.
     *
     * @param clients creates a client without connecting; called first with the first call
     */
    DockerConnectionPool(String where, Supplier<DockerHttpClient> clients, ExecutorService threads) {
        this.where = where;
        this.clients = clients;
        this.threads = threads;
    }

    /** Reads a response that has begun. */
    interface ResponseReader<T> {
        T read(Response response, ActivityCounter activity) throws IOException, EngineException;
    }

    /** Counts signs of activity. */
    static final class ActivityCounter {
        private final AtomicLong count = new AtomicLong();

        void increment() {
            count.incrementAndGet();
        }
    }

    /** Returns a complete response, with any status. */
    DockerResponse ask(DockerRequest call, Duration deadline) throws EngineException, InterruptedException {
        return run(call, deadline, (response, activity) -> DockerResponse.read(response));
    }

    /**
     * Reads a streamed response.
     *
     * @param idle maximum time without activity
     */
    <T> T run(DockerRequest call, Duration idle, ResponseReader<T> reader)
            throws EngineException, InterruptedException {
        return callWithRetry(call, idle, (shared, activity) -> {
            try (Response response = shared.client.execute(call.request())) {
                shared.answered = true;
                activity.increment();
                return reader.read(response, activity);
            }
        });
    }

    /** Returns a response that continues until it is closed. */
    OpenResponse open(DockerRequest call, Duration deadline) throws EngineException, InterruptedException {
        // Empty once the caller has gone: the call's thread then closes the response.
        AtomicReference<Optional<OpenResponse>> place = new AtomicReference<>();
        boolean taken = false;
        try {
            OpenResponse opened = callWithRetry(call, deadline, (shared, activity) -> {
                OpenResponse got = new OpenResponse(shared.client.execute(call.request()));
                shared.answered = true;
                if (!place.compareAndSet(null, Optional.of(got))) {
                    got.close();
                }
                return got;
            });
            taken = true;
            return opened;
        } finally {
            if (!taken) {
                Optional<OpenResponse> left = place.getAndSet(Optional.empty());
                if (left != null) {
                    left.ifPresent(OpenResponse::close);
                }
            }
        }
    }

    @Override
    public void close() {
        SharedClient last;
        synchronized (this) {
            closed = true;
            last = current;
            current = null;
        }
        if (last != null) {
            last.close();
        }
    }

    private <T> T callWithRetry(DockerRequest call, Duration limit, PooledCall<T> use)
            throws EngineException, InterruptedException {
        SharedClient shared = acquire();
        boolean mayBeStale = shared.answered;
        ActivityCounter activity = new ActivityCounter();
        try {
            return attempt(shared, call, limit, activity, use);
        } catch (UncheckedIOException e) {
            retire(shared);
            if (!mayBeStale || call.upload().isPresent() || activity.count.get() > 0) {
                throw DockerErrors.unreachable(where, e);
            }
        } finally {
            release(shared);
        }
        SharedClient fresh = acquire();
        try {
            return attempt(fresh, call, limit, new ActivityCounter(), use);
        } catch (UncheckedIOException e) {
            retire(fresh);
            throw DockerErrors.unreachable(where, e);
        } finally {
            release(fresh);
        }
    }

    /**
     * Runs a call.
     *
     * @throws UncheckedIOException if the connection failed or broke
     */
    private <T> T attempt(
            SharedClient shared, DockerRequest call, Duration limit, ActivityCounter activity, PooledCall<T> use)
            throws EngineException, InterruptedException {
        Future<T> future;
        try {
            future = threads.submit(() -> use.of(shared, activity));
        } catch (RejectedExecutionException e) {
            throw new EngineException(
                    Kind.UNREACHABLE, "the connection to the Docker daemon at " + where + " was closed", e);
        }
        try {
            while (true) {
                long before = activity.count.get();
                try {
                    return future.get(limit.toNanos(), TimeUnit.NANOSECONDS);
                } catch (TimeoutException e) {
                    if (activity.count.get() == before) {
                        retire(shared);
                        throw DockerErrors.tooSlow(where, call, limit);
                    }
                }
            }
        } catch (ExecutionException e) {
            throw unwrapped(e.getCause());
        } finally {
            future.cancel(true);
        }
    }

    /**
     * Unwraps an exception.
     *
     * @return an {@link UncheckedIOException} for a connection failure
     */
    private static RuntimeException unwrapped(Throwable thrown) throws EngineException {
        if (thrown instanceof EngineException e) {
            throw e;
        }
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof IOException e) {
                return new UncheckedIOException(e);
            }
        }
        throw new EngineException(Kind.FAILED, DockerErrors.oneLine(String.valueOf(thrown)), thrown);
    }

    private synchronized SharedClient acquire() throws EngineException {
        if (closed) {
            throw DockerErrors.closed(where);
        }
        if (current == null) {
            current = new SharedClient(clients.get());
        }
        current.users++;
        return current;
    }

    private synchronized void retire(SharedClient shared) {
        if (current == shared) {
            current = null;
        }
        shared.retired = true;
    }

    private void release(SharedClient shared) {
        boolean last;
        synchronized (this) {
            shared.users--;
            last = shared.retired && shared.users == 0;
        }
        if (last) {
            shared.close();
        }
    }

    private interface PooledCall<T> {
        T of(SharedClient shared, ActivityCounter activity) throws IOException, EngineException;
    }

    /** Connections of one engine process, which break together. */
    private static final class SharedClient {
        private final DockerHttpClient client;
        private volatile boolean answered;
        private int users; // guarded by the pool
        private boolean retired; // guarded by the pool

        SharedClient(DockerHttpClient client) {
            this.client = client;
        }

        void close() {
            try {
                client.close();
            } catch (IOException e) {
                throw new UncheckedIOException("Failed to close connections to the engine", e);
            }
        }
    }

    /** An open response. */
    record OpenResponse(Response response) implements AutoCloseable {
        /** Closes the response. Also ends a read that blocks in another thread. */
        @Override
        public void close() {
            response.close();
        }
    }
}
