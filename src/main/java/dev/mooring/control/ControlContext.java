package dev.mooring.control;

import dev.mooring.world.Ledger;
import dev.mooring.world.WatchHub;
import io.micrometer.core.instrument.MeterRegistry;
import io.reactivex.rxjava3.core.Scheduler;
import java.time.Clock;

/**
 * Dependencies shared by all controllers.
 *
 * @param readScheduler reads events, possibly from disk; shared, because each controller needs it only briefly
 * @param clock wall clock for controllers; delays are measured with a monotonic clock, so the wall clock may be
 *     adjusted
 */
public record ControlContext(
        Ledger ledger, WatchHub hub, Scheduler readScheduler, Clock clock, MeterRegistry meters, Backoff backoff) {}
