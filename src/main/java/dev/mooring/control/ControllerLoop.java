package dev.mooring.control;

import dev.mooring.control.ChangeSubscriber.ObservedChange;
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
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;
import org.slf4j.spi.NOPLoggingEventBuilder;

/**
 * Runs a controller: delivers changes to it, reconciles the keys that are due, sends the proposals of its decisions to
 * the ledger and, when they are committed, the effects to the executor.
 *
 * <p>The loop starts with the newest World, delivers every object in it to the controller, and then follows the events
 * from that World's revision on, so it misses no change. If those events have been compacted, it starts over with a new
 * controller. It reconciles no key before all existing objects have been delivered. Each key is reconciled on the
 * ledger's newest World, which is never older than a delivered change or an answered proposal of this loop.
 *
 * <p>An error affects only the key it occurs for: the loop logs it, counts it and retries the key later. Memory is
 * bounded: each key is queued once, and prefetched events and proposals in flight are limited. An idle loop holds at
 * most one timer.
 *
 * <p>Threading: everything runs on the {@link LoopExecutor}, in runs short enough not to starve other tasks.
 */
final class ControllerLoop implements Controller.Enqueuer {
    private static final Logger LOG = LoggerFactory.getLogger(ControllerLoop.class);

    /** Limit of keys that wait for the outcome of their proposals; enough to fill the ledger's batches. */
    private static final int MAX_KEYS_IN_PROGRESS = 64;

    /**
     * Limit of proposals in flight; above it, the loop starts no further key. One decision with many proposals may
     * exceed it.
     */
    private static final int MAX_PROPOSALS_IN_FLIGHT = 512;

    /** Keys reconciled per run. */
    private static final int KEYS_PER_RUN = 32;

    /** Objects delivered per load step at the start. */
    private static final int OBJECTS_PER_LOAD_STEP = 1024;

    private final Supplier<? extends Controller> controllerFactory;
    private final EffectExecutor effects;
    private final ControlContext context;
    private final LoopExecutor executor;
    private final Consumer<Throwable> onFailure;
    private final WorkQueue queue;

    private Controller controller;
    private ControllerMetrics metrics;
    private CompositeDisposable feeds = new CompositeDisposable();
    private Disposable timer = Disposable.disposed();
    private OptionalLong timerDue = OptionalLong.empty();
    private boolean loaded;
    private boolean runScheduled;
    private boolean closed;
    private int proposalsInFlight;

    ControllerLoop(
            Supplier<? extends Controller> controllerFactory,
            EffectExecutor effects,
            ControlContext context,
            LoopExecutor executor,
            Consumer<Throwable> onFailure) {
        this.controllerFactory = controllerFactory;
        this.effects = effects;
        this.context = context;
        this.executor = executor;
        this.onFailure = onFailure;
        this.queue = new WorkQueue(context.backoff());
    }

    /**
     * Starts the controller.
     *
     * @param onLoaded called when all existing objects have been delivered and changes are being followed
     */
    void start(Runnable onLoaded) {
        startController(onLoaded);
        metrics = new ControllerMetrics(context.meters(), controller.metricName());
    }

    void close() {
        closed = true;
        feeds.dispose();
        timer.dispose();
        metrics.close();
    }

    private void startController(Runnable onLoaded) {
        loaded = false;
        controller = controllerFactory.get();
        controller.setExternalEnqueue(key -> executor.execute(() -> enqueueExternal(key)));
        World world = context.ledger().world();
        CompositeDisposable subscriptions = new CompositeDisposable();
        feeds = subscriptions;
        Iterator<StoredObject> objects =
                controller.scopes().stream().flatMap(world::stream).iterator();
        executor.execute(() -> load(subscriptions, world, objects, onLoaded));
    }

    /**
     * Delivers some of the existing objects, then yields the thread. The World is immutable, so it does not change
     * between steps.
     */
    private void load(
            CompositeDisposable subscriptions, World world, Iterator<StoredObject> objects, Runnable onLoaded) {
        if (closed) {
            return;
        }
        for (int i = 0; i < OBJECTS_PER_LOAD_STEP && objects.hasNext(); i++) {
            notifyController(Change.put(objects.next(), 0), Optional.empty(), world);
        }
        if (objects.hasNext()) {
            executor.execute(() -> load(subscriptions, world, objects, onLoaded));
            return;
        }
        loaded = true;
        for (Scope scope : controller.scopes()) {
            ChangeSubscriber feed = new ChangeSubscriber(scope, executor, this::notifyController, this::onWatchFailed);
            subscriptions.add(feed);
            context.hub()
                    .events(world.revision(), scope, context.readScheduler())
                    .subscribe(feed);
        }
        onLoaded.run();
        scheduleRun();
    }

    private void notifyController(List<ObservedChange> changes) {
        World world = context.ledger().world();
        for (ObservedChange observed : changes) {
            notifyController(observed.change(), observed.before(), world);
        }
        scheduleRun();
    }

    private void notifyController(Change change, Optional<StoredObject> before, World world) {
        try {
            controller.onChange(change, before, world, this);
        } catch (RuntimeException | AssertionError | StackOverflowError e) {
            metrics.recordError();
            LOG.atError()
                    .addKeyValue("controller", controller.metricName())
                    .addKeyValue("object", change.object().key())
                    .addKeyValue("revision", change.object().revision())
                    .setCause(e)
                    .log("Failed to handle change; dependent keys may wait for the next change");
        }
    }

