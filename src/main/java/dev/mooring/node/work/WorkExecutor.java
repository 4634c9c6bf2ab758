package dev.mooring.node.work;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.node.lane.Lanes;
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
 * Does operations, so many at a time (see {@link Lanes}), each for so long, and has how they ended written down. Whatever a worker throws
 * is a failure of its operation and of nothing else.
 *
 * <p>One that is late is interrupted and has failed. Its thread may still be stuck in the kernel: until it really comes back it counts
 * in its lane and keeps its volume to itself, so a next try waits for it.
 *
 * <p>An operation leaves {@link #jobs} under the same lock under which the World is then looked at: if it is Running there all the same,
 * it was begun anew in the meantime by somebody who still saw it under way, and is taken on again. Nobody else would wake up for it.
 *
 * <p>Outlives the verticle that looks for work. Thread-safe.
 */
public final class WorkExecutor implements Effects, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WorkExecutor.class);

    private final String node;
    private final WorkParts parts;
    private final WorkLimits limits;
    private final Performer performer;
    private final Reporter reporter;

    private final Object lock = new Object();
    private final Map<ObjectKey, Job> jobs = new HashMap<>();
    private final Set<Job> performing = new HashSet<>();
    private final Lanes<Job> lanes;
    private boolean closed;

    /** @param performer knows how to do each kind of work */
    public WorkExecutor(String node, Performer performer, WorkLimits limits, WorkParts parts) {
        this.node = node;
        this.parts = parts;
        this.limits = limits;
        this.performer = performer;
        this.lanes = new Lanes<>(limits.local(), limits.perServer());
        this.reporter = new Reporter(new OperationSteps("node/" + node), parts, this::settled);
    }

    @Override
    public boolean isUnderWay(ObjectKey operation) {
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
                takeOn(operation);
            }
        }
        dispatch();
    }

    /** Takes on nothing more, and interrupts what is being done; all of it stays Running for the next process. */
    @Override
    public void close() {
        reporter.close();
        synchronized (lock) {
            closed = true;
            lanes.clearWaiting();
            jobs.clear();
            performing.forEach(job -> job.thread().ifPresent(Thread::interrupt));
        }
    }

    private Optional<VolumeOperation> current(ObjectKey key) {
        return parts.world().world().get(key).map(VolumeOperation::of);
    }

    private boolean isToBeDone(VolumeOperation operation) {
        return operation.node().equals(node)
                && operation.state().equals(VolumeOperation.RUNNING)
                && operation.work().isPresent();
    }

    private void takeOn(VolumeOperation operation) {
        Job job = new Job(operation);
        jobs.put(job.key(), job);
        lanes.add(job);
    }

    private void dispatch() {
        List<Job> admitted;
        synchronized (lock) {
            admitted = closed ? List.of() : lanes.admit();
        }
        for (Job job : admitted) {
            try {
                parts.threads().execute(() -> run(job));
            } catch (RejectedExecutionException | OutOfMemoryError e) {
                reporter.report(job, panic(e));
                leave(job);
            }
        }
    }

    private void run(Job job) {
        try {
            if (begin(job)) {
                Ending ending = perform(job.operation());
                ended(job, ending);
            }
        } finally {
            leave(job);
        }
    }

    private void ended(Job job, Ending ending) {
        if (end(job)) {
            reporter.report(job, ending);
            return;
        }
        LOG.atWarn()
                .addKeyValue("object", job.key())
                .addKeyValue("volume", job.volume())
                .addKeyValue("found", ending)
                .addKeyValue("next", "the volume can be worked on again")
                .log("Work on a volume that nobody waited for any more has ended");
    }

    /** Looks once more what is to be done; it may have waited for long. Whether it is to be done at all. */
    private boolean begin(Job job) {
        synchronized (lock) {
            Optional<VolumeOperation> operation = current(job.key()).filter(this::isToBeDone);
            if (closed || operation.filter(job::standsFor).isEmpty()) {
                forget(job);
                return false;
            }
            Disposable deadline = parts.timers()
                    .scheduleDirect(() -> expire(job), limits.deadline().toMillis(), TimeUnit.MILLISECONDS);
            job.begin(operation.get(), Thread.currentThread(), deadline);
            performing.add(job);
            return true;
        }
    }

    private Ending perform(VolumeOperation operation) {
        try {
            return new Ending.Done(Objects.requireNonNull(performer.perform(work(operation)), "how the work ended"));
        } catch (VolumeWorkException e) {
            return failed(e.reason(), e.getMessage(), e.raw());
        } catch (InterruptedException e) {
            return failed(Failure.INTERRUPTED, "The work was interrupted before it was done.", e.toString());
        } catch (Throwable e) {
            LOG.atError()
                    .addKeyValue("object", operation.key())
                    .setCause(e)
                    .log("Expected a worker to succeed or to say what failed, but it broke; other work is not"
                            + " affected");
            return panic(e);
        }
    }

    private static VolumeWork work(VolumeOperation operation) {
        return new VolumeWork(
                operation.work().orElseThrow(),
                operation.provisioner(),
                operation.volume(),
                operation.volumeUid(),
                operation.path(),
                operation.source(),
                operation.mode(),
                operation.capacity().map(Quantity::value).orElse(0L),
                operation.parameters());
    }

    /** Whether it ended before its deadline, and while anybody wants to know. */
    private boolean end(Job job) {
        boolean inTime;
        synchronized (lock) {
            inTime = performing.remove(job) && !closed;
            job.end();
        }
        // From here on nobody interrupts this thread on the job's behalf; the next job must not be hit by what was
        // meant for this one.
        Thread.interrupted();
        return inTime;
    }

    private void expire(Job job) {
        synchronized (lock) {
            if (closed || !performing.remove(job)) {
                return;
            }
            job.thread().ifPresent(Thread::interrupt);
        }
        reporter.report(
                job,
                failed(
                        Failure.DEADLINE,
                        "The work was not done within " + seconds()
                                + " and was interrupted. The next try begins when it"
                                + " has really ended; if it never does, the disk or the server does not answer.",
                        ""));
    }

    private String seconds() {
        return limits.deadline().toSeconds() + " s";
    }

    /** All there is to say about the job has been said. */
    private void settled(Job job) {
        synchronized (lock) {
            forget(job);
        }
        dispatch();
    }

    private void forget(Job job) {
        if (jobs.remove(job.key(), job) && !closed) {
            current(job.key()).filter(this::isToBeDone).ifPresent(this::takeOn);
        }
    }

    /** The job has no thread any more. */
    private void leave(Job job) {
        synchronized (lock) {
            lanes.left(job);
        }
        dispatch();
    }

    private static Ending failed(String reason, String message, String raw) {
        return new Ending.Failed(new Failure(reason, message, raw));
    }

    private static Ending panic(Throwable cause) {
        List<String> where = new ArrayList<>();
        for (StackTraceElement each : cause.getStackTrace()) {
            if (where.size() < 3) {
                where.add("at " + each);
            }
        }
        return failed(
                Failure.PANIC,
                "The worker broke, which is a fault in Mooring and not in the volume: " + cause
                        + ". The log of the node has all of it.",
                String.join(" ", where));
    }
}
