package dev.mooring.api;

import java.util.function.Supplier;

/**
 * One named line of {@code /readyz?verbose}.
 *
 * @param name lower case with dashes; also the path of the single check, {@code /readyz/NAME}
 * @param probe looks at state that is already known; runs on an event loop, so it must not block
 */
public record HealthCheck(String name, Kind kind, Supplier<Health> probe) {

    /** What a failing check means. */
    public enum Kind {
        /** Only a restart of the process helps. */
        LIVE,
        /** Not now, but perhaps soon. */
        READY
    }

    public static HealthCheck live(String name, Supplier<Health> probe) {
        return new HealthCheck(name, Kind.LIVE, probe);
    }

    public static HealthCheck ready(String name, Supplier<Health> probe) {
        return new HealthCheck(name, Kind.READY, probe);
    }

    /** A probe that throws is a failing one. */
    Health check() {
        try {
            return probe.get();
        } catch (RuntimeException e) {
            return Health.failing("the check itself failed: " + e);
        }
    }
}
