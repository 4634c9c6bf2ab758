package dev.mooring.bench;

/**
 * Start of one Pod or container.
 *
 * @param seen seconds until the client knew
 * @param running seconds until it ran, by the engine's clock, which is this machine's
 */
record PodStart(String name, double seen, double running) {}
