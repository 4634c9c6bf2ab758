package dev.mooring.api;

import java.util.function.Supplier;

/**
 * A named check, one line of {@code /readyz?verbose}.
 *
 * @param name lower case with dashes; also the path of the single check, {@code /readyz/NAME}
 * @param probe evaluates cached state; runs on an event loop and must not block
 */
public record HealthCheck(String name, HealthCheckType type, Supplier<HealthResult> probe) {

    /** The effect of a failing check. */
    public enum HealthCheckType {
        /** Only a restart of the process helps. */
        LIVE,
        /** The process is temporarily unable to serve. */
        READY
    }

    public static HealthCheck live(String name, Supplier<HealthResult> probe) {
        return new HealthCheck(name, HealthCheckType.LIVE, probe);
    }

    public static HealthCheck ready(String name, Supplier<HealthResult> probe) {
        return new HealthCheck(name, HealthCheckType.READY, probe);
    }

    /** Runs the probe; an exception counts as a failure. */
    public HealthResult check() {
        try {
            return probe.get();
        } catch (RuntimeException e) {
            return HealthResult.failing("the check itself failed: " + e);
        }
    }
}
