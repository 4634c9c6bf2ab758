package dev.mooring.runtime.docker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.runtime.ContainerStreams.Channel;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.docker.Connection.Request;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * An exec process in a container.
 *
 * <p>The engine upgrades the connection before it starts the process. If the start fails, its error message arrives as
 * output, and only an inspection of the process distinguishes it from real output. So the first output that looks like
 * an error message (by its ending) is held back until the process was inspected.
 */
final class ExecProcess
        implements StreamDecoder.ProcessOutput, StreamSession.ExitCodeSource, StreamSession.ResizableTerminal {
    private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int TRIES_TO_RESIZE = 8;
    private static final int NOT_EXECUTABLE = 126;
    private static final int NO_SUCH_COMMAND = 127;

    private final EngineClient calls;
    private final String id;
    private final StreamDecoder.ProcessOutput output;
    private boolean outputSeen;
    private String startError = "";

    ExecProcess(EngineClient calls, String id, StreamDecoder.ProcessOutput output) {
        this.calls = calls;
        this.id = id;
        this.output = output;
    }

    @Override
    public void accept(Channel channel, byte[] bytes) throws EngineException, InterruptedException {
        if (!outputSeen) {
            outputSeen = true;
            if (channel == Channel.STDOUT && endsLikeEngineMessage(bytes) && neverStarted(inspect())) {
                startError = new String(bytes, StandardCharsets.UTF_8).strip();
                return;
            }
        }
        output.accept(channel, bytes);
    }

    /**
     * Returns the exit code. The output may end shortly before the process or, if the process closes it, long before.
     */
    @Override
    public int exitCode(Optional<EngineException> broken) throws EngineException, InterruptedException {
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

    /** Resizes the terminal. The engine waits until the process has started, but not in all versions and states. */
    @Override
    public void resize(int columns, int rows) throws EngineException, InterruptedException {
        long pause = FIRST_PAUSE;
        for (int tries = 1; ; tries++) {
            try {
                calls.call(Request.post("/exec/" + id + "/resize?h=" + rows + "&w=" + columns));
                return;
            } catch (EngineException e) {
                if (e.isUnavailable()
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
                : startError.endsWith("is not running") ? Kind.CONFLICT : Kind.FAILED;
        return new EngineException(
                kind, startError.isEmpty() ? "The process could not be started (status " + code + ")" : startError);
    }

    /** Returns whether the process never started; a process that is being started counts as running. */
    private static boolean neverStarted(JsonNode state) {
        return !state.path("Running").asBoolean() && state.path("Pid").asInt() == 0;
    }

    private static boolean endsLikeEngineMessage(byte[] bytes) {
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
