package dev.mooring.api.container;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How much of a log is wanted. Immutable.
 *
 * @param since nothing: from the beginning
 * @param tail how many of the last lines; nothing: all
 * @param timestamps whether each line begins with its time, in RFC 3339 with nine digits of fraction
 */
public record LogWish(Optional<Instant> since, OptionalLong tail, boolean follow, boolean timestamps) {}
