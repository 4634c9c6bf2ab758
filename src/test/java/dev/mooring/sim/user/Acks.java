package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.mooring.api.resource.Answer;
import dev.mooring.api.status.Status;
import dev.mooring.log.Batch;
import dev.mooring.log.EventLog;
import dev.mooring.log.EventReader;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.sim.Findings;
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
 * Everything users were ever told, to be compared with the log (I1): what was acknowledged is in it, once, with that content, under that
 * revision, which is greater than any that was acknowledged before it was asked for; what was refused is not. What was never answered may have
 * happened, once. Each request is known by an id that the log keeps as the event's cause.
 */
public final class Acks {
    /** What ids of requests begin with. */
    static final String PREFIX = "sim-";

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int RETRY_STOPPED = 1;

    /** How a request ended. */
    private enum Fate {
        UNANSWERED,
        DONE,
        REFUSED,
        /** The server cannot say. */
        UNKNOWN
    }

    /** A request and what became of it. */
    static final class Entry {
        private final String id;
        private final String user;
        private final Request request;
        private final long floor;
        private Fate fate = Fate.UNANSWERED;
        private int code;
        private byte[] json = new byte[0];
        private long revision;
        private String removedUid = "";
        private long happened;

        private Entry(String id, String user, Request request, long floor) {
            this.id = id;
            this.user = user;
            this.request = request;
            this.floor = floor;
        }

        String id() {
            return id;
        }

        private boolean isMany() {
            return request.verb() == Request.Verb.DELETE_ALL;
        }

        @Override
        public String toString() {
            return id + " (" + user + " " + request.what() + ' ' + request.resource() + ' '
                    + request.namespace().orElse("") + '/' + request.name().orElse("") + ')';
        }
    }

    private final Findings findings;
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final List<Entry> done = new ArrayList<>();
    private final List<String> history = new ArrayList<>();
    private long newest;
    private int successes;
    private int answers;

    Acks(Findings findings) {
        this.findings = findings;
    }

    Entry sent(String user, Request request) {
        Entry entry = new Entry(PREFIX + entries.size(), user, request, newest);
        entries.put(entry.id, entry);
        return entry;
    }

    void answered(Entry entry, Reply reply) {
        answers++;
        reply.answer().ifPresent(answer -> succeeded(entry, answer));
        reply.refusal().ifPresent(status -> entry.fate = isSure(status) ? Fate.REFUSED : Fate.UNKNOWN);
    }

    /** A log that has failed cannot tell what of the batch under way is in it; a ledger that was stopped has not begun. */
    private static boolean isSure(Status status) {
        return status.code() < 500 || (status.code() == 503 && status.details().retryAfterSeconds() == RETRY_STOPPED);
    }

    private void succeeded(Entry entry, Answer answer) {
        successes++;
        entry.fate = Fate.DONE;
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

    /** The greatest revision that anybody was told. */
    public long newest() {
        return newest;
    }

    public int answers() {
        return answers;
    }

    public int successes() {
        return successes;
    }

    /** Who was told what, in the order in which it was told: two runs of a seed have the same. */
    public List<String> history() {
        return Collections.unmodifiableList(history);
    }

    /**
     * Compares with the log, as a server finds it when it starts, or at any time.
     *
     * @param world that the server has
     */
    public void check(World world, EventLog log) {
        if (newest > world.revision()) {
            findings.report(
                    "I1", "revision " + newest + " was acknowledged, but the World ends with " + world.revision());
        }
        entries.values().forEach(entry -> entry.happened = 0);
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
                    asked(event);
                    byRevision.getOrDefault(event.revision(), List.of()).forEach(entry -> told(entry, event));
                    byRevision.remove(event.revision());
                }
            }
        } catch (IOException e) {
            findings.report("I1", "the log cannot be read back: " + e);
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

    /** An event that names one of the requests. */
    private void asked(Event event) {
        Entry entry = entries.get(event.cause().request());
        if (entry == null) {
            return;
        }
        if (entry.happened > 0 && !entry.isMany()) {
            findings.report(
                    "I1", entry + " happened twice: at revisions " + entry.happened + " and " + event.revision());
        }
        entry.happened = event.revision();
        if (entry.fate == Fate.REFUSED && !entry.isMany()) {
            findings.report("I1", entry + " was refused, but happened at revision " + event.revision());
        }
        if (entry.request.isDryRun()) {
            findings.report("I1", entry + " was only to be tried, but happened at revision " + event.revision());
        }
        require(
                event.revision() > entry.floor,
                "I1",
                () -> entry + " was asked for when revision " + entry.floor
                        + " had been acknowledged, but has revision " + event.revision());
        if (entry.request.prior().isPresent()
                && event.changes().get(0).prior() != entry.request.prior().getAsLong()) {
            findings.report(
                    "I1",
                    entry + " was to replace revision " + entry.request.prior().getAsLong() + ", but replaced "
                            + event.changes().get(0).prior());
        }
    }

    /** The answer was this event's object, whoever had caused it. */
    private void told(Entry entry, Event event) {
        for (Change change : event.changes()) {
            if (change.key().resource().equals(entry.request.resource())
                    && Arrays.equals(change.object().json(), entry.json)) {
                if (entry.code == 201 && !event.cause().request().equals(entry.id)) {
                    findings.report("I1", entry + " was answered with what " + event.cause() + " had created");
                }
                return;
            }
        }
        findings.report(
                "I1",
                entry + " was answered with revision " + entry.revision + ", but the log has something else there");
    }

    /** A removal that was confirmed without the object. */
    private void removed(Entry entry) {
        if (!entry.removedUid.isEmpty() && entry.happened == 0) {
            findings.report(
                    "I1", entry + " was answered that " + entry.removedUid + " is gone, but the log knows nothing");
        }
    }

    private static JsonNode tree(byte[] json) {
        try {
            return MAPPER.readTree(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void require(boolean holds, String invariant, Supplier<String> otherwise) {
        if (!holds) {
            findings.report(invariant, otherwise.get());
        }
    }
}
