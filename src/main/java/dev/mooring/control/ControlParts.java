package dev.mooring.control;

import dev.mooring.world.Ledger;
import dev.mooring.world.WatchHub;
import io.micrometer.core.instrument.MeterRegistry;
import io.reactivex.rxjava3.core.Scheduler;
import java.time.Clock;

/**
 * What all controllers are connected to.
 *
 * @param reading runs the reading of events, which may touch the disk; shared by all, since each needs it only for moments
 * @param clock tells controllers what time it is; how long something waits is measured otherwise, so it may be set
 */
public record ControlParts(
        Ledger ledger, WatchHub hub, Scheduler reading, Clock clock, MeterRegistry meters, Backoff backoff) {}
