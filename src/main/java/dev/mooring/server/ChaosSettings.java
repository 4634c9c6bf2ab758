package dev.mooring.server;

/** Whether fault injection is enabled. */
public record ChaosSettings(boolean enabled) {}
