package dev.mooring.api;

import java.time.Duration;

/**
 * Bounds on clients that an operator may want to change; {@link Limits} has the others.
 *
 * @param watches open at once
 * @param bodyTimeout for a request's body to arrive as a whole
 * @param idleTimeout for a connection without requests and watches
 * @param watchTick how often a watch is looked after: bookmarks, whether its user may still watch, whether it is still read
 */
public record ApiLimits(int watches, Duration bodyTimeout, Duration idleTimeout, Duration watchTick) {}
