package dev.mooring.node;

import dev.mooring.control.Backoff;
import dev.mooring.world.Outcome;
import dev.mooring.world.Outcome.Committed;
import dev.mooring.world.Outcome.Conflict;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import io.reactivex.rxjava3.core.Scheduler;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes results of effects to the World, based on its current state. Retries without limit, so that work is not
 * repeated because its result could not be written. Thread-safe.
 */
public final class DurableWriter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DurableWriter.class);

    /** Operations of several Pods update the same volume, and each update makes the others conflict once. */
    private static final int IMMEDIATE_CONFLICT_RETRIES = 32;

    private final WorldPort world;
    private final Scheduler timers;
    private volatile boolean closed;

    /**
     * Creates a writer.
     *
     * @param timers schedules retries; also runs the decisions, to keep them off the ledger's thread
     */
    public DurableWriter(WorldPort world, Scheduler timers) {
        this.world = world;
        this.timers = timers;
    }

    /**
     * Writes a proposal.
     *
     * @param about subject for the log
     * @param decide returns the proposal for a World, or empty if it is no longer needed; called again after each
     *     conflict
     * @param settled called when the proposal is written or no longer needed
     */
    public void write(Object about, Function<World, Optional<Proposal>> decide, Runnable settled) {
        propose(new PendingWrite(about, decide, settled), 0);
    }

    private record PendingWrite(Object about, Function<World, Optional<Proposal>> decide, Runnable settled) {}

    private void propose(PendingWrite pending, int failures) {
        if (closed) {
            return;
        }
        Optional<Proposal> proposal = pending.decide().apply(world.world());
        if (proposal.isEmpty()) {
            pending.settled().run();
            return;
        }
        world.propose(proposal.get())
                .whenComplete((outcome, broken) ->
                        timers.scheduleDirect(() -> onOutcome(pending, failures, outcome, broken)));
    }

    private void onOutcome(PendingWrite pending, int failures, Outcome outcome, Throwable broken) {
        if (outcome instanceof Committed) {
            pending.settled().run();
            return;
        }
        if (closed) {
            return;
        }
        if (outcome instanceof Conflict && failures < IMMEDIATE_CONFLICT_RETRIES) {
            propose(pending, failures + 1);
            return;
        }
        Duration delay = Backoff.NODE_PROPOSAL.after(failures + 1);
        if (Backoff.isLogged(failures + 1)) {
            LOG.atWarn()
                    .addKeyValue("object", pending.about())
                    .addKeyValue("reason", broken == null ? outcome : broken)
                    .addKeyValue("failures", failures + 1)
                    .addKeyValue("nextTryMs", delay.toMillis())
                    .log("Failed to record result of volume operation; retrying");
        }
        timers.scheduleDirect(() -> propose(pending, failures + 1), delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Stops retrying. The next process determines again what has not been written. */
    @Override
    public void close() {
        closed = true;
    }
}
