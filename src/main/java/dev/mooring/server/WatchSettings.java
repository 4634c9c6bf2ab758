package dev.mooring.server;

/** Number and size of recent events that are kept in memory for watches; older ones are read from the log. */
public record WatchSettings(int bufferEvents, long bufferBytes) {}
