package dev.mooring.node.volumemanager;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.volume.work.ClaimIdentity;
import dev.mooring.volume.work.VolumeWork;
import dev.mooring.volume.work.VolumeWorkException;
import io.reactivex.rxjava3.disposables.Disposable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes operations with limited concurrency (see {@link WorkerPools}) and a deadline each, and records their
 * results. Anything a worker throws fails its own operation only.
 *
 * <p>A late operation is interrupted and has failed. Its thread may still be blocked in the kernel: until it returns,
 * it counts in its pool and keeps its volume locked, so the next attempt waits for it.
 *
 * <p>An operation leaves {@link #jobs} under the same lock under which the World is then checked: if it is Running
 * there, the controller has restarted it meanwhile while it was still pending, and it is executed again. No other event
 * would trigger it.
 *
 * <p>Outlives the controller's verticle. Thread-safe.
 */
public final class WorkExecutor implements PendingWork, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WorkExecutor.class);

    private final String node;
    private final WorkContext context;
    private final WorkLimits limits;
    private final Performer performer;
    private final WorkResultWriter reporter;

    private final Object lock = new Object();
    private final Map<ObjectKey, WorkItem> jobs = new HashMap<>();
    private final Set<WorkItem> running = new HashSet<>();
    private final WorkerPools<WorkItem> pools;
    private boolean closed;

    /**
     * Creates an executor.
     *
     * @param performer performs all kinds of work
     */
    public WorkExecutor(String node, Performer performer, WorkLimits limits, WorkContext context) {
        this.node = node;
        this.context = context;
        this.limits = limits;
        this.performer = performer;
        this.pools = new WorkerPools<>(limits.local(), limits.perServer());
        this.reporter = new WorkResultWriter(new OperationStatusUpdates("node/" + node), context, this::onRecorded);
    }

    @Override
    public boolean isPending(ObjectKey operation) {
        synchronized (lock) {
            return jobs.containsKey(operation);
        }
    }

    @Override
    public void start(VolumeOperation operation) {
        synchronized (lock) {
            boolean newest = current(operation.key())
                    .filter(found -> found.revision() == operation.revision())
                    .isPresent();
            if (!closed && newest && !jobs.containsKey(operation.key())) {
                submit(operation);
            }
        }
        dispatch();
    }

    /** Stops admission and interrupts running work; all of it stays Running for the next process. */
    @Override
    public void close() {
        reporter.close();
        synchronized (lock) {
            closed = true;
            pools.clearWaiting();
            jobs.clear();
            running.forEach(job -> job.thread().ifPresent(Thread::interrupt));
        }
    }

    private Optional<VolumeOperation> current(ObjectKey key) {
        return context.world().world().get(key).map(VolumeOperation::of);
    }

    private boolean isToBeDone(VolumeOperation operation) {
        return operation.node().equals(node)
                && operation.state().equals(VolumeOperation.RUNNING)
                && operation.operationType().isPresent();
    }

    private void submit(VolumeOperation operation) {
        WorkItem job = new WorkItem(operation);
        jobs.put(job.key(), job);
        pools.add(job);
    }

    private void dispatch() {
        List<WorkItem> admitted;
        synchronized (lock) {
            admitted = closed ? List.of() : pools.admit();
        }
        for (WorkItem job : admitted) {
            try {
                context.threads().execute(() -> run(job));
            } catch (RejectedExecutionException | OutOfMemoryError e) {
                reporter.write(job, panic(e));
                release(job);
            }
        }
    }

    private void run(WorkItem job) {
        try {
            if (begin(job)) {
                WorkResult result = perform(job.operation());
                onEnded(job, result);
            }
        } finally {
            release(job);
        }
    }

    private void onEnded(WorkItem job, WorkResult result) {
        if (end(job)) {
            reporter.write(job, result);
            return;
        }
        LOG.atInfo()
                .addKeyValue("object", job.key())
                .addKeyValue("volume", job.volume())
                .addKeyValue("found", result)
                .addKeyValue("next", "other operations on the volume may start")
                .log("Volume operation ended after its deadline or a shutdown; dropped its result");
    }

    /**
     * Reads the operation again, because it may have been queued for long. Returns whether it is still to be executed.
     */
    private boolean begin(WorkItem job) {
        synchronized (lock) {
            Optional<VolumeOperation> operation = current(job.key()).filter(this::isToBeDone);
            if (closed || operation.filter(job::matches).isEmpty()) {
                forget(job);
                return false;
            }
            Disposable deadline = context.timers()
                    .scheduleDirect(() -> expire(job), limits.deadline().toMillis(), TimeUnit.MILLISECONDS);
            job.begin(operation.get(), Thread.currentThread(), deadline);
            running.add(job);
            return true;
        }
    }

    private WorkResult perform(VolumeOperation operation) {
        try {
            return new WorkResult.Succeeded(
                    Objects.requireNonNull(performer.perform(work(operation)), "result of the volume worker"));
        } catch (VolumeWorkException e) {
            return failed(e.reason(), e.getMessage(), e.raw());
        } catch (InterruptedException e) {
            return failed(WorkFailure.INTERRUPTED, "The operation was interrupted before it finished.", e.toString());
        } catch (Throwable e) {
            LOG.atError()
                    .addKeyValue("object", operation.key())
                    .setCause(e)
                    .log("Volume worker threw an unexpected exception");
            return panic(e);
        }
    }

    private static VolumeWork work(VolumeOperation operation) {
        return new VolumeWork(
                operation.operationType().orElseThrow(),
                operation.provisioner(),
                operation.volume(),
                operation.volumeUid(),
                operation.path(),
                operation.source(),
                operation.mode(),
                operation.capacity().map(Quantity::value).orElse(0L),
                operation.parameters(),
                operation
                        .claim()
                        .map(claim -> new ClaimIdentity(claim.namespace(), operation.namespaceUid(), claim.name())));
    }

    /** Ends a job. Returns whether it ended before its deadline and is still wanted. */
    private boolean end(WorkItem job) {
        boolean inTime;
        synchronized (lock) {
            inTime = running.remove(job) && !closed;
            job.end();
        }
        // From here on this thread is not interrupted for this job; clear a pending interrupt so that it does not hit
        // the next job.
        Thread.interrupted();
        return inTime;
    }

    private void expire(WorkItem job) {
        synchronized (lock) {
            if (closed || !running.remove(job)) {
                return;
            }
            job.thread().ifPresent(Thread::interrupt);
        }
        reporter.write(
                job,
                failed(
                        WorkFailure.DEADLINE,
                        "The operation did not finish within " + seconds()
                                + " and was interrupted. It is retried when the interrupted attempt has"
                                + " ended; if it never ends, the disk or the server does not respond.",
                        ""));
    }

    private String seconds() {
        return limits.deadline().toSeconds() + " s";
    }

    /** Removes a job whose result is recorded. */
    private void onRecorded(WorkItem job) {
        synchronized (lock) {
            forget(job);
        }
        dispatch();
    }

    private void forget(WorkItem job) {
        if (jobs.remove(job.key(), job) && !closed) {
            current(job.key()).filter(this::isToBeDone).ifPresent(this::submit);
        }
    }

    /** Releases the thread of a job. */
    private void release(WorkItem job) {
        synchronized (lock) {
            pools.release(job);
        }
        dispatch();
    }

    private static WorkResult failed(String reason, String message, String raw) {
        return new WorkResult.Failed(new WorkFailure(reason, message, raw));
    }

    private static WorkResult panic(Throwable cause) {
        List<String> where = new ArrayList<>();
        for (StackTraceElement each : cause.getStackTrace()) {
            if (where.size() < 3) {
                where.add("at " + each);
            }
        }
        return failed(
                WorkFailure.PANIC,
                "The worker failed because of a bug in Mooring, not because of the volume: " + cause
                        + ". The log of the node has the stack trace.",
                String.join(" ", where));
    }
}
