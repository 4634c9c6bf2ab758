package dev.mooring.world;

import dev.mooring.log.EventLog;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.Event;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Outcome.Committed;
import dev.mooring.world.Outcome.Conflict;
import dev.mooring.world.Outcome.Reason;
import dev.mooring.world.Outcome.Refused;
import dev.mooring.world.Proposal.Expectation;
import dev.mooring.world.Proposal.Put;
import dev.mooring.world.Proposal.Write;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Turns a proposal into the event it would be, or says why not. Changes nothing. */
final class Decider {
    private Decider() {}

    static Outcome decide(Proposal proposal, World.Editor world, Instant time) {
        for (Expectation expectation : proposal.expectations()) {
            long found = revisionOf(world.get(expectation.key()));
            if (found != expectation.revision()) {
                return new Conflict(expectation.key(), expectation.revision(), found);
            }
        }
        long revision = world.revision() + 1;
        List<Change> changes = new ArrayList<>(proposal.writes().size());
        for (Write write : proposal.writes()) {
            Optional<StoredObject> existing = world.get(write.key());
            if (write instanceof Put put) {
                changes.add(Change.put(put.draft().at(revision), revisionOf(existing)));
            } else if (existing.isPresent()) {
                StoredObject last = Draft.of(existing.get()).at(revision);
                changes.add(Change.removed(last, existing.get().revision()));
            } else {
                return new Conflict(write.key(), Conflict.PRESENT, 0);
            }
        }
        Event event = new Event(revision, time, proposal.type(), proposal.actor(), proposal.cause(), changes);
        if (EventLog.sizeBound(event) > EventLog.MAX_EVENT_BYTES) {
            return new Refused(
                    Reason.INVALID,
                    "Expected " + proposal.type() + " of " + changes.get(0).key() + " to take at most "
                            + EventLog.MAX_EVENT_BYTES + " bytes in the log, but it may take "
                            + EventLog.sizeBound(event));
        }
        return new Committed(event);
    }

    private static long revisionOf(Optional<StoredObject> object) {
        return object.map(StoredObject::revision).orElse(0L);
    }
}
