package dev.mooring.world;

import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.StoredObject;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * An event as a watcher gets it: what happened, each object before it, and the encoding all watchers share. Thread-safe.
 *
 * <p>The objects before are at hand for recent events and are looked up in the log for old ones, which may cost a read.
 */
public final class WorldEvent {
    private static final byte[] ADDED = start("ADDED");
    private static final byte[] MODIFIED = start("MODIFIED");
    private static final byte[] DELETED = start("DELETED");
    private static final byte[] END = "}\n".getBytes(StandardCharsets.US_ASCII);

    private final Event event;
    private final StoredObject[] before;
    private final PriorStates prior;
    private final byte[][] lines;

    private WorldEvent(Event event, StoredObject[] before, PriorStates prior) {
        this.event = event;
        this.before = before;
        this.prior = prior;
        this.lines = new byte[event.changes().size()][];
    }

    /** An event that has just been committed. */
    static WorldEvent live(Event event, StoredObject[] before) {
        return new WorldEvent(event, before, null);
    }

    /** An event read back from the log. */
    static WorldEvent past(Event event, PriorStates prior) {
        return new WorldEvent(event, null, prior);
    }

    public Event event() {
        return event;
    }

    public long revision() {
        return event.revision();
    }

    /** The object as it was before a change of this event. */
    public Optional<StoredObject> before(int change) {
        if (before != null) {
            return Optional.ofNullable(before[change]);
        }
        Change changed = event.changes().get(change);
        return changed.prior() == 0 ? Optional.empty() : Optional.of(prior.find(changed.key(), changed.prior()));
    }

    /** What was replaced, for taking the event back; only of a live event. */
    StoredObject[] replaced() {
        return before;
    }

    /**
     * A change as a line of a watch stream: made when the first watcher asks, shared by all, not to be modified. Two threads
     * may both make it; they make the same.
     */
    public byte[] line(int change) {
        byte[] line = lines[change];
        if (line == null) {
            Change changed = event.changes().get(change);
            byte[] start = changed.isRemoval() ? DELETED : changed.isCreation() ? ADDED : MODIFIED;
            byte[] json = changed.object().json();
            line = new byte[start.length + json.length + END.length];
            System.arraycopy(start, 0, line, 0, start.length);
            System.arraycopy(json, 0, line, start.length, json.length);
            System.arraycopy(END, 0, line, start.length + json.length, END.length);
            lines[change] = line;
        }
        return line;
    }

    private static byte[] start(String type) {
        return ("{\"type\":\"" + type + "\",\"object\":").getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public String toString() {
        return event.revision() + " " + event.type();
    }
}
