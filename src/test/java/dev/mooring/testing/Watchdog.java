package dev.mooring.testing;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Map;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Ends a run in which no test has started or ended for too long: a test that ignores the interrupt of its time limit
 * would block the run without being named.
 */
final class Watchdog implements TestExecutionListener, AutoCloseable {
    /** Longer than the time limit of any test. */
    static final Duration LIMIT = Duration.ofMinutes(16);

    private final PrintWriter out;
    private final Duration limit;
    private final Runnable end;
    private final Thread thread = new Thread(this::watch, "watchdog");
    private long latest = System.nanoTime();
    private String lastEvent = "since the start of the run";

    /** @param end ends the run */
    Watchdog(PrintWriter out, Duration limit, Runnable end) {
        this.out = out;
        this.limit = limit;
        this.end = end;
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        progress("since the start of " + test.getUniqueId());
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        progress("since the end of " + test.getUniqueId());
    }

    /** Stops watching after the run. */
    @Override
    public void close() {
        thread.interrupt();
    }

    void awaitEnd() throws InterruptedException {
        thread.join();
    }

    private synchronized void progress(String event) {
        latest = System.nanoTime();
        lastEvent = event;
        notifyAll();
    }

    private synchronized void watch() {
        try {
            for (long left = limit.toMillis(); left > 0; left = left()) {
                wait(left);
            }
        } catch (InterruptedException e) {
            return;
        }
        out.println("No test started or ended within " + limit.toSeconds() + " s " + lastEvent);
        for (Map.Entry<Thread, StackTraceElement[]> each :
                Thread.getAllStackTraces().entrySet()) {
            out.println(each.getKey());
            for (StackTraceElement frame : each.getValue()) {
                out.println("    at " + frame);
            }
        }
        out.flush();
        end.run();
    }

    private long left() {
        return limit.toMillis() - Duration.ofNanos(System.nanoTime() - latest).toMillis();
    }
}
