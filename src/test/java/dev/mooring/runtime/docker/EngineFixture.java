package dev.mooring.runtime.docker;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.docker.Connection.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Containers of a real engine for a test; removes them when closed. */
final class EngineFixture implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Also limits the wait for a container that writes a large log. */
    private static final Duration TIME_TO_END = Duration.ofMinutes(3);

    private final EngineClient calls;
    private final List<String> containers = new ArrayList<>();

    /** Standard input and terminal of a container. */
    enum Console {
        NONE,
        STDIN,
        STDIN_ONCE,
        TTY
    }

    EngineFixture(String host) {
        this.calls = new EngineClient(EngineAddress.of(host, Optional.empty()), TIME_TO_END);
    }

    String created(Console console, String... command) throws EngineException, InterruptedException {
        ObjectNode spec = JSON.createObjectNode().put("Image", "busybox:latest");
        spec.put("OpenStdin", console != Console.NONE);
        spec.put("StdinOnce", console == Console.STDIN_ONCE);
        spec.put("Tty", console == Console.TTY);
        ArrayNode line = spec.putArray("Cmd");
        Arrays.stream(command).forEach(line::add);
        spec.putObject("Labels").put("mooring-test", "streams");
        spec.putObject("HostConfig").put("NetworkMode", "none").put("Init", false);
        String id = calls.call(Request.post("/containers/create", spec.toString()))
                .path("Id")
                .asText();
        containers.add(id);
        return id;
    }

    String running(Console console, String... command) throws EngineException, InterruptedException {
        String id = created(console, command);
        start(id);
        return id;
    }

    String running(String shell) throws EngineException, InterruptedException {
        return running(Console.NONE, "sh", "-c", shell);
    }

    String ended(String shell) throws EngineException, InterruptedException {
        String id = running(shell);
        await(id);
        return id;
    }

    void start(String id) throws EngineException, InterruptedException {
        calls.call(Request.post("/containers/" + id + "/start"));
    }

    void await(String id) throws EngineException, InterruptedException {
        calls.call(Request.post("/containers/" + id + "/wait"));
    }

    void kill(String id) throws EngineException, InterruptedException {
        calls.call(Request.post("/containers/" + id + "/kill"));
    }

    boolean runs(String id) throws EngineException, InterruptedException {
        return calls.call(Request.get("/containers/" + id + "/json"))
                .path("State")
                .path("Running")
                .asBoolean();
    }

    void remove(String id) throws EngineException, InterruptedException {
        calls.call(new Request("DELETE", "/containers/" + id + "?force=1&v=1", "", false));
    }

    /** Removes the containers. An unavailable engine is ignored: the test that killed it removes its containers. */
    @Override
    public void close() throws EngineException, InterruptedException {
        for (String id : containers) {
            try {
                remove(id);
            } catch (EngineException e) {
                if (!e.isUnavailable()
                        && e.kind() != EngineException.Kind.NOT_FOUND
                        && e.kind() != EngineException.Kind.CONFLICT) {
                    throw e;
                }
            }
        }
        calls.close();
    }
}
