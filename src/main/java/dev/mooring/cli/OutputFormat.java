package dev.mooring.cli;

/** How a command prints. */
enum OutputFormat {
    TEXT,
    JSON
}
