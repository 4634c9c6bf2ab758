package dev.mooring.runtime.docker.stream;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Closes connections to an engine that does not answer. One thread for all of them. Any thread. */
final class Deadlines implements AutoCloseable {
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "mooring-stream-deadlines");
        thread.setDaemon(true);
        return thread;
    });

    Deadlines() {
        timer.setRemoveOnCancelPolicy(true);
    }

    /** From now until it is closed. */
    Deadline watch(Wire wire, Duration time) {
        Deadline deadline = new Deadline(wire);
        deadline.pending = timer.schedule(deadline::expire, time.toNanos(), TimeUnit.NANOSECONDS);
        return deadline;
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }

    static final class Deadline implements AutoCloseable {
        private final Wire wire;
        private volatile boolean expired;
        private Future<?> pending;

        private Deadline(Wire wire) {
            this.wire = wire;
        }

        boolean expired() {
            return expired;
        }

        private void expire() {
            expired = true;
            wire.close();
        }

        @Override
        public void close() {
            pending.cancel(false);
        }
    }
}
