package dev.mooring.api;

import java.util.Optional;
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

    /**
     * The result of a health check.
     *
     * @param problem empty if the check passes; else a message that is safe to show to any client that can reach the
     *     server
     */
    public record HealthResult(State state, Optional<String> problem) {
        private static final HealthResult OK = new HealthResult(State.OK, Optional.empty());

        /** Severity of a result. */
        public enum State {
            OK,
            /** One component does not work; the others do, and requests are served. */
            DEGRADED,
            /** The process must not receive requests. */
            FAILING
        }

        public static HealthResult ok() {
            return OK;
        }

        public static HealthResult degraded(String problem) {
            return new HealthResult(State.DEGRADED, Optional.of(problem));
        }

        public static HealthResult failing(String problem) {
            return new HealthResult(State.FAILING, Optional.of(problem));
        }

        public boolean isOk() {
            return state == State.OK;
        }

        /** Returns whether requests are still served. */
        public boolean isServing() {
            return state != State.FAILING;
        }
    }
}
