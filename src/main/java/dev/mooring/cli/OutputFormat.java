package dev.mooring.cli;

/** Output format of a command. */
enum OutputFormat {
    TEXT,
    JSON
}
