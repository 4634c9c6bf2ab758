package dev.mooring.model;

import java.time.Instant;
import java.util.List;

/**
 * A committed fact with its result: its actor, type and cause, and each object afterwards.
 *
 * @param revision its position in the log; revisions are consecutive
 * @param time when it was committed; never before the time of an earlier event
 * @param type what happened, such as {@code VolumeBound}
 * @param actor the user or controller that proposed it
 * @param cause what led to it
 * @param changes the objects it put or removed, atomically; at least one, each key at most once
 */
public record Event(long revision, Instant time, String type, String actor, Cause cause, List<Change> changes) {
    public Event {
        changes = List.copyOf(changes);
    }
}