    /** Restarts the controller if its events were compacted; otherwise reports the failure. */
    private void onWatchFailed(Throwable cause) {
        feeds.dispose();
        if (!(cause instanceof CompactedException)) {
            onFailure.accept(cause);
            return;
        }
        LOG.atInfo()
                .addKeyValue("controller", controller.metricName())
                .log("Watched revision was compacted; restarting controller: {}", cause.getMessage());
        startController(() -> {});
    }

    @Override
    public void enqueue(ObjectKey key) {
        queue.add(key, executor.nanos());
    }

    @Override
    public void enqueueWithin(ObjectKey key, Duration delay) {
        queue.addAfter(key, delay, executor.nanos());
    }

    private void enqueueExternal(ObjectKey key) {
        if (!closed) {
            enqueue(key);
            scheduleRun();
        }
    }

    /** Schedules {@link #runOnce} after all tasks that are already queued. */
    private void scheduleRun() {
        if (!runScheduled) {
            runScheduled = true;
            executor.execute(this::runOnce);
        }
    }

    private void runOnce() {
        runScheduled = false;
        if (closed || !loaded) {
            return;
        }
        int left = KEYS_PER_RUN;
        while (hasCapacity() && left > 0) {
            Optional<WorkQueue.QueuedKey> taken = queue.take(executor.nanos());
            if (taken.isEmpty()) {
                break;
            }
            metrics.recordReconcile(taken.get().lag());
            reconcile(taken.get().key());
            left--;
        }
        metrics.setQueueLength(queue.ready() + queue.working());
        if (hasCapacity() && left == 0) {
            scheduleRun();
        } else {
            setTimer();
        }
    }

    private boolean hasCapacity() {
        return queue.working() < MAX_KEYS_IN_PROGRESS && proposalsInFlight < MAX_PROPOSALS_IN_FLIGHT;
    }

    private void reconcile(ObjectKey key) {
        Decision decision;
        try {
            decision = controller.reconcile(
                    context.ledger().world(), key, context.clock().instant());
        } catch (RuntimeException | AssertionError | StackOverflowError e) {
            onError(key, e);
            return;
        }
        if (decision.proposals().isEmpty()) {
            executeEffects(key, decision);
            return;
        }
        proposalsInFlight += decision.proposals().size();
        PendingReconcile attempt = new PendingReconcile(key, decision);
        for (Proposal proposal : decision.proposals()) {
            context.ledger().propose(proposal).thenAccept(outcome -> {
                if (attempt.recordOutcome(outcome)) {
                    executor.execute(() -> onOutcome(attempt));
                }
            });
        }
    }

    private void executeEffects(ObjectKey key, Decision decision) {
        try {
            decision.effects().forEach(effects::execute);
            queue.succeeded(key, decision.requeueAfter(), executor.nanos());
        } catch (RuntimeException | AssertionError | StackOverflowError e) {
            onError(key, e);
        }
    }

    private void onError(ObjectKey key, Throwable cause) {
        metrics.recordError();
        Duration delay = queue.failed(key, executor.nanos());
        retryLog(Level.ERROR, key, delay).setCause(cause).log("Failed to reconcile object; retrying");
    }

    private void onOutcome(PendingReconcile attempt) {
        if (closed) {
            return;
        }
        proposalsInFlight -= attempt.result().proposals().size();
        ObjectKey key = attempt.key();
        Outcome outcome = attempt.outcome();
        if (outcome instanceof Committed) {
            executeEffects(key, attempt.result());
        } else if (outcome instanceof Conflict) {
            metrics.recordConflict();
            queue.conflicted(key, executor.nanos());
        } else if (outcome instanceof Refused refused) {
            metrics.recordError();
            Duration delay = queue.failed(key, executor.nanos());
            retryLog(Level.WARN, key, delay)
                    .addKeyValue("reason", refused.reason())
                    .log("Ledger rejected proposal; retrying: {}", refused.message());
        }
        scheduleRun();
    }

    /** Returns a log event for a failure; no-op unless a failure of this count is logged. */
    private LoggingEventBuilder retryLog(Level level, ObjectKey key, Duration delay) {
        int failures = queue.failures(key);
        return (Backoff.isLogged(failures) ? LOG.atLevel(level) : NOPLoggingEventBuilder.singleton())
                .addKeyValue("controller", controller.metricName())
                .addKeyValue("object", key)
                .addKeyValue("failures", failures)
                .addKeyValue("nextTryMs", delay.toMillis());
    }

    /** Sets one timer for the next due key. Sets none if the loop is at capacity or no key waits. */
    private void setTimer() {
        OptionalLong due = hasCapacity() ? queue.nextDue() : OptionalLong.empty();
        if (due.equals(timerDue) && !timer.isDisposed()) {
            return;
        }
        timer.dispose();
        timerDue = due;
        if (due.isPresent()) {
            Duration delay = Duration.ofNanos(Math.max(0, due.getAsLong() - executor.nanos()));
            timer = executor.schedule(delay, this::onTimer);
        }
    }

    private void onTimer() {
        timer.dispose();
        timer = Disposable.disposed();
        timerDue = OptionalLong.empty();
        runOnce();
    }
}
