package dev.mooring.node.reconcile;

import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.node.DurableWriter;
import dev.mooring.node.lane.Lanes;
import dev.mooring.node.work.WorkLimits;
import dev.mooring.node.work.WorkParts;
import dev.mooring.volume.VolumeException.Left;
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
 * Does what has been opened, so many at a time (see {@link Lanes}), each for so long, and has how it ended written down. Whatever a plugin
 * throws is a failure of its operation and of nothing else.
 *
 * <p>One that is late is interrupted and has failed, and may have left something behind. Until its thread really comes back it counts in its
 * lane and keeps its volume to itself, so a next try waits for it.
 *
 * <p>An operation leaves {@link #tasks} under the same lock under which the World is then looked at: if it is open there all the same, it was
 * opened anew meanwhile by somebody who still saw it under way, and is taken on again. Nobody else would wake up for it.
 *
 * <p>Outlives the verticle that looks for work. Thread-safe.
 */
public final class OperationExecutor implements Operations, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OperationExecutor.class);

    private final Brackets brackets;
    private final PluginCalls calls;
    private final Teller teller;
    private final OperationObserver observer;
    private final WorkLimits limits;
    private final WorkParts parts;
    private final DurableWriter writer;

    private final Object lock = new Object();
    private final Map<Task.Id, Task> tasks = new HashMap<>();
    private final Set<Task> performing = new HashSet<>();
    private final Lanes<Task> lanes;
    private boolean closed;

    public OperationExecutor(NodeParts node, OperationObserver observer, WorkLimits limits, WorkParts parts) {
        this.brackets = new Brackets(node.name(), node.layout());
        this.teller = new Teller(brackets.actor(), parts);
        this.calls = new PluginCalls(node, brackets, teller);
        this.observer = observer;
        this.limits = limits;
        this.parts = parts;
        this.writer = new DurableWriter(parts.world(), parts.timers());
        this.lanes = new Lanes<>(limits.local(), limits.perServer());
    }

    @Override
    public boolean isUnderWay(OperationKey key, Operation operation) {
        synchronized (lock) {
            return tasks.containsKey(new Task.Id(key, operation));
        }
    }

    @Override
    public void start(ActualVolume opened, Operation operation, String podUid, List<DesiredVolume> desired) {
        Task.Id id = new Task.Id(new OperationKey(opened.key(), podUid), operation);
        synchronized (lock) {
            if (!closed && !tasks.containsKey(id) && current(id).isPresent()) {
                takeOn(id, opened, desired);
            }
        }
        dispatch();
    }

    /** How many operations are under way or wait for their turn. */
    public int underWay() {
        synchronized (lock) {
            return tasks.size();
        }
    }

    /** Takes on nothing more, and interrupts what is being done; all of it stays open for the next process. */
    @Override
    public void close() {
        writer.close();
        synchronized (lock) {
            closed = true;
            lanes.clearWaiting();
            tasks.clear();
            performing.forEach(task -> task.thread().ifPresent(Thread::interrupt));
        }
    }

    /** The volume, if the operation is open. */
    private Optional<ActualVolume> current(Task.Id id) {
        return parts.world()
                .world()
                .get(id.key().volume())
                .map(ActualVolume::of)
                .filter(volume -> isOpen(volume, id));
    }

    private static boolean isOpen(ActualVolume volume, Task.Id id) {
        String open = id.operation().isForOnePod()
                ? volume.mountFor(id.key().podUid())
                        .map(ActualVolume.Mount::operation)
                        .orElse("")
                : volume.operation();
        return open.equals(id.operation().text());
    }

    private void takeOn(Task.Id id, ActualVolume opened, List<DesiredVolume> desired) {
        Task task = new Task(id, opened, desired, calls.lane(opened, desired), calls.exclusive(id, opened));
        tasks.put(id, task);
        lanes.add(task);
    }

    private void dispatch() {
        List<Task> admitted;
        synchronized (lock) {
            admitted = closed ? List.of() : lanes.admit();
        }
        for (Task task : admitted) {
            try {
                parts.threads().execute(() -> run(task));
            } catch (RejectedExecutionException | OutOfMemoryError e) {
                report(task, broken(e));
                leave(task);
            }
        }
    }

    private void run(Task task) {
        try {
            if (begin(task)) {
                Instant began = parts.clock().instant();
                Ended ended = perform(task);
                boolean inTime = end(task);
                observer.ended(
                        task.id().operation(),
                        task.opened().plugin(),
                        result(ended),
                        Duration.between(began, parts.clock().instant()));
                if (inTime) {
                    report(task, ended);
                } else {
                    LOG.atWarn()
                            .addKeyValue("object", task.id().key().volume())
                            .addKeyValue("operation", task.id().operation().text())
                            .addKeyValue("found", ended)
                            .log("An operation on a volume that nobody waited for any more has ended");
                }
            }
        } finally {
            leave(task);
        }
    }

    private static OperationObserver.Result result(Ended ended) {
        return ended instanceof Ended.Failed ? OperationObserver.Result.FAILURE : OperationObserver.Result.SUCCESS;
    }

    /** Looks once more what is to be done; it may have waited for long. */
    private boolean begin(Task task) {
        synchronized (lock) {
            Optional<ActualVolume> volume = current(task.id());
            if (closed || volume.isEmpty()) {
                forget(task);
                return false;
            }
            Disposable deadline = parts.timers()
                    .scheduleDirect(() -> expire(task), limits.deadline().toMillis(), TimeUnit.MILLISECONDS);
            task.begin(volume.get(), Thread.currentThread(), deadline);
            performing.add(task);
            return true;
        }
    }

    private Ended perform(Task task) {
        try {
            return calls.perform(task, parts.world().world());
        } catch (InterruptedException e) {
            return new Ended.Failed(
                    Left.PERHAPS_SOMETHING, "Interrupted", "it was interrupted before it was done", e.toString());
        } catch (Throwable e) {
            LOG.atError()
                    .addKeyValue("object", task.id().key().volume())
                    .addKeyValue("operation", task.id().operation().text())
                    .setCause(e)
                    .log("Expected a plugin to succeed or to say what failed, but it broke; other volumes are not"
                            + " affected");
            return broken(e);
        }
    }

    /** Whether it ended before its deadline, and while anybody wants to know. */
    private boolean end(Task task) {
        boolean inTime;
        synchronized (lock) {
            inTime = performing.remove(task) && !closed;
            task.end();
        }
        // From here on nobody interrupts this thread on the task's behalf; the next must not be hit by what was meant
        // for
        // this one.
        Thread.interrupted();
        return inTime;
    }

    private void expire(Task task) {
        synchronized (lock) {
            if (closed || !performing.remove(task)) {
                return;
            }
            task.thread().ifPresent(Thread::interrupt);
        }
        report(
                task,
                new Ended.Failed(
                        Left.PERHAPS_SOMETHING,
                        "DeadlineExceeded",
                        "it was not done within " + limits.deadline().toSeconds()
                                + " s and was interrupted; the next try begins when it has really ended",
                        ""));
    }

    private void report(Task task, Ended ended) {
        Task.Id id = task.id();
        teller.tell(task, ended);
        writer.write(
                id.key().volume(),
                world -> world.get(id.key().volume())
                        .map(ActualVolume::of)
                        .flatMap(volume -> brackets.close(
                                volume,
                                id.operation(),
                                id.key().podUid(),
                                ended,
                                parts.clock().instant())),
                () -> settled(task));
    }

    private void settled(Task task) {
        synchronized (lock) {
            forget(task);
        }
        dispatch();
    }

    private void forget(Task task) {
        if (tasks.remove(task.id(), task) && !closed) {
            current(task.id()).ifPresent(volume -> takeOn(task.id(), volume, task.desired()));
        }
    }

    /** The task has no thread any more. */
    private void leave(Task task) {
        synchronized (lock) {
            lanes.left(task);
        }
        dispatch();
    }

    private static Ended broken(Throwable cause) {
        StackTraceElement[] trace = cause.getStackTrace();
        return new Ended.Failed(
                Left.PERHAPS_SOMETHING,
                "Panic",
                "the plugin broke, which is a fault in Mooring and not in the volume: " + cause
                        + "; the log of the node has all of it",
                trace.length == 0 ? "" : "at " + trace[0]);
    }
}
