package dev.mooring.cli.config;

/** How many recent events stay in memory for watchers; older ones are read from the log. */
public record WatchSettings(int bufferEvents, long bufferBytes) {}
