package dev.mooring.bench;

import dev.mooring.server.Terminal;

/** A progress line on stderr, if that is a terminal. */
final class ProgressLine {
    private final boolean shown = Terminal.stderrIsTerminal();
    private String prefix = "";

    void begin(String benchmark) {
        prefix = benchmark;
        show("");
    }

    void show(String what) {
        if (shown) {
            System.err.print("\r\033[K" + prefix + (what.isEmpty() ? "" : ": " + what));
            System.err.flush();
        }
    }

    void clear() {
        if (shown) {
            System.err.print("\r\033[K");
            System.err.flush();
        }
    }
}
