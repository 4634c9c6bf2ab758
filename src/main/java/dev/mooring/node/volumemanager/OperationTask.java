package dev.mooring.node.volumemanager;

import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.volume.WorkerPoolKey;
import io.reactivex.rxjava3.disposables.Disposable;
import java.util.List;
import java.util.Optional;

/** An operation that this process has accepted. Mutable fields are guarded by the executor's lock. */
final class OperationTask implements WorkerPools.PoolTask {
    /** One operation on one volume, for one Pod or for all. */
    record Id(OperationKey key, Operation operation) {}

    private final Id id;
    private final WorkerPoolKey workerPool;
    private final Object exclusiveKey;
    private final List<DesiredVolume> desired;
    private ActualVolume opened;
    private Thread thread;
    private Disposable deadline = Disposable.disposed();

    /**
     * Creates a task.
     *
     * @param exclusive the key that two tasks must not share at once
     */
    OperationTask(Id id, ActualVolume opened, List<DesiredVolume> desired, WorkerPoolKey workerPool, Object exclusive) {
        this.id = id;
        this.opened = opened;
        this.desired = List.copyOf(desired);
        this.workerPool = workerPool;
        this.exclusiveKey = exclusive;
    }

    Id id() {
        return id;
    }

    @Override
    public WorkerPoolKey workerPool() {
        return workerPool;
    }

    @Override
    public Object exclusiveKey() {
        return exclusiveKey;
    }

    /** Returns the volume as of the recorded or, later, the actual start of the operation. */
    ActualVolume opened() {
        return opened;
    }

    /** Returns the desired volumes as of the recorded start. */
    List<DesiredVolume> desired() {
        return desired;
    }

    void begin(ActualVolume current, Thread worker, Disposable atDeadline) {
        opened = current;
        thread = worker;
        deadline = atDeadline;
    }

    /** Returns the thread that executes it, if any. */
    Optional<Thread> thread() {
        return Optional.ofNullable(thread);
    }

    void end() {
        thread = null;
        deadline.dispose();
    }

    @Override
    public String toString() {
        return id.operation().text() + " of " + id.key().volume();
    }
}
