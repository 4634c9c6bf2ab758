package dev.mooring.world;

import dev.mooring.log.Batch;
import dev.mooring.log.EventLog;
import dev.mooring.log.EventReader;
import dev.mooring.log.LogFailedException;
import dev.mooring.log.LogPosition;
import dev.mooring.model.Event;
import dev.mooring.world.Outcome.Committed;
import dev.mooring.world.Outcome.Reason;
import dev.mooring.world.Outcome.Refused;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * The single writer. Decides proposals one after another on the newest World, makes the resulting events durable, and
 * only then publishes and acknowledges them. Proposals that arrive during a sync share the next one (group commit).
 *
 * <p>Threading: any thread may propose and read; exactly one thread at a time is in {@link #run}. That thread may be
 * killed at any point: the next thread that enters {@code run} determines from the log whether the batch in flight was
 * committed, and answers its proposers accordingly.
 *
 * <p>Outcomes are delivered on the ledger's thread: callbacks must hand over to another thread at once.
 */
public final class Ledger {
    /**
     * Limits of the ledger.
     *
     * @param maxPending proposals that may wait; more are refused, so that memory is bounded
     * @param maxBatchEvents events that share a sync
     * @param maxBatchBytes bytes after which a batch is closed; a single event may be larger
     * @param world limits of the World's size
     */
    public record Limits(int maxPending, int maxBatchEvents, int maxBatchBytes, WorldLimits world) {
        public Limits(int maxPending, int maxBatchEvents, int maxBatchBytes) {
            this(maxPending, maxBatchEvents, maxBatchBytes, WorldLimits.NONE);
        }
    }

    /** A World and its position in the log. */
    public record Checkpoint(World world, LogPosition position) {}

    private record Pending(Proposal proposal, CompletableFuture<Outcome> answer) {}

    private final EventLog log;
    private final WatchHub hub;
    private final Clock clock;
    private final Limits limits;
    private final LedgerMetrics metrics;
    private final Inbox<Pending> inbox;
    private volatile Checkpoint current;
    private final ReentrantLock writerLock = new ReentrantLock();

    /** The batch between decision and acknowledgement; survives the thread that decided it. */
    private InFlightBatch inFlight = new InFlightBatch();

    public Ledger(EventLog log, World world, WatchHub hub, Clock clock, Limits limits, LedgerMetrics metrics) {
        if (world.revision() != log.lastRevision()
                || world.digest() != log.end().digest()) {
            throw new ReplayMismatchException(
                    world.revision(),
                    "the World's digest at the end of the log",
                    log.end().digest(),
                    world.digest());
        }
        this.log = log;
        this.hub = hub;
        this.clock = clock;
        this.limits = limits;
        this.metrics = metrics;
        this.inbox = new Inbox<>(limits.maxPending());
        this.current = new Checkpoint(world, log.end());
    }

    /** Returns the newest durable World. */
    public World world() {
        return current.world();
    }

    public Checkpoint checkpoint() {
        return current;
    }

    /** Returns the limits of the World's size. */
    public WorldLimits worldLimits() {
        return limits.world();
    }

    /** Returns why the ledger is read-only; empty if it is not. */
    public Optional<String> readOnly() {
        return log.failure();
    }

    /** Returns the number of waiting proposals. */
    public int pending() {
        return inbox.size();
    }

    /** Proposes a change. Never blocks and never throws: the result is in the outcome. */
    public CompletionStage<Outcome> propose(Proposal proposal) {
        Pending pending = new Pending(proposal, new CompletableFuture<>());
        Optional<String> failed = log.failure();
        if (failed.isPresent()) {
            pending.answer().complete(metrics.count(new Refused(Reason.READ_ONLY, failed.get())));
        } else if (!inbox.offer(pending)) {
            pending.answer()
                    .complete(metrics.count(new Refused(
                            Reason.OVERLOADED,
                            limits.maxPending() + " proposals are queued, which is the limit; try again")));
        } else if (log.failure().isPresent()) {
            // The log failed just now, and run() may not read the inbox again.
            refuseAll(Reason.READ_ONLY, log.failure().get());
        }
        return pending.answer();
    }

    /**
     * Runs the ledger on the calling thread until it is stopped and all waiting proposals are answered. If another
     * thread is still in this method (for example stuck in a sync), this one waits for it to leave.
     *
     * @param ready called when the ledger processes proposals
     * @param stopped whether to return once no proposal waits; after its value changes, call {@link #wakeUp}
     * @throws LogFailedException if the log has failed, which {@link #readOnly()} explains, or its thread was killed
     *     during a write
     * @throws IOException if the batch of a killed predecessor cannot be read back from the log
     * @throws InterruptedException if the thread was killed while it waited
     */
    public void run(Runnable ready, BooleanSupplier stopped) throws IOException, InterruptedException {
        writerLock.lockInterruptibly();
        try {
            log.recover();
            resolveInterruptedBatch();
            ready.run();
            for (Optional<Pending> first = inbox.await(stopped); first.isPresent(); first = inbox.await(stopped)) {
                commit(decide(first.get()));
            }
        } catch (LogFailedException e) {
            if (log.failure().isPresent()) {
                inFlight.refuse(Reason.READ_ONLY, e.getMessage());
                refuseAll(Reason.READ_ONLY, e.getMessage());
            }
            throw e;
        } finally {
            writerLock.unlock();
        }
    }

    /** Makes the ledger's thread check whether it must stop. */
    public void wakeUp() {
        inbox.wakeUp();
    }

    /** Refuses all waiting proposals when no thread will process them. */
    public void refuseAll(Reason reason, String message) {
        Refused refusal = new Refused(reason, message);
        for (Optional<Pending> waiting = inbox.poll(); waiting.isPresent(); waiting = inbox.poll()) {
            waiting.get().answer().complete(metrics.count(refusal));
        }
    }

    /** Determines from the log whether the batch of a killed predecessor was committed. */
    private void resolveInterruptedBatch() throws IOException {
        if (log.lastRevision() > world().revision()) {
            catchUp();
        }
        hub.publishUpTo(world().revision());
        if (inFlight.isDurableAt(world().revision())) {
            inFlight.acknowledge();
        } else {
            inFlight.refuse(Reason.STOPPED, "The ledger was restarted before it committed this proposal; try again");
        }
    }

    private void catchUp() throws IOException {
        World.Editor editor = world().edit();
        List<WorldEvent> shown = new ArrayList<>();
        try (EventReader reader = log.read(world().revision() + 1)) {
            for (Optional<Batch> batch = reader.next(); batch.isPresent(); batch = reader.next()) {
                for (Event event : batch.get().events()) {
                    shown.add(WorldEvent.live(event, editor.apply(event)));
                }
            }
        }
        current = new Checkpoint(editor.done(), log.end());
        hub.publish(shown);
    }

    /** Decides the waiting proposals that fit into a batch. */
    private World.Editor decide(Pending first) {
        inFlight = new InFlightBatch();
        World.Editor editor = world().editWithTallies();
        Instant time = notBefore(current.position().timeMillis());
        long bytes = 0;
        for (Optional<Pending> pending = Optional.of(first); pending.isPresent(); ) {
            Outcome outcome = decide(pending.get().proposal(), editor, time);
            if (outcome instanceof Committed committed) {
                inFlight.add(WorldEvent.live(committed.event(), editor.apply(committed.event())));
                bytes += EventLog.sizeBound(committed.event());
            }
            inFlight.add(pending.get().answer(), outcome);
            boolean full = inFlight.size() >= limits.maxBatchEvents() || bytes >= limits.maxBatchBytes();
            pending = full ? Optional.empty() : inbox.poll();
        }
        return editor;
    }

    /** Decides one proposal. An exception fails this proposal only, not the others of its batch. */
    private Outcome decide(Proposal proposal, World.Editor editor, Instant time) {
        try {
            return Decider.decide(proposal, editor, limits.world(), time);
        } catch (RuntimeException e) {
            return new Refused(Reason.INVALID, "Failed to evaluate " + proposal.type() + ": " + e.getMessage());
        }
    }

    /** Returns the current time, but never before an earlier event, even if the clock was set back. */
    private Instant notBefore(long millis) {
        return Instant.ofEpochMilli(Math.max(millis, clock.millis()));
    }

    /**
     * Commits the batch. Proposers are answered before watchers are notified: an answered proposer sees the changed
     * World at once.
     */
    private void commit(World.Editor editor) throws LogFailedException {
        InFlightBatch decided = inFlight;
        List<WorldEvent> events = decided.events();
        if (events.isEmpty()) {
            decided.acknowledge();
            return;
        }
        metrics.timeAppend(new Batch(events.stream().map(WorldEvent::event).toList(), editor.digest()), log);
        current = new Checkpoint(editor.done(), log.end());
        decided.acknowledge();
        hub.publish(events);
    }

    /** The batch between decision and acknowledgement. Its outcomes are valid once its events are durable. */
    private final class InFlightBatch {
        private final List<CompletableFuture<Outcome>> answers = new ArrayList<>();
        private final List<Outcome> outcomes = new ArrayList<>();
        private final List<WorldEvent> events = new ArrayList<>();

        void add(WorldEvent event) {
            events.add(event);
        }

        void add(CompletableFuture<Outcome> answer, Outcome outcome) {
            answers.add(answer);
            outcomes.add(outcome);
        }

        int size() {
            return answers.size();
        }

        List<WorldEvent> events() {
            return events;
        }

        /** Returns whether the whole batch is in a log that ends with {@code revision}. */
        boolean isDurableAt(long revision) {
            return events.isEmpty() || events.get(events.size() - 1).revision() <= revision;
        }

        void acknowledge() {
            for (int i = 0; i < answers.size(); i++) {
                answers.get(i).complete(metrics.count(outcomes.get(i)));
            }
            inFlight = new InFlightBatch();
        }

        void refuse(Reason reason, String message) {
            Refused refusal = new Refused(reason, message);
            answers.forEach(answer -> answer.complete(metrics.count(refusal)));
            inFlight = new InFlightBatch();
        }
    }
}
