package dev.mooring.node.volumemanager;

import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.node.DurableWriter;
import dev.mooring.volume.VolumeException.FailureState;
import io.reactivex.rxjava3.disposables.Disposable;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes started operations with limited concurrency (see {@link WorkerPools}) and a deadline each, and records their
 * results. Anything a plugin throws fails its own operation only.
 *
 * <p>A late operation is interrupted and has failed, and may have left something behind. Until its thread returns, it
 * counts in its pool and keeps its volume locked, so the next attempt waits for it.
 *
 * <p>An operation leaves {@link #tasks} under the same lock under which the World is then checked: if it is in progress
 * there, the reconciler has started it again meanwhile while it was still pending, and it is executed again. No other
 * event would trigger it.
 *
 * <p>Outlives the controller's verticle. Thread-safe.
 */
public final class OperationExecutor implements PendingOperations, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OperationExecutor.class);

    private final OperationRecorder recorder;
    private final PluginCalls calls;
    private final VolumeEventRecorder eventRecorder;
    private final OperationObserver observer;
    private final WorkLimits limits;
    private final WorkContext context;
    private final DurableWriter writer;

    private final Object lock = new Object();
    private final Map<OperationTask.Id, OperationTask> tasks = new HashMap<>();
    private final Set<OperationTask> running = new HashSet<>();
    private final WorkerPools<OperationTask> pools;
    private boolean closed;

    public OperationExecutor(NodeContext node, OperationObserver observer, WorkLimits limits, WorkContext context) {
        this.recorder = new OperationRecorder(node.name(), node.layout());
        this.eventRecorder = new VolumeEventRecorder(recorder.actor(), context);
        this.calls = new PluginCalls(node, recorder, eventRecorder);
        this.observer = observer;
        this.limits = limits;
        this.context = context;
        this.writer = new DurableWriter(context.world(), context.timers());
        this.pools = new WorkerPools<>(limits.local(), limits.perServer());
    }

    @Override
    public boolean isOperationPending(OperationKey key, Operation operation) {
        synchronized (lock) {
            return tasks.containsKey(new OperationTask.Id(key, operation));
        }
    }

    @Override
    public void start(ActualVolume opened, Operation operation, String podUid, List<DesiredVolume> desired) {
        OperationTask.Id id = new OperationTask.Id(new OperationKey(opened.key(), podUid), operation);
        synchronized (lock) {
            if (!closed && !tasks.containsKey(id) && current(id).isPresent()) {
                submit(id, opened, desired);
            }
        }
        dispatch();
    }

    /** Returns the number of queued and running operations. */
    public int pendingOperations() {
        synchronized (lock) {
            return tasks.size();
        }
    }

    /** Stops admission and interrupts running operations; all of them stay in progress for the next process. */
    @Override
    public void close() {
        writer.close();
        synchronized (lock) {
            closed = true;
            pools.clearWaiting();
            tasks.clear();
            running.forEach(task -> task.thread().ifPresent(Thread::interrupt));
        }
    }

    /** Returns the volume if the operation is in progress there. */
    private Optional<ActualVolume> current(OperationTask.Id id) {
        return context.world()
                .world()
                .get(id.key().volume())
                .map(ActualVolume::of)
                .filter(volume -> isOpen(volume, id));
    }

    private static boolean isOpen(ActualVolume volume, OperationTask.Id id) {
        String open = id.operation().isPerPod()
                ? volume.mountFor(id.key().podUid())
                        .map(ActualVolume.Mount::operation)
                        .orElse("")
                : volume.operation();
        return open.equals(id.operation().text());
    }

    private void submit(OperationTask.Id id, ActualVolume opened, List<DesiredVolume> desired) {
        OperationTask task = new OperationTask(
                id, opened, desired, calls.workerPool(opened, desired), calls.exclusiveKey(id, opened));
        tasks.put(id, task);
        pools.add(task);
    }

    private void dispatch() {
        List<OperationTask> admitted;
        synchronized (lock) {
            admitted = closed ? List.of() : pools.admit();
        }
        for (OperationTask task : admitted) {
            try {
                context.threads().execute(() -> run(task));
            } catch (RejectedExecutionException | OutOfMemoryError e) {
                report(task, unexpectedFailure(e));
                release(task);
            }
        }
    }

    private void run(OperationTask task) {
        try {
            if (begin(task)) {
                Instant began = context.clock().instant();
                OperationResult ended = perform(task);
                boolean inTime = end(task);
                observer.onOperationEnded(
                        task.id().operation(),
                        task.opened().plugin(),
                        result(ended),
                        Duration.between(began, context.clock().instant()));
                if (inTime) {
                    report(task, ended);
                } else {
                    LOG.atInfo()
                            .addKeyValue("object", task.id().key().volume())
                            .addKeyValue("operation", task.id().operation().text())
                            .addKeyValue("found", ended)
                            .log("Volume operation ended after its deadline or a shutdown; dropped its result");
                }
            }
        } finally {
            release(task);
        }
    }

    private static OperationObserver.Result result(OperationResult ended) {
        return ended instanceof OperationResult.Failed
                ? OperationObserver.Result.FAILURE
                : OperationObserver.Result.SUCCESS;
    }

    /**
     * Reads the volume again, because the task may have been queued for long. Returns whether it is still to be
     * executed.
     */
    private boolean begin(OperationTask task) {
        synchronized (lock) {
            Optional<ActualVolume> volume = current(task.id());
            if (closed || volume.isEmpty()) {
                forget(task);
                return false;
            }
            Disposable deadline = context.timers()
                    .scheduleDirect(() -> expire(task), limits.deadline().toMillis(), TimeUnit.MILLISECONDS);
            task.begin(volume.get(), Thread.currentThread(), deadline);
            running.add(task);
            return true;
        }
    }

    private OperationResult perform(OperationTask task) {
        try {
            return calls.perform(task, context.world().world());
        } catch (InterruptedException e) {
            return new OperationResult.Failed(
                    FailureState.UNCERTAIN, "Interrupted", "it was interrupted before it finished", e.toString());
        } catch (Throwable e) {
            LOG.atError()
                    .addKeyValue("object", task.id().key().volume())
                    .addKeyValue("operation", task.id().operation().text())
                    .setCause(e)
                    .log("Volume plugin threw an unexpected exception");
            return unexpectedFailure(e);
        }
    }

    /** Ends a task. Returns whether it ended before its deadline and is still wanted. */
    private boolean end(OperationTask task) {
        boolean inTime;
        synchronized (lock) {
            inTime = running.remove(task) && !closed;
            task.end();
        }
        // From here on this thread is not interrupted for this task; clear a pending interrupt so that it does not hit
        // the next task.
        Thread.interrupted();
        return inTime;
    }

    private void expire(OperationTask task) {
        synchronized (lock) {
            if (closed || !running.remove(task)) {
                return;
            }
            task.thread().ifPresent(Thread::interrupt);
        }
        report(
                task,
                new OperationResult.Failed(
                        FailureState.UNCERTAIN,
                        "DeadlineExceeded",
                        "it did not finish within " + limits.deadline().toSeconds()
                                + " s and was interrupted; it is retried when the interrupted attempt has ended",
                        ""));
    }

    private void report(OperationTask task, OperationResult ended) {
        OperationTask.Id id = task.id();
        eventRecorder.recordResult(task, ended);
        writer.write(
                id.key().volume(),
                world -> world.get(id.key().volume())
                        .map(ActualVolume::of)
                        .flatMap(volume -> recorder.recordFinished(
                                volume,
                                id.operation(),
                                id.key().podUid(),
                                ended,
                                context.clock().instant())),
                () -> onRecorded(task));
    }

    private void onRecorded(OperationTask task) {
        synchronized (lock) {
            forget(task);
        }
        dispatch();
    }

    private void forget(OperationTask task) {
        if (tasks.remove(task.id(), task) && !closed) {
            current(task.id()).ifPresent(volume -> submit(task.id(), volume, task.desired()));
        }
    }

    /** Releases the thread of a task. */
    private void release(OperationTask task) {
        synchronized (lock) {
            pools.release(task);
        }
        dispatch();
    }

    private static OperationResult unexpectedFailure(Throwable cause) {
        StackTraceElement[] trace = cause.getStackTrace();
        return new OperationResult.Failed(
                FailureState.UNCERTAIN,
                "Panic",
                "the plugin failed because of a bug in Mooring, not because of the volume: " + cause
                        + "; the log of the node has the stack trace",
                trace.length == 0 ? "" : "at " + trace[0]);
    }
}
