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

/** Turns a proposal into its event, or returns why it cannot be committed. Has no side effects. */
final class Decider {
    private Decider() {}

    static Outcome decide(Proposal proposal, World.Editor world, WorldLimits limits, Instant time) {
        for (Expectation expectation : proposal.expectations()) {
            long found = revisionOf(world.get(expectation.key()));
            if (found != expectation.revision()) {
                return new Conflict(expectation.key(), expectation.revision(), found);
            }
        }
        long revision = world.revision() + 1;
        int size = proposal.writes().size();
        List<Change> changes = new ArrayList<>(size);
        StoredObject[] before = new StoredObject[size];
        StoredObject[] after = new StoredObject[size];
        for (int i = 0; i < size; i++) {
            Write write = proposal.writes().get(i);
            Optional<StoredObject> existing = world.get(write.key());
            before[i] = existing.orElse(null);
            if (write instanceof Put put) {
                after[i] = put.draft().at(revision);
                changes.add(Change.put(after[i], revisionOf(existing)));
            } else if (existing.isPresent()) {
                StoredObject last = Draft.of(existing.get()).at(revision);
                changes.add(Change.removed(last, existing.get().revision()));
            } else {
                return new Conflict(write.key(), Conflict.PRESENT, 0);
            }
        }
        Optional<Refused> refusal = limits.refusal(proposal, world, before, after);
        if (refusal.isEmpty() && proposal.allowance() != Proposal.Allowance.DELETION) {
            refusal = ResourceQuotas.refusal(world, before, after);
        }
        if (refusal.isPresent()) {
            return refusal.get();
        }
        Event event = new Event(revision, time, proposal.type(), proposal.actor(), proposal.cause(), changes);
        if (EventLog.sizeBound(event) > EventLog.MAX_EVENT_BYTES) {
            return new Refused(
                    Reason.INVALID,
                    proposal.type() + " of " + changes.get(0).key() + " may take " + EventLog.sizeBound(event)
                            + " bytes in the log, more than the limit of " + EventLog.MAX_EVENT_BYTES);
        }
        return new Committed(event);
    }

    private static long revisionOf(Optional<StoredObject> object) {
        return object.map(StoredObject::revision).orElse(0L);
    }
}
