package dev.mooring.runtime.docker.stream;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.runtime.ContainerStreams.Channel;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.docker.stream.Connection.Request;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A further process in a container, as the engine knows it.
 *
 * <p>The engine hands the connection over before it starts the process. If that fails, its words come as output, and only its own account of the process
 * tells them from words of the process: so the first output that looks like it (it ends as the engine's words do) waits until that was asked for.
 */
final class ExecProcess implements Output, StreamSession.Outcome, StreamSession.Terminal {
    private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int TRIES_TO_RESIZE = 8;
    private static final int NOT_EXECUTABLE = 126;
    private static final int NO_SUCH_COMMAND = 127;

    private final EngineCalls calls;
    private final String id;
    private final Output output;
    private boolean spoken;
    private String complaint = "";

    ExecProcess(EngineCalls calls, String id, Output output) {
        this.calls = calls;
        this.id = id;
        this.output = output;
    }

    @Override
    public void take(Channel channel, byte[] bytes) throws EngineException, InterruptedException {
        if (!spoken) {
            spoken = true;
            if (channel == Channel.STDOUT && endsLikeTheEngine(bytes) && neverStarted(inspect())) {
                complaint = new String(bytes, StandardCharsets.UTF_8).strip();
                return;
            }
        }
        output.take(channel, bytes);
    }

    /** The output may end before the process has, by a moment or, if it closes it, by far. */
    @Override
    public int find(Optional<EngineException> broken) throws EngineException, InterruptedException {
        long pause = FIRST_PAUSE;
        while (true) {
            JsonNode state = inspect();
            if (neverStarted(state)) {
                throw refused(state);
            }
            if (!state.path("Running").asBoolean() && state.path("ExitCode").isInt()) {
                return state.path("ExitCode").asInt();
            }
            if (broken.isPresent()) {
                throw broken.get();
            }
            pause = pause(pause);
        }
    }

    /** The engine waits until the process has started, but not each of them does so in each of its steps. */
    @Override
    public void resize(int columns, int rows) throws EngineException, InterruptedException {
        long pause = FIRST_PAUSE;
        for (int tries = 1; ; tries++) {
            try {
                calls.call(Request.post("/exec/" + id + "/resize?h=" + rows + "&w=" + columns));
                return;
            } catch (EngineException e) {
                if (e.isAbsence()
                        || tries == TRIES_TO_RESIZE
                        || !inspect().path("Running").asBoolean(true)) {
                    throw e;
                }
            }
            pause = pause(pause);
        }
    }

    private JsonNode inspect() throws EngineException, InterruptedException {
        return calls.call(Request.get("/exec/" + id + "/json"));
    }

    private EngineException refused(JsonNode state) {
        int code = state.path("ExitCode").asInt();
        Kind kind = code == NOT_EXECUTABLE || code == NO_SUCH_COMMAND
                ? Kind.REFUSED
                : complaint.endsWith("is not running") ? Kind.CONFLICT : Kind.FAILED;
        return new EngineException(
                kind, complaint.isEmpty() ? "The process could not be started (status " + code + ")." : complaint);
    }

    /** A process that is being started counts as running. */
    private static boolean neverStarted(JsonNode state) {
        return !state.path("Running").asBoolean() && state.path("Pid").asInt() == 0;
    }

    private static boolean endsLikeTheEngine(byte[] bytes) {
        int length = bytes.length;
        return length > 2 && bytes[length - 2] == '\r' && bytes[length - 1] == '\n';
    }

    private static long pause(long nanos) throws InterruptedException {
        LockSupport.parkNanos(nanos);
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted while waiting for a process in a container");
        }
        return Math.min(2 * nanos, LONGEST_PAUSE);
    }
}
