package dev.mooring.runtime.docker.stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.docker.stream.Connection.Request;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;

/**
 * Asks an engine, each time on a connection of its own, and puts what goes wrong into its own words.
 *
 * <p>Targets carry no version: each engine then speaks its own newest, and what is asked for here has been the same in all of them since 20.10. A
 * version that suits the oldest is refused by the newest. Any thread.
 */
final class EngineCalls implements AutoCloseable {
    /** An engine that starts many containers at once takes seconds; none takes this long that ever answers. */
    private static final Duration TIME_TO_ANSWER = Duration.ofSeconds(60);

    private static final int LARGEST_ANSWER = 16 * 1024 * 1024;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final EngineAddress address;
    private final Duration timeToAnswer;
    private final Deadlines deadlines = new Deadlines();

    EngineCalls(EngineAddress address) {
        this(address, TIME_TO_ANSWER);
    }

    EngineCalls(EngineAddress address, Duration timeToAnswer) {
        this.address = address;
        this.timeToAnswer = timeToAnswer;
    }

    /** The whole answer. */
    JsonNode call(Request request) throws EngineException, InterruptedException {
        return exchange(request, (connection, status) -> {
            try (connection) {
                byte[] body = all(connection);
                refuse(status, body);
                return body.length == 0 ? JSON.missingNode() : JSON.readTree(body);
            }
        });
    }

    /** An answer that goes on: the connection is the caller's to close. */
    Connection open(Request request) throws EngineException, InterruptedException {
        return exchange(request, (connection, status) -> {
            if (status >= 300) {
                refuse(status, all(connection));
            }
            return connection;
        });
    }

    /** What it means that reading or writing went wrong. */
    static EngineException broken(IOException e) {
        return new EngineException(Kind.UNREACHABLE, "The connection to the Docker engine broke: " + words(e), e);
    }

    @Override
    public void close() {
        deadlines.close();
    }

    private interface Use<T> {
        T of(Connection connection, int status) throws IOException, EngineException;
    }

    private <T> T exchange(Request request, Use<T> use) throws EngineException, InterruptedException {
        Wire wire = wire();
        boolean good = false;
        try (Deadlines.Deadline deadline = deadlines.watch(wire, timeToAnswer)) {
            try {
                Connection connection = new Connection(wire);
                T result = use.of(connection, connection.ask(request));
                good = true;
                return result;
            } catch (IOException e) {
                if (Thread.interrupted()) {
                    throw (InterruptedException)
                            new InterruptedException("interrupted while the engine was asked").initCause(e);
                }
                if (deadline.expired()) {
                    throw new EngineException(
                            Kind.TOO_SLOW,
                            "The Docker engine at " + address + " did not answer within " + timeToAnswer.toSeconds()
                                    + " seconds.",
                            e);
                }
                throw unreachable(e);
            }
        } catch (RejectedExecutionException e) {
            throw new EngineException(
                    Kind.UNREACHABLE, "The Docker engine at " + address + " is no longer asked: Mooring ends.", e);
        } finally {
            if (!good) {
                wire.close();
            }
        }
    }

    private Wire wire() throws EngineException {
        try {
            return address.wire();
        } catch (IOException e) {
            throw unreachable(e);
        }
    }

    private EngineException unreachable(IOException e) {
        return new EngineException(
                Kind.UNREACHABLE,
                "Cannot connect to the Docker engine at " + address + " (is it running?): " + words(e),
                e);
    }

    private static String words(IOException e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    private static byte[] all(Connection connection) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] piece = new byte[8 * 1024];
        for (int count = connection.read(piece); count >= 0; count = connection.read(piece)) {
            all.write(piece, 0, count);
            if (all.size() > LARGEST_ANSWER) {
                throw new IOException("its answer has no end");
            }
        }
        return all.toByteArray();
    }

    private static void refuse(int status, byte[] body) throws EngineException {
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
            String message = JSON.readTree(text).path("message").asText("").strip();
            if (!message.isEmpty()) {
                return message;
            }
        } catch (IOException expected) {
            // Not JSON: somebody else's words, then.
        }
        return text.isEmpty() ? "The Docker engine answered with status " + status + "." : text;
    }
}
