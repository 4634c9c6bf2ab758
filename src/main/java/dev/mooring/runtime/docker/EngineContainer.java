package dev.mooring.runtime.docker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.docker.Connection.Request;
import java.util.Optional;

/** An inspected container: its configuration and its state. */
record EngineContainer(EngineClient calls, String id, JsonNode facts)
        implements StreamSession.ExitCodeSource, StreamSession.ResizableTerminal {
    /**
     * Inspects a container.
     *
     * @param id escaped for a path
     */
    static EngineContainer of(EngineClient calls, String id) throws EngineException, InterruptedException {
        return new EngineContainer(calls, id, calls.call(Request.get("/containers/" + id + "/json")));
    }

    boolean tty() {
        return facts.path("Config").path("Tty").asBoolean();
    }

    ProcessInput input() {
        JsonNode config = facts.path("Config");
        if (!config.path("OpenStdin").asBoolean()) {
            return ProcessInput.dropped();
        } else if (tty()) {
            return ProcessInput.terminal();
        }
        return config.path("StdinOnce").asBoolean() ? ProcessInput.pipe() : ProcessInput.lastingPipe();
    }

    /** Requires that the container runs: the engine would let an attach to a stopped one wait for the next start. */
    void requireRunning() throws EngineException {
        if (!facts.path("State").path("Running").asBoolean()) {
            throw new EngineException(
                    Kind.CONFLICT, "Container " + facts.path("Id").asText(id) + " is not running");
        }
    }

    /** Distinguishes the end of the container from the end of the engine, which look the same on the connection. */
    @Override
    public int exitCode(Optional<EngineException> broken) throws EngineException, InterruptedException {
        boolean running;
        try {
            running = of(calls, id).facts.path("State").path("Running").asBoolean();
        } catch (EngineException e) {
            if (e.kind() != Kind.NOT_FOUND) {
                throw e;
            }
            running = false;
        }
        if (running && broken.isPresent()) {
            throw broken.get();
        }
        return 0;
    }

    @Override
    public void resize(int columns, int rows) throws EngineException, InterruptedException {
        if (tty()) {
            calls.call(Request.post("/containers/" + id + "/resize?h=" + rows + "&w=" + columns));
        }
    }
}
