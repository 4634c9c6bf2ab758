package dev.mooring.sim;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;

/** Runs its tasks one at a time, in order, interleaved with other executors: a simulated event loop or thread. */
public final class SimSerialExecutor implements Executor {
    private final SimTaskGroup taskGroup;
    private final String name;
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private boolean listed;

    SimSerialExecutor(SimTaskGroup taskGroup, String name) {
        this.taskGroup = taskGroup;
        this.name = name;
    }

    String name() {
        return name;
    }

    @Override
    public void execute(Runnable task) {
        if (!taskGroup.isAlive()) {
            return;
        }
        tasks.add(task);
        enqueueReady();
    }

    private void enqueueReady() {
        if (!listed && !tasks.isEmpty()) {
            listed = true;
            taskGroup.schedule().markReady(this);
        }
    }

    /** Runs the next task. The scheduler has removed this executor from its ready list. */
    void runOne() {
        listed = false;
        if (taskGroup.isAlive()) {
            Runnable task = tasks.poll();
            enqueueReady();
            task.run();
        }
    }
}
