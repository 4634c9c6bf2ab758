package dev.mooring.cli.config;

/** Whether faults can be had on demand. */
public record ChaosSettings(boolean enabled) {}
