package dev.mooring.runtime.docker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Json;
import dev.mooring.runtime.ContainerLabels;
import dev.mooring.runtime.ContainerRuntime.EventListener;
import dev.mooring.runtime.EngineException;
import java.io.EOFException;
import java.io.IOException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine's event stream, until it is closed locally or by the engine.
 *
 * <p>The engine sends the response head slightly before it subscribes to its events. So that events in between are not
 * lost, the request asks for all events since a moment before; duplicates are harmless. The time is the engine's clock,
 * not this machine's.
 */
final class DockerEventStream implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DockerEventStream.class);

    private static final String OOM = "oom";

    private final DockerConnectionPool.OpenResponse stream;
    private final String where;
    private final Consumer<String> outOfMemory;
    private final EventListener listener;
    private final AtomicBoolean ended = new AtomicBoolean();

    /**
     * Creates the stream.
     *
     * @param outOfMemory called with the ids of containers that ran out of memory, before the listener
     */
    DockerEventStream(
            DockerConnectionPool.OpenResponse stream,
            String where,
            Consumer<String> outOfMemory,
            EventListener follower) {
        this.stream = stream;
        this.where = where;
        this.outOfMemory = outOfMemory;
        this.listener = follower;
    }

    /**
     * Creates the request.
     *
     * @param engineDate Date header of a previous response
     */
    static DockerRequest call(String instance, String engineDate) {
        ObjectNode filters = Json.MAPPER.createObjectNode();
        filters.putArray("type").add("container");
        filters.putArray("label").add(ContainerLabels.INSTANCE + '=' + instance);
        var events = filters.putArray("event");
        for (String event : new String[] {"create", "start", "die", OOM, "destroy", "pause", "unpause"}) {
            events.add(event);
        }
        String since = moment(engineDate);
        return DockerRequest.get("/events?" + since + "filters=" + DockerRequest.encoded(filters.toString()));
    }

    void begin() {
        Thread thread = new Thread(this::deliver, "docker-events");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        ended.set(true);
        stream.close();
    }

    private void deliver() {
        EngineException why;
        try {
            DockerJson.each(stream.response().getBody(), this::deliver);
            why = DockerErrors.unreachable(where, new EOFException());
        } catch (IOException | RuntimeException e) {
            why = DockerErrors.unreachable(where, e);
        }
        if (ended.compareAndSet(false, true)) {
            stream.close();
            listener.onStreamEnded(why);
        }
    }

    private void deliver(JsonNode event) throws IOException {
        String id = event.path("Actor").path("ID").asText("");
        if (ended.get()) {
            throw new EOFException();
        }
        if (id.isEmpty()) {
            return;
        }
        try {
            if (event.path("Action").asText("").equals(OOM)) {
                outOfMemory.accept(id);
            }
            listener.onEvent(id);
        } catch (RuntimeException e) {
            LOG.error("Failed to handle event of container {}; continuing with the next", id, e);
        }
    }

    private static String moment(String engineDate) {
        try {
            Instant date = ZonedDateTime.parse(engineDate, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant();
            return "since=" + date.getEpochSecond() + '&';
        } catch (DateTimeParseException e) {
            return "";
        }
    }
}
