package dev.mooring.node.work;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.node.lane.Lanes;
import dev.mooring.volume.Lane;
import io.reactivex.rxjava3.disposables.Disposable;
import java.util.Optional;

/** An operation that this process has taken on. Its fields that change are guarded by the executor's lock. */
final class Job implements Lanes.Entry {
    private final Lane lane;
    private VolumeOperation operation;
    private Thread thread;
    private Disposable deadline = Disposable.disposed();

    Job(VolumeOperation operation) {
        this.operation = operation;
        this.lane = OperationLane.of(operation);
    }

    ObjectKey key() {
        return operation.key();
    }

    @Override
    public Object exclusive() {
        return volume();
    }

    String volume() {
        return operation.volume();
    }

    @Override
    public Lane lane() {
        return lane;
    }

    /** As it was when it was begun; before that, when it was taken on. */
    VolumeOperation operation() {
        return operation;
    }

    /** Whether the operation, as it is by now, waits in the right place. */
    boolean standsFor(VolumeOperation current) {
        return volume().equals(current.volume()) && lane.equals(OperationLane.of(current));
    }

    void begin(VolumeOperation current, Thread worker, Disposable atDeadline) {
        operation = current;
        thread = worker;
        deadline = atDeadline;
    }

    /** The thread that works on it, while one does. */
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
