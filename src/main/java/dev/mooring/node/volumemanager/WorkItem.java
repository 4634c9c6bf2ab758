package dev.mooring.node.volumemanager;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.volume.WorkerPoolKey;
import io.reactivex.rxjava3.disposables.Disposable;
import java.util.Optional;

/** An operation that this process has accepted. Mutable fields are guarded by the executor's lock. */
final class WorkItem implements WorkerPools.PoolTask {
    private final WorkerPoolKey workerPool;
    private VolumeOperation operation;
    private Thread thread;
    private Disposable deadline = Disposable.disposed();

    WorkItem(VolumeOperation operation) {
        this.operation = operation;
        this.workerPool = OperationWorkerPool.of(operation);
    }

    ObjectKey key() {
        return operation.key();
    }

    @Override
    public Object exclusiveKey() {
        return volume();
    }

    String volume() {
        return operation.volume();
    }

    @Override
    public WorkerPoolKey workerPool() {
        return workerPool;
    }

    /** Returns the operation as of its start or, before that, its acceptance. */
    VolumeOperation operation() {
        return operation;
    }

    /** Returns whether the current operation belongs to the same pool and volume. */
    boolean matches(VolumeOperation current) {
        return volume().equals(current.volume()) && workerPool.equals(OperationWorkerPool.of(current));
    }

    void begin(VolumeOperation current, Thread worker, Disposable atDeadline) {
        operation = current;
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
        return operation.toString();
    }
}
