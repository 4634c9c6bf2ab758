package dev.mooring.host;

import dev.mooring.model.OneLine;

/**
 * Exit code and output of a finished program; each text has at most {@link ChildProcess#MAX_OUTPUT} bytes. Immutable.
 */
public record CommandResult(int exitCode, String output, String stderr) {
    public boolean succeeded() {
        return exitCode == 0;
    }

    /** Returns stderr, or stdout if stderr is empty, on one line. */
    public String errorOrOutput() {
        String text = stderr.isBlank() ? output : stderr;
        return OneLine.of(text.strip());
    }
}
