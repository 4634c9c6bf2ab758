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
 * Writes down what has happened outside of the World, upon the World as it then is. Does not give up: what was done is not done again only
 * because it could not be written down. Thread-safe.
 */
public final class DurableWriter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DurableWriter.class);

    /** Of a ledger that is overloaded or stopped; one that is read-only stays so. */
    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(30));

    /** Operations for several Pods end at the same volume, and each that does sends the others back once. */
    private static final int CONFLICTS_AT_ONCE = 32;

    private final WorldPort world;
    private final Scheduler timers;
    private volatile boolean closed;

    /** @param timers for trying again; also decides, so that the ledger's thread does not have to */
    public DurableWriter(WorldPort world, Scheduler timers) {
        this.world = world;
        this.timers = timers;
    }

    /**
     * @param about for the log
     * @param decide what is to be written into a World; nothing if that is no longer needed. Called again whenever somebody was faster
     * @param settled called when it is written, or no longer needed
     */
    public void write(Object about, Function<World, Optional<Proposal>> decide, Runnable settled) {
        propose(new Message(about, decide, settled), 0);
    }

    private record Message(Object about, Function<World, Optional<Proposal>> decide, Runnable settled) {}

    private void propose(Message message, int failures) {
        if (closed) {
            return;
        }
        Optional<Proposal> proposal = message.decide().apply(world.world());
        if (proposal.isEmpty()) {
            message.settled().run();
            return;
        }
        world.propose(proposal.get())
                .whenComplete(
                        (outcome, broken) -> timers.scheduleDirect(() -> answered(message, failures, outcome, broken)));
    }

    private void answered(Message message, int failures, Outcome outcome, Throwable broken) {
        if (outcome instanceof Committed) {
            message.settled().run();
            return;
        }
        if (closed) {
            return;
        }
        if (outcome instanceof Conflict && failures < CONFLICTS_AT_ONCE) {
            propose(message, failures + 1);
            return;
        }
        Duration delay = BACKOFF.after(failures + 1);
        LOG.atWarn()
                .addKeyValue("object", message.about())
                .addKeyValue("found", broken == null ? outcome : broken)
                .addKeyValue("nextTryMs", delay.toMillis())
                .log("Expected to write down how work on a volume ended, but could not; it is not done again"
                        + " meanwhile");
        timers.scheduleDirect(() -> propose(message, failures + 1), delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** What is not written down by now is found out anew by the next process. */
    @Override
    public void close() {
        closed = true;
    }
}
