package dev.mooring.control;

import dev.mooring.control.EventFeed.Followed;
import dev.mooring.model.Change;
import dev.mooring.model.CompactedException;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Outcome;
import dev.mooring.world.Outcome.Committed;
import dev.mooring.world.Outcome.Conflict;
import dev.mooring.world.Outcome.Refused;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import io.reactivex.rxjava3.disposables.CompositeDisposable;
import io.reactivex.rxjava3.disposables.Disposable;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What keeps a controller going: it tells it of changes, has it look at the keys that are due, and sends what it decides to the ledger.
 *
 * <p>It begins with the newest World, tells the controller of every object in it, and then follows the events from that World's
 * revision on, so nothing is missed in between. If these are no longer kept, it begins anew. No key is looked at before the
 * controller knows everything; each is looked at upon the ledger's newest World, which is never older than a change that was told
 * or a proposal of this loop that was answered.
 *
 * <p>Whatever goes wrong with one key concerns that key: it is logged, counted, and tried again later. What is held is bounded: keys once
 * each, so many events ahead, so many proposals on their way. When nothing is due there is at most one timer, and otherwise nothing.
 *
 * <p>Threading: everything runs on its {@link LoopThread}, in turns short enough to leave room for others.
 */
final class ControllerLoop implements Controller.Wakes {
    private static final Logger LOG = LoggerFactory.getLogger(ControllerLoop.class);

    /** Keys whose proposals are on their way; enough to fill the ledger's batches. */
    private static final int MAX_WORKING = 64;

    /** Proposals on their way, after which no further key is begun. A decision of many may go beyond it once. */
    private static final int MAX_PROPOSALS = 512;

    /** Keys looked at in a row. */
    private static final int TURN = 32;

    /** Objects told of in a row at the start. */
    private static final int LOADING_TURN = 1024;

    private final Supplier<? extends Controller> controllers;
    private final ControlParts parts;
    private final LoopThread thread;
    private final Consumer<Throwable> died;
    private final WorkQueue queue;

    private Controller controller;
    private ControllerMetrics metrics;
    private CompositeDisposable feeds = new CompositeDisposable();
    private Disposable timer = Disposable.disposed();
    private OptionalLong timerDue = OptionalLong.empty();
    private boolean loaded;
    private boolean turnWanted;
    private boolean closed;
    private int proposals;

    ControllerLoop(
            Supplier<? extends Controller> controllers,
            ControlParts parts,
            LoopThread thread,
            Consumer<Throwable> died) {
        this.controllers = controllers;
        this.parts = parts;
        this.thread = thread;
        this.died = died;
        this.queue = new WorkQueue(parts.backoff());
    }

    /** @param following called when everything that exists has been told and changes are being followed */
    void start(Runnable following) {
        begin(following);
        metrics = new ControllerMetrics(parts.meters(), controller.part());
    }

    void close() {
        closed = true;
        feeds.dispose();
        timer.dispose();
        metrics.close();
    }

    private void begin(Runnable following) {
        loaded = false;
        controller = controllers.get();
        controller.wakeable(key -> thread.run(() -> wake(key)));
        World world = parts.ledger().world();
        CompositeDisposable begun = new CompositeDisposable();
        feeds = begun;
        Iterator<StoredObject> everything =
                controller.scopes().stream().flatMap(world::stream).iterator();
        thread.run(() -> load(begun, world, everything, following));
    }

    /** Tells of a part of what exists, then lets others have their turn. The World does not change meanwhile. */
    private void load(CompositeDisposable begun, World world, Iterator<StoredObject> everything, Runnable following) {
        if (closed) {
            return;
        }
        for (int i = 0; i < LOADING_TURN && everything.hasNext(); i++) {
            follow(Change.put(everything.next(), 0), Optional.empty(), world);
        }
        if (everything.hasNext()) {
            thread.run(() -> load(begun, world, everything, following));
            return;
        }
        loaded = true;
        for (Scope scope : controller.scopes()) {
            EventFeed feed = new EventFeed(scope, thread, this::follow, this::failed);
            begun.add(feed);
            parts.hub().events(world.revision(), scope, parts.reading()).subscribe(feed);
        }
        following.run();
        wantTurn();
    }

    private void follow(List<Followed> changes) {
        World world = parts.ledger().world();
        for (Followed followed : changes) {
            follow(followed.change(), followed.before(), world);
        }
        wantTurn();
    }

