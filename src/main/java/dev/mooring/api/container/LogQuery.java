package dev.mooring.api.container;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The requested part of a log. Immutable.
 *
 * @param since start time; empty: from the beginning
 * @param tail number of last lines; empty: all
 * @param timestamps whether each line starts with its time, in RFC 3339 with nine fractional digits
 */
public record LogQuery(Optional<Instant> since, OptionalLong tail, boolean follow, boolean timestamps) {}
