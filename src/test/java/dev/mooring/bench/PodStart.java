package dev.mooring.bench;

/**
 * How one Pod or container came to run.
 *
 * @param seen seconds until who asked for it knows
 * @param running seconds until it ran, by the engine's clock, which is this machine's
 */
record PodStart(String name, double seen, double running) {}
