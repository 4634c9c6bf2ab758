package dev.mooring.node.reconcile;

import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.node.lane.Lanes;
import dev.mooring.volume.Lane;
import io.reactivex.rxjava3.disposables.Disposable;
import java.util.List;
import java.util.Optional;

/** An operation that this process has taken on. Its fields that change are guarded by the executor's lock. */
final class Task implements Lanes.Entry {
    /** One operation on one volume, for one Pod or for all. */
    record Id(OperationKey key, Operation operation) {}

    private final Id id;
    private final Lane lane;
    private final Object exclusive;
    private final List<DesiredVolume> desired;
    private ActualVolume opened;
    private Thread thread;
    private Disposable deadline = Disposable.disposed();

    /** @param exclusive what no two tasks may work on at once */
    Task(Id id, ActualVolume opened, List<DesiredVolume> desired, Lane lane, Object exclusive) {
        this.id = id;
        this.opened = opened;
        this.desired = List.copyOf(desired);
        this.lane = lane;
        this.exclusive = exclusive;
    }

    Id id() {
        return id;
    }

    @Override
    public Lane lane() {
        return lane;
    }

    @Override
    public Object exclusive() {
        return exclusive;
    }

    /** As the volume was when the operation was opened or, later, begun. */
    ActualVolume opened() {
        return opened;
    }

    /** As it was wanted when the operation was opened. */
    List<DesiredVolume> desired() {
        return desired;
    }

    void begin(ActualVolume current, Thread worker, Disposable atDeadline) {
        opened = current;
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
        return id.operation().text() + " of " + id.key().volume();
    }
}
