package dev.mooring.runtime.docker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.Json;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.docker.Connection.Request;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Sends requests to an engine, each on its own connection, and maps errors.
 *
 * <p>Paths have no API version, so each engine uses its newest, and the requests used here are the same in all versions
 * since 20.10. A version that the oldest engine supports would be rejected by the newest. Any thread.
 */
final class EngineClient implements AutoCloseable {
    /** An engine that starts many containers at once takes seconds; longer than this means that it never responds. */
    private static final Duration TIME_TO_ANSWER = Duration.ofSeconds(60);

    private static final int LARGEST_ANSWER = 16 * 1024 * 1024;

    private final EngineAddress address;
    private final Duration timeToAnswer;
    private final Deadlines deadlines = new Deadlines();

    EngineClient(EngineAddress address) {
        this(address, TIME_TO_ANSWER);
    }

    EngineClient(EngineAddress address, Duration timeToAnswer) {
        this.address = address;
        this.timeToAnswer = timeToAnswer;
    }

    /** Returns the complete response. */
    JsonNode call(Request request) throws EngineException, InterruptedException {
        return exchange(request, (connection, status) -> {
            try (connection) {
                byte[] body = all(connection);
                requireSuccess(status, body);
                return body.length == 0 ? Json.MAPPER.missingNode() : Json.MAPPER.readTree(body);
            }
        });
    }

    /** Returns an open response; the caller must close the connection. */
    Connection open(Request request) throws EngineException, InterruptedException {
        return exchange(request, (connection, status) -> {
            if (status >= 300) {
                requireSuccess(status, all(connection));
            }
            return connection;
        });
    }

    /** Maps a read or write error. */
    static EngineException broken(IOException e) {
        return new EngineException(Kind.UNREACHABLE, "Lost the connection to the Docker engine: " + message(e), e);
    }

    @Override
    public void close() {
        deadlines.close();
    }

    private interface ConnectionCall<T> {
        T of(Connection connection, int status) throws IOException, EngineException;
    }

    private <T> T exchange(Request request, ConnectionCall<T> use) throws EngineException, InterruptedException {
        Transport transport = connectedTransport();
        boolean good = false;
        try (Deadlines.Deadline deadline = deadlines.watch(transport, timeToAnswer)) {
            try {
                Connection connection = new Connection(transport);
                T result = use.of(connection, connection.send(request));
                good = true;
                return result;
            } catch (IOException e) {
                if (Thread.interrupted()) {
                    throw (InterruptedException)
                            new InterruptedException("interrupted while waiting for the engine").initCause(e);
                }
                if (deadline.expired()) {
                    throw new EngineException(
                            Kind.TOO_SLOW,
                            "The Docker engine at " + address + " did not respond within " + timeToAnswer.toSeconds()
                                    + " seconds",
                            e);
                }
                throw unreachable(e);
            }
        } catch (RejectedExecutionException e) {
            throw new EngineException(
                    Kind.UNREACHABLE, "Cannot call the Docker engine at " + address + ": Mooring is shutting down", e);
        } finally {
            if (!good) {
                transport.close();
            }
        }
    }

    private Transport connectedTransport() throws EngineException {
        try {
            return address.newTransport();
        } catch (IOException e) {
            throw unreachable(e);
        }
    }

    private EngineException unreachable(IOException e) {
        return new EngineException(
                Kind.UNREACHABLE,
                "Cannot connect to the Docker engine at " + address + " (is it running?): " + message(e),
                e);
    }

    private static String message(IOException e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    private static byte[] all(Connection connection) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] piece = new byte[8 * 1024];
        for (int count = connection.read(piece); count >= 0; count = connection.read(piece)) {
            all.write(piece, 0, count);
            if (all.size() > LARGEST_ANSWER) {
                throw new IOException("its response has more than " + LARGEST_ANSWER + " bytes");
            }
        }
        return all.toByteArray();
    }

    private static void requireSuccess(int status, byte[] body) throws EngineException {
        if (status < 300) {
            return;
        }
        Kind kind = switch (status) {
            case 404 -> Kind.NOT_FOUND;
            case 409 -> Kind.CONFLICT;
            case 408, 429 -> Kind.FAILED;
            default -> status < 500 ? Kind.REFUSED : Kind.FAILED;
        };
        throw new EngineException(kind, message(status, body));
    }

    private static String message(int status, byte[] body) {
        String text = new String(body, StandardCharsets.UTF_8).strip();
        try {
            String message =
                    Json.MAPPER.readTree(text).path("message").asText("").strip();
            if (!message.isEmpty()) {
                return message;
            }
        } catch (IOException expected) {
            // Not JSON: the message is not the engine's.
        }
        return text.isEmpty() ? "The Docker engine responded with status " + status : text;
    }

    /** Closes connections to an unresponsive engine. One thread serves all of them. Any thread. */
    private static final class Deadlines implements AutoCloseable {
        private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "mooring-stream-deadlines");
            thread.setDaemon(true);
            return thread;
        });

        Deadlines() {
            timer.setRemoveOnCancelPolicy(true);
        }

        /** Starts a deadline that runs until it is closed. */
        Deadline watch(Transport transport, Duration time) {
            Deadline deadline = new Deadline(transport);
            deadline.pending = timer.schedule(deadline::expire, time.toNanos(), TimeUnit.NANOSECONDS);
            return deadline;
        }

        @Override
        public void close() {
            timer.shutdownNow();
        }

        static final class Deadline implements AutoCloseable {
            private final Transport transport;
            private volatile boolean expired;
            private Future<?> pending;

            private Deadline(Transport transport) {
                this.transport = transport;
            }

            boolean expired() {
                return expired;
            }

            private void expire() {
                expired = true;
                transport.close();
            }

            @Override
            public void close() {
                pending.cancel(false);
            }
        }
    }
}
