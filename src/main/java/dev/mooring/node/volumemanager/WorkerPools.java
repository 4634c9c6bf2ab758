package dev.mooring.node.volumemanager;

import dev.mooring.volume.WorkerPoolKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Admission control for worker pools: first in, first out in each pool, with a limit per pool, and one task per
 * exclusive key at a time. A dead server fills its own pool only. For one thread at a time; guarded by the executor's
 * lock.
 */
public final class WorkerPools<J extends WorkerPools.PoolTask> {
    /** A queued task. */
    public interface PoolTask {
        WorkerPoolKey workerPool();

        /** Returns the exclusive key; two tasks with equal keys never run concurrently. */
        Object exclusiveKey();
    }

    private static final class PoolQueue<J> {
        private final Deque<J> jobs = new ArrayDeque<>();
        private int running;
    }

    private final int local;
    private final int perServer;
    private final Map<WorkerPoolKey, PoolQueue<J>> pools = new HashMap<>();
    private final Set<Object> busy = new HashSet<>();

    /**
     * Creates empty pools.
     *
     * @param local limit of each pool of this machine
     * @param perServer limit of each server's pool
     */
    public WorkerPools(int local, int perServer) {
        this.local = local;
        this.perServer = perServer;
    }

    public void add(J job) {
        pools.computeIfAbsent(job.workerPool(), name -> new PoolQueue<>()).jobs.add(job);
    }

    /** Returns the tasks to start now. Each counts until {@link #release}. */
    public List<J> admit() {
        List<J> admitted = new ArrayList<>();
        pools.forEach((name, pool) -> admit(pool, name.isServer() ? perServer : local, admitted));
        return admitted;
    }

    private void admit(PoolQueue<J> pool, int room, List<J> admitted) {
        Iterator<J> each = pool.jobs.iterator();
        while (pool.running < room && each.hasNext()) {
            J job = each.next();
            if (busy.add(job.exclusiveKey())) {
                each.remove();
                pool.running++;
                admitted.add(job);
            }
        }
    }

    /** Releases an admitted task that no longer has a thread. */
    public void release(J job) {
        PoolQueue<J> pool = pools.get(job.workerPool());
        pool.running--;
        busy.remove(job.exclusiveKey());
        if (pool.running == 0 && pool.jobs.isEmpty()) {
            pools.remove(job.workerPool());
        }
    }

    public void clearWaiting() {
        pools.values().forEach(pool -> pool.jobs.clear());
    }
}
