package dev.mooring.cli;

import dev.mooring.server.ProcessEnvironment;
import dev.mooring.server.Terminal;
import java.io.PrintStream;
import java.time.Clock;
import java.util.Locale;

/**
 * A progress bar for work counted in bytes: on stderr, only on a terminal, and only if the work takes more than a
 * second. Erased at the end.
 */
final class ProgressBar implements AutoCloseable {
    private static final long QUIET_MILLIS = 1_000;
    private static final long REDRAW_MILLIS = 100;
    private static final int WIDTH = 30;

    private final PrintStream err;
    private final Clock clock;
    private final boolean wanted;
    private final String what;
    private final long total;
    private final long started;
    private long drawn;

    ProgressBar(ProcessEnvironment environment, String what, long totalBytes) {
        this(environment, what, totalBytes, Terminal.stderrIsTerminal());
    }

    ProgressBar(ProcessEnvironment environment, String what, long totalBytes, boolean wanted) {
        this.err = environment.err();
        this.clock = environment.clock();
        this.what = what;
        this.total = Math.max(1, totalBytes);
        this.wanted = wanted;
        this.started = clock.millis();
    }

    void at(long bytes) {
        if (!wanted) {
            return;
        }
        long now = clock.millis();
        if (now - started < QUIET_MILLIS || now - drawn < REDRAW_MILLIS) {
            return;
        }
        drawn = now;
        double part = Math.min(1, (double) bytes / total);
        int filled = (int) (part * WIDTH);
        long left = (long) ((now - started) * (1 - part) / Math.max(part, 0.001) / 1_000);
        err.printf(
                Locale.ROOT,
                "\r%s [%s%s] %3.0f %%  %d MiB of %d MiB  %d s left ",
                what,
                "#".repeat(filled),
                "-".repeat(WIDTH - filled),
                part * 100,
                bytes >> 20,
                total >> 20,
                left);
        err.flush();
    }

    @Override
    public void close() {
        if (drawn != 0) {
            err.print("\r\033[K");
            err.flush();
        }
    }
}
