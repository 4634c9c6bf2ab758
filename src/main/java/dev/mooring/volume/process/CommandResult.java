package dev.mooring.volume.process;

/** What a program that ended has said; each text at most {@link ChildProcess#MAX_OUTPUT} bytes of it. Immutable. */
public record CommandResult(int exit, String output, String errors) {
    public boolean succeeded() {
        return exit == 0;
    }

    /** What it complained about, or said if it complained about nothing. */
    public String words() {
        String said = errors.isBlank() ? output : errors;
        return said.strip();
    }
}
