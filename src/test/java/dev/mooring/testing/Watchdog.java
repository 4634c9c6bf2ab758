package dev.mooring.testing;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Map;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Ends a run in which nothing has begun or ended for so long that it never will: a test that does not listen when its time limit interrupts it would
 * use up all the time there is, and nobody would learn which one it was.
 */
final class Watchdog implements TestExecutionListener, AutoCloseable {
    /** Longer than any test may take. */
    static final Duration LIMIT = Duration.ofMinutes(16);

    private final PrintWriter out;
    private final Duration limit;
    private final Runnable end;
    private final Thread thread = new Thread(this::watch, "watchdog");
    private long latest = System.nanoTime();
    private String what = "the first test";

    /** @param end of the run */
    Watchdog(PrintWriter out, Duration limit, Runnable end) {
        this.out = out;
        this.limit = limit;
        this.end = end;
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        progress("after the beginning of " + test.getUniqueId());
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        progress("after the end of " + test.getUniqueId());
    }

    /** The run is over. */
    @Override
    public void close() {
        thread.interrupt();
    }

    void awaitEnd() throws InterruptedException {
        thread.join();
    }

    private synchronized void progress(String now) {
        latest = System.nanoTime();
        what = now;
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
        out.println("Expected a test to begin or end within " + limit.toSeconds() + " s, but none did " + what);
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
