package dev.mooring.cli.supervise;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.util.random.RandomGenerator;

/** What a supervisor needs from outside. */
public record SupervisorParts(BackoffPolicy backoff, MeterRegistry meters, Clock clock, RandomGenerator random) {}
