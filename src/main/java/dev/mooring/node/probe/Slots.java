package dev.mooring.node.probe;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Lets so many go on at a time; the others wait in line. Blocks nobody. Thread-safe. */
final class Slots {
    private final int most;
    private final Deque<Supplier<CompletionStage<?>>> waiting = new ArrayDeque<>();
    private int taken;

    Slots(int most) {
        this.most = most;
    }

    /**
     * @param task begins something when it is its turn, which ends when what it returns is complete; must not throw
     */
    void run(Supplier<CompletionStage<?>> task) {
        synchronized (this) {
            waiting.add(task);
        }
        begin();
    }

    private void begin() {
        for (Supplier<CompletionStage<?>> task = next(); task != null; task = next()) {
            task.get().whenComplete((done, failure) -> {
                leave();
                begin();
            });
        }
    }

    private synchronized Supplier<CompletionStage<?>> next() {
        if (taken == most || waiting.isEmpty()) {
            return null;
        }
        taken++;
        return waiting.poll();
    }

    private synchronized void leave() {
        taken--;
    }
}
