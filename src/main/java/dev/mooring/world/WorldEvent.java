package dev.mooring.world;

import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.StoredObject;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * An event as delivered to watchers: the changes, the previous objects, and the encoding that all watchers share.
 * Thread-safe.
 *
 * <p>Previous objects are in memory for recent events and are read from the log for old ones.
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

    /** Creates an event that has just been committed. */
    static WorldEvent live(Event event, StoredObject[] before) {
        return new WorldEvent(event, before, null);
    }

    /** Creates an event that was read from the log. */
    static WorldEvent past(Event event, PriorStates prior) {
        return new WorldEvent(event, null, prior);
    }

    public Event event() {
        return event;
    }

    public long revision() {
        return event.revision();
    }

    /** Returns the object before a change of this event. */
    public Optional<StoredObject> before(int change) {
        if (before != null) {
            return Optional.ofNullable(before[change]);
        }
        Change changed = event.changes().get(change);
        return changed.prior() == 0 ? Optional.empty() : Optional.of(prior.find(changed.key(), changed.prior()));
    }

    /** Returns the replaced objects, to undo the event; only for a live event. */
    StoredObject[] replaced() {
        return before;
    }

    /**
     * Returns a change as a line of a watch stream. Encoded on first use and shared by all watchers; must not be
     * modified. Two threads may both encode it, with the same result.
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
