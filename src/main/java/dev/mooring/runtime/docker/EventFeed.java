package dev.mooring.runtime.docker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.runtime.ContainerRuntime.Follower;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.Labels;
import java.io.EOFException;
import java.io.IOException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine's events, until closed or until the engine ends them.
 *
 * <p>The engine sends the head of its answer a little before it begins to listen to itself. What happens in between would be lost, so it is asked
 * for everything since a moment before; what is then told twice does no harm. The moment is one of the engine's clock, not of ours.
 */
final class EventFeed implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EventFeed.class);

    private final EngineLine.Opened stream;
    private final String where;
    private final Follower follower;
    private final AtomicBoolean over = new AtomicBoolean();

    EventFeed(EngineLine.Opened stream, String where, Follower follower) {
        this.stream = stream;
        this.where = where;
        this.follower = follower;
    }

    /** @param engineDate of an answer that came before */
    static Call call(String instance, String engineDate) {
        ObjectNode filters = Json.object();
        filters.putArray("type").add("container");
        filters.putArray("label").add(Labels.INSTANCE + '=' + instance);
        var events = filters.putArray("event");
        for (String event : new String[] {"create", "start", "die", "oom", "destroy", "pause", "unpause"}) {
            events.add(event);
        }
        String since = moment(engineDate);
        return Call.get("/events?" + since + "filters=" + Call.encoded(filters.toString()));
    }

    void begin() {
        Thread thread = new Thread(this::tell, "docker-events");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        over.set(true);
        stream.close();
    }

    private void tell() {
        EngineException why;
        try {
            Json.each(stream.response().getBody(), this::tell);
            why = Failures.unreachable(where, new EOFException());
        } catch (IOException | RuntimeException e) {
            why = Failures.unreachable(where, e);
        }
        if (over.compareAndSet(false, true)) {
            stream.close();
            follower.ended(why);
        }
    }

    private void tell(JsonNode event) throws IOException {
        String id = event.path("Actor").path("ID").asText("");
        if (over.get()) {
            throw new EOFException();
        }
        if (id.isEmpty()) {
            return;
        }
        try {
            follower.happened(id);
        } catch (RuntimeException e) {
            LOG.error(
                    "Expected a follower of the engine's events to take one of container {}, but it failed; going on"
                            + " with the next",
                    id,
                    e);
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
