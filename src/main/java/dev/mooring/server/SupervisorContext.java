package dev.mooring.server;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.util.random.RandomGenerator;

/** Dependencies of a supervisor. */
public record SupervisorContext(BackoffPolicy backoff, MeterRegistry meters, Clock clock, RandomGenerator random) {}
