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
 * The single writer. Takes proposals one after another, decides each upon the newest world, makes the resulting events durable, and
 * only then shows and acknowledges them. Proposals that arrive while a sync is under way share the next one.
 *
 * <p>Threading: anybody proposes and reads; exactly one thread at a time is in {@link #run}. That thread may be killed anywhere:
 * the next one to enter {@code run} finds out from the log what became of the batch that was under way, and answers its
 * proposers truthfully.
 *
 * <p>Outcomes are delivered on the ledger's thread: whoever reacts to one hands over to a thread of its own at once.
 */
public final class Ledger {
    /**
     * How much is taken at once.
     *
     * @param maxPending proposals that may wait; more are refused, so that memory is bounded
     * @param maxBatchEvents events that share a sync
     * @param maxBatchBytes bytes after which a batch is closed; a single event may be larger
     */
    public record Limits(int maxPending, int maxBatchEvents, int maxBatchBytes) {}

    /** A world and the place in the log where it ends. */
    public record Checkpoint(World world, LogPosition position) {}

    private record Pending(Proposal proposal, CompletableFuture<Outcome> answer) {}

    private final EventLog log;
    private final WatchHub hub;
    private final Clock clock;
    private final Limits limits;
    private final LedgerMetrics metrics;
    private final Inbox<Pending> inbox;
    private volatile Checkpoint current;
    private final ReentrantLock turn = new ReentrantLock();

    /** What is between decision and acknowledgement; survives the thread that decided it. */
    private BatchUnderWay underWay = new BatchUnderWay();

    public Ledger(EventLog log, World world, WatchHub hub, Clock clock, Limits limits, LedgerMetrics metrics) {
        if (world.revision() != log.lastRevision()
                || world.digest() != log.end().digest()) {
            throw new ReplayMismatchException(
                    world.revision(), "the log's end", log.end().digest(), world.digest());
        }
        this.log = log;
        this.hub = hub;
        this.clock = clock;
        this.limits = limits;
        this.metrics = metrics;
        this.inbox = new Inbox<>(limits.maxPending());
        this.current = new Checkpoint(world, log.end());
    }

    /** The newest world that is durable. */
    public World world() {
        return current.world();
    }

    public Checkpoint checkpoint() {
        return current;
    }

    /** Why nothing can be changed any more, if so. */
    public Optional<String> readOnly() {
        return log.failure();
    }

    /** How many proposals wait. */
    public int pending() {
        return inbox.size();
    }

    /** Asks for something to happen. Never blocks, never throws: what became of it is in the answer. */
    public CompletionStage<Outcome> propose(Proposal proposal) {
        Pending pending = new Pending(proposal, new CompletableFuture<>());
        Optional<String> failed = log.failure();
        if (failed.isPresent()) {
            pending.answer().complete(metrics.count(new Refused(Reason.READ_ONLY, failed.get())));
        } else if (!inbox.offer(pending)) {
            pending.answer()
                    .complete(metrics.count(new Refused(
                            Reason.OVERLOADED,
                            "Expected at most " + limits.maxPending()
                                    + " proposals to wait, but there are as many; try again")));
        } else if (log.failure().isPresent()) {
            // The log failed just now, and nobody may look into the inbox again.
            refuseAll(Reason.READ_ONLY, log.failure().get());
        }
        return pending.answer();
    }

    /**
     * Works until it is stopped and everything that waited has been answered. The thread that calls it is the ledger's;
     * should another one still be (stuck in a sync, say), this one waits for it to leave.
     *
     * @param ready called when proposals are being worked on
     * @param stopped whether to return once nothing waits any more; after a change of its answer, call {@link #wakeUp}
     * @throws LogFailedException if the log has failed, which {@link #readOnly()} explains, or its thread was killed while it wrote
     * @throws IOException if what a killed predecessor left in the log cannot be read back
     * @throws InterruptedException if the thread was killed while it waited
     */
    public void run(Runnable ready, BooleanSupplier stopped) throws IOException, InterruptedException {
        turn.lockInterruptibly();
        try {
            log.recover();
            settle();
            ready.run();
            for (Optional<Pending> first = inbox.await(stopped); first.isPresent(); first = inbox.await(stopped)) {
                commit(decide(first.get()));
            }
        } catch (LogFailedException e) {
            if (log.failure().isPresent()) {
                underWay.refuse(Reason.READ_ONLY, e.getMessage());
                refuseAll(Reason.READ_ONLY, e.getMessage());
            }
            throw e;
        } finally {
            turn.unlock();
        }
    }

    /** Has the ledger's thread look whether it is to stop. */
    public void wakeUp() {
        inbox.wakeUp();
    }

    /** Answers everything that waits, when nobody is going to work on it. */
    public void refuseAll(Reason reason, String message) {
        Refused refusal = new Refused(reason, message);
        for (Optional<Pending> waiting = inbox.poll(); waiting.isPresent(); waiting = inbox.poll()) {
            waiting.get().answer().complete(metrics.count(refusal));
        }
    }

    /** Finds out what became of the batch that a killed predecessor had under way: it is in the log, or it is not. */
    private void settle() throws IOException {
        if (log.lastRevision() > world().revision()) {
            catchUp();
        }
        hub.publishUpTo(world().revision());
        if (underWay.isDurableAt(world().revision())) {
            underWay.acknowledge();
        } else {
            underWay.refuse(Reason.STOPPED, "The ledger was restarted and this did not happen; try again");
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

    /** Decides as many proposals as wait and fit into a batch. */
    private World.Editor decide(Pending first) {
        underWay = new BatchUnderWay();
        World.Editor editor = world().edit();
        Instant time = notBefore(current.position().timeMillis());
        long bytes = 0;
        for (Optional<Pending> pending = Optional.of(first); pending.isPresent(); ) {
            Outcome outcome = decide(pending.get().proposal(), editor, time);
            if (outcome instanceof Committed committed) {
                underWay.add(WorldEvent.live(committed.event(), editor.apply(committed.event())));
                bytes += EventLog.sizeBound(committed.event());
            }
            underWay.add(pending.get().answer(), outcome);
            boolean full = underWay.size() >= limits.maxBatchEvents() || bytes >= limits.maxBatchBytes();
            pending = full ? Optional.empty() : inbox.poll();
        }
        return editor;
    }

    /** A proposal that cannot even be judged must not take the others of its batch along. */
    private static Outcome decide(Proposal proposal, World.Editor editor, Instant time) {
        try {
            return Decider.decide(proposal, editor, time);
        } catch (RuntimeException e) {
            return new Refused(
                    Reason.INVALID, "Expected to be able to judge " + proposal.type() + ", but " + e.getMessage());
        }
    }

    /** Time never runs backwards in the log, whatever the machine's clock does. */
    private Instant notBefore(long millis) {
        return Instant.ofEpochMilli(Math.max(millis, clock.millis()));
    }

    /** The proposers are answered before the watchers are told: whoever is answered finds the World changed, and waits for nobody else. */
    private void commit(World.Editor editor) throws LogFailedException {
        BatchUnderWay decided = underWay;
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

    /** The batch between decision and acknowledgement. The outcomes are true once its events are durable. */
    private final class BatchUnderWay {
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

        /** Whether all of it has happened, in a log that ends with {@code revision}. */
        boolean isDurableAt(long revision) {
            return events.isEmpty() || events.get(events.size() - 1).revision() <= revision;
        }

        void acknowledge() {
            for (int i = 0; i < answers.size(); i++) {
                answers.get(i).complete(metrics.count(outcomes.get(i)));
            }
            underWay = new BatchUnderWay();
        }

        void refuse(Reason reason, String message) {
            Refused refusal = new Refused(reason, message);
            answers.forEach(answer -> answer.complete(metrics.count(refusal)));
            underWay = new BatchUnderWay();
        }
    }
}
