package dev.mooring.cli.config;

/** What log lines look like and which are written. */
public record LoggingSettings(Format format, Level level, Color color) {

    /** Lines for people or for machines. */
    public enum Format {
        TEXT,
        JSON
    }

    /** The least important kind of line that is written. */
    public enum Level {
        ERROR,
        WARN,
        INFO,
        DEBUG,
        TRACE
    }

    /** Colours in text lines: {@code AUTO} means on a terminal, unless {@code NO_COLOR} is set. */
    public enum Color {
        AUTO,
        ALWAYS,
        NEVER
    }
}
