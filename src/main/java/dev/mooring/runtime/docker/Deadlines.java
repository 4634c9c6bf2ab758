package dev.mooring.runtime.docker;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Closes connections to an unresponsive engine. One thread serves all of them. Any thread. */
final class Deadlines implements AutoCloseable {
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "mooring-stream-deadlines");
        thread.setDaemon(true);
        return thread;
    });

    Deadlines() {
        timer.setRemoveOnCancelPolicy(true);
    }

    /** Starts a deadline that runs until it is closed. */
    Deadline watch(Transport transport, Duration time) {
        Deadline deadline = new Deadline(transport);
        deadline.pending = timer.schedule(deadline::expire, time.toNanos(), TimeUnit.NANOSECONDS);
        return deadline;
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }

    static final class Deadline implements AutoCloseable {
        private final Transport transport;
        private volatile boolean expired;
        private Future<?> pending;

        private Deadline(Transport transport) {
            this.transport = transport;
        }

        boolean expired() {
            return expired;
        }

        private void expire() {
            expired = true;
            transport.close();
        }

        @Override
        public void close() {
            pending.cancel(false);
        }
    }
}
