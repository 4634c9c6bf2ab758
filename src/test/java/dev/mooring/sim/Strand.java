package dev.mooring.sim;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;

/** Does what it is given one after another, in this order, between whatever others do: an event loop, a thread, an actor. */
public final class Strand implements Executor {
    private final Living life;
    private final String name;
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private boolean listed;

    Strand(Living life, String name) {
        this.life = life;
        this.name = name;
    }

    String name() {
        return name;
    }

    @Override
    public void execute(Runnable task) {
        if (!life.isAlive()) {
            return;
        }
        tasks.add(task);
        list();
    }

    private void list() {
        if (!listed && !tasks.isEmpty()) {
            listed = true;
            life.schedule().nowReady(this);
        }
    }

    /** Has been taken from the list of those who are ready. */
    void runOne() {
        listed = false;
        if (life.isAlive()) {
            Runnable task = tasks.poll();
            list();
            task.run();
        }
    }
}
