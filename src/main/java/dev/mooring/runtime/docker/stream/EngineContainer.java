package dev.mooring.runtime.docker.stream;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import dev.mooring.runtime.docker.stream.Connection.Request;
import java.util.Optional;

/** A container as the engine knows it: what it was made with, and whether it runs. */
record EngineContainer(EngineCalls calls, String id, JsonNode facts)
        implements StreamSession.Outcome, StreamSession.Terminal {
    /** @param id as it is put into a path */
    static EngineContainer of(EngineCalls calls, String id) throws EngineException, InterruptedException {
        return new EngineContainer(calls, id, calls.call(Request.get("/containers/" + id + "/json")));
    }

    boolean tty() {
        return facts.path("Config").path("Tty").asBoolean();
    }

    Input input() {
        JsonNode config = facts.path("Config");
        if (!config.path("OpenStdin").asBoolean()) {
            return Input.dropped();
        } else if (tty()) {
            return Input.terminal();
        }
        return config.path("StdinOnce").asBoolean() ? Input.pipe() : Input.lastingPipe();
    }

    /** An engine would have who attaches too early or too late wait for the next start. */
    void mustRun() throws EngineException {
        if (!facts.path("State").path("Running").asBoolean()) {
            throw new EngineException(
                    Kind.CONFLICT, "Container " + facts.path("Id").asText(id) + " is not running");
        }
    }

    /** The connection ends with the container or with the engine, and looks the same. */
    @Override
    public int find(Optional<EngineException> broken) throws EngineException, InterruptedException {
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
