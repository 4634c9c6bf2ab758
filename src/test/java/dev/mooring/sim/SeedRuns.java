package dev.mooring.sim;

import java.util.Optional;

/** Runs simulations by their seeds and returns only whether there was a violation. */
public final class SeedRuns {
    private SeedRuns() {}

    /** Suppresses logging from now on. */
    public static void suppressLogging() {
        SuppressedLogging.suppress();
    }

    /** Returns the violation of one run, starting with the name of the invariant. */
    public static Optional<String> violationOf(long seed) {
        return new SimulationRun(SimulationPlan.of(seed))
                .run()
                .violation()
                .map(InvariantViolations.InvariantViolation::toString);
    }
}