    private void follow(Change change, Optional<StoredObject> before, World world) {
        try {
            controller.follow(change, before, world, this);
        } catch (RuntimeException | AssertionError | StackOverflowError e) {
            metrics.failed();
            LOG.atError()
                    .addKeyValue("controller", controller.part())
                    .addKeyValue("object", change.object().key())
                    .addKeyValue("revision", change.object().revision())
                    .setCause(e)
                    .log("Expected to follow a change, but failed; what depends on it may wait for the next one");
        }
    }

    /** The events of one scope have ended. */
    private void failed(Throwable cause) {
        feeds.dispose();
        if (!(cause instanceof CompactedException)) {
            died.accept(cause);
            return;
        }
        LOG.atWarn()
                .addKeyValue("controller", controller.part())
                .log("The controller fell behind what the log keeps and begins anew: {}", cause.getMessage());
        begin(() -> {});
    }

    @Override
    public void now(ObjectKey key) {
        queue.add(key, thread.nanos());
    }

    @Override
    public void within(ObjectKey key, Duration delay) {
        queue.addAfter(key, delay, thread.nanos());
    }

    private void wake(ObjectKey key) {
        if (!closed) {
            now(key);
            wantTurn();
        }
    }

    /** Has {@link #turn} run soon, after everything that has already arrived. */
    private void wantTurn() {
        if (!turnWanted) {
            turnWanted = true;
            thread.run(this::turn);
        }
    }

    private void turn() {
        turnWanted = false;
        if (closed || !loaded) {
            return;
        }
        int left = TURN;
        while (hasRoom() && left > 0) {
            Optional<WorkQueue.Taken> taken = queue.take(thread.nanos());
            if (taken.isEmpty()) {
                break;
            }
            metrics.reconciled(taken.get().lag());
            reconcile(taken.get().key());
            left--;
        }
        metrics.queued(queue.ready() + queue.working());
        if (hasRoom() && left == 0) {
            wantTurn();
        } else {
            setTimer();
        }
    }

    private boolean hasRoom() {
        return queue.working() < MAX_WORKING && proposals < MAX_PROPOSALS;
    }

    private void reconcile(ObjectKey key) {
        Decision decision;
        try {
            decision = controller.reconcile(
                    parts.ledger().world(), key, parts.clock().instant());
        } catch (RuntimeException | AssertionError | StackOverflowError e) {
            metrics.failed();
            Duration delay = queue.failed(key, thread.nanos());
            LOG.atError()
                    .addKeyValue("controller", controller.part())
                    .addKeyValue("object", key)
                    .addKeyValue("nextTryMs", delay.toMillis())
                    .setCause(e)
                    .log("Expected to reconcile an object, but failed; the others are not affected");
            return;
        }
        if (decision.proposals().isEmpty()) {
            queue.succeeded(key, decision.lookAgain(), thread.nanos());
            return;
        }
        proposals += decision.proposals().size();
        Attempt attempt = new Attempt(key, decision);
        for (Proposal proposal : decision.proposals()) {
            parts.ledger().propose(proposal).thenAccept(outcome -> {
                if (attempt.answered(outcome)) {
                    thread.run(() -> answered(attempt));
                }
            });
        }
    }

    private void answered(Attempt attempt) {
        if (closed) {
            return;
        }
        proposals -= attempt.decision().proposals().size();
        ObjectKey key = attempt.key();
        Outcome outcome = attempt.outcome();
        if (outcome instanceof Committed) {
            queue.succeeded(key, attempt.decision().lookAgain(), thread.nanos());
        } else if (outcome instanceof Conflict) {
            metrics.conflicted();
            queue.conflicted(key, thread.nanos());
        } else if (outcome instanceof Refused refused) {
            metrics.failed();
            Duration delay = queue.failed(key, thread.nanos());
            LOG.atWarn()
                    .addKeyValue("controller", controller.part())
                    .addKeyValue("object", key)
                    .addKeyValue("reason", refused.reason())
                    .addKeyValue("nextTryMs", delay.toMillis())
                    .log("The ledger does not take what the controller decided: {}", refused.message());
        }
        wantTurn();
    }

    /** One timer, for when the next key is due; none if answers are awaited first, or nothing waits. */
    private void setTimer() {
        OptionalLong due = hasRoom() ? queue.nextDue() : OptionalLong.empty();
        if (due.equals(timerDue) && !timer.isDisposed()) {
            return;
        }
        timer.dispose();
        timerDue = due;
        if (due.isPresent()) {
            Duration delay = Duration.ofNanos(Math.max(0, due.getAsLong() - thread.nanos()));
            timer = thread.after(delay, this::timerFired);
        }
    }

    private void timerFired() {
        timer.dispose();
        timer = Disposable.disposed();
        timerDue = OptionalLong.empty();
        turn();
    }
}
