package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mooring.api.Status;
import dev.mooring.api.resource.WriteResponse;
import dev.mooring.log.Batch;
import dev.mooring.log.EventLog;
import dev.mooring.log.EventReader;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.sim.InvariantViolations;
import dev.mooring.world.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Records all responses to users and compares them with the log (I1). An acknowledged write is in the log once, with
 * the same content and revision, which is greater than any revision acknowledged before the request; a rejected write
 * is not in the log. An unanswered write may be in it once. Requests are identified by an id that the log keeps as the
 * event's cause.
 */
public final class AcknowledgedWrites {
    /** Prefix of request ids. */
    static final String PREFIX = "sim-";

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int RETRY_STOPPED = 1;

    /** Outcome of a request, as its sender knows it. */
    private enum RequestState {
        UNANSWERED,
        DONE,
        REFUSED,
        /** The server does not know whether the write is in the log. */
        UNKNOWN
    }

    /** A request and its outcome. */
    static final class Entry {
        private final String id;
        private final String user;
        private final SimRequest request;
        private final long minRevision;
        private RequestState state = RequestState.UNANSWERED;
        private int code;
        private byte[] json = new byte[0];
        private long revision;
        private String removedUid = "";
        private long committedAt;

        private Entry(String id, String user, SimRequest request, long minRevision) {
            this.id = id;
            this.user = user;
            this.request = request;
            this.minRevision = minRevision;
        }

        String id() {
            return id;
        }

        private boolean isMany() {
            return request.verb() == SimRequest.Verb.DELETE_ALL;
        }

        @Override
        public String toString() {
            return id + " (" + user + " " + request.description() + ' ' + request.resource() + ' '
                    + request.namespace().orElse("") + '/' + request.name().orElse("") + ')';
        }
    }

    private final InvariantViolations violations;
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final List<Entry> done = new ArrayList<>();
    private final List<String> history = new ArrayList<>();
    private long newest;
    private int successes;
    private int answers;

    AcknowledgedWrites(InvariantViolations violations) {
        this.violations = violations;
    }

    Entry sent(String user, SimRequest request) {
        Entry entry = new Entry(PREFIX + entries.size(), user, request, newest);
        entries.put(entry.id, entry);
        return entry;
    }

    void answered(Entry entry, SimReply reply) {
        answers++;
        reply.answer().ifPresent(answer -> succeeded(entry, answer));
        reply.refusal()
                .ifPresent(status -> entry.state = isCertain(status) ? RequestState.REFUSED : RequestState.UNKNOWN);
    }

    /**
     * Returns whether a rejected write is certainly not in the log. A failed log does not know which part of the
     * current batch it contains; a stopped ledger has not started the write.
     */
    private static boolean isCertain(Status status) {
        return status.code() < 500 || (status.code() == 503 && status.details().retryAfterSeconds() == RETRY_STOPPED);
    }

    private void succeeded(Entry entry, WriteResponse answer) {
        successes++;
        entry.state = RequestState.DONE;
        entry.code = answer.code();
        if (entry.request.isDryRun()) {
            return;
        }
        entry.json = answer.json();
        JsonNode object = tree(answer.json());
        if (object.path("kind").asText("").equals("Status")) {
            entry.removedUid = object.path("details").path("uid").asText("");
        } else {
            entry.revision = object.path("metadata").path("resourceVersion").asLong(0);
            newest = Math.max(newest, entry.revision);
        }
        done.add(entry);
        history.add(entry + " " + entry.code + " " + entry.revision + " " + Arrays.hashCode(entry.json));
    }

    /** Returns the greatest acknowledged revision. */
    public long newest() {
        return newest;
    }

    public int answers() {
        return answers;
    }

    public int successes() {
        return successes;
    }

    /** Returns all responses in order; equal for two runs of a seed. */
    public List<String> history() {
        return Collections.unmodifiableList(history);
    }

    /**
     * Compares the responses with the log of a server, after a start or at any time.
     *
     * @param world the server's World
     */
    public void check(World world, EventLog log) {
        if (newest > world.revision()) {
            violations.report(
                    "I1", "revision " + newest + " was acknowledged, but the World ends with " + world.revision());
        }
        entries.values().forEach(entry -> entry.committedAt = 0);
        Map<Long, List<Entry>> byRevision = new LinkedHashMap<>();
        for (Entry entry : done) {
            if (entry.revision > 0 && !entry.isMany()) {
                byRevision
                        .computeIfAbsent(entry.revision, unused -> new ArrayList<>())
                        .add(entry);
            }
        }
        long first = log.firstRevision();
        try (EventReader reader = log.read(first)) {
            for (Optional<Batch> batch = reader.next(); batch.isPresent(); batch = reader.next()) {
                for (Event event : batch.get().events()) {
                    checkEvent(event);
                    byRevision.getOrDefault(event.revision(), List.of()).forEach(entry -> checkAnswer(entry, event));
                    byRevision.remove(event.revision());
                }
            }
        } catch (IOException e) {
            violations.report("I1", "the log cannot be read back: " + e);
            return;
        }
        byRevision
                .values()
                .forEach(missing -> missing.forEach(entry -> require(
                        entry.revision < first,
                        "I1",
                        () -> entry + " was answered with revision " + entry.revision + ", which is not in the log")));
        if (first == 1) {
            done.forEach(this::removed);
        }
    }

    /** Checks an event caused by one of the requests. */
    private void checkEvent(Event event) {
        Entry entry = entries.get(event.cause().request());
        if (entry == null) {
            return;
        }
        if (entry.committedAt > 0 && !entry.isMany()) {
            violations.report(
                    "I1",
                    entry + " was committed twice: at revisions " + entry.committedAt + " and " + event.revision());
        }
        entry.committedAt = event.revision();
        if (entry.state == RequestState.REFUSED && !entry.isMany()) {
            violations.report("I1", entry + " was rejected, but was committed at revision " + event.revision());
        }
        if (entry.request.isDryRun()) {
            violations.report("I1", entry + " was a dry run, but was committed at revision " + event.revision());
        }
        require(
                event.revision() > entry.minRevision,
                "I1",
                () -> entry + " was sent after revision " + entry.minRevision + " was acknowledged, but has revision "
                        + event.revision());
        if (entry.request.prior().isPresent()
                && event.changes().get(0).prior() != entry.request.prior().getAsLong()) {
            violations.report(
                    "I1",
                    entry + " requested to replace revision "
                            + entry.request.prior().getAsLong() + ", but replaced "
                            + event.changes().get(0).prior());
        }
    }

    /** Checks that the response is the object of this event, whichever request caused it. */
    private void checkAnswer(Entry entry, Event event) {
        for (Change change : event.changes()) {
            if (change.key().resource().equals(entry.request.resource())
                    && Arrays.equals(change.object().json(), entry.json)) {
                if (entry.code == 201 && !event.cause().request().equals(entry.id)) {
                    violations.report("I1", entry + " was answered with the object created by " + event.cause());
                }
                return;
            }
        }
        violations.report(
                "I1",
                entry + " was answered with revision " + entry.revision + ", but the log has different content there");
    }

    /** Checks a removal that was acknowledged without the object. */
    private void removed(Entry entry) {
        if (!entry.removedUid.isEmpty() && entry.committedAt == 0) {
            violations.report(
                    "I1",
                    entry + " was answered with the removal of " + entry.removedUid + ", which is not in the log");
        }
    }

    private static JsonNode tree(byte[] json) {
        try {
            return MAPPER.readTree(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void require(boolean holds, String invariant, Supplier<String> message) {
        if (!holds) {
            violations.report(invariant, message.get());
        }
    }
}
