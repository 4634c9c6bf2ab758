package dev.mooring.server;

/** Format, level and colours of log lines. */
public record LoggingSettings(Format format, LogLevel level, Color color) {

    /** Format of log lines. */
    public enum Format {
        TEXT,
        JSON
    }

    /** Minimum level of log lines. */
    public enum LogLevel {
        ERROR,
        WARN,
        INFO,
        DEBUG,
        TRACE
    }

    /** Colours of text lines: {@code AUTO} means on a terminal, unless {@code NO_COLOR} is set. */
    public enum Color {
        AUTO,
        ALWAYS,
        NEVER
    }
}
