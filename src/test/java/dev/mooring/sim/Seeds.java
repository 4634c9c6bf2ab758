package dev.mooring.sim;

import java.util.Optional;

/** Lives by their seeds, for who only wants to know whether something is found. */
public final class Seeds {
    private Seeds() {}

    /** Nothing is logged from now on. */
    public static void quietly() {
        Quiet.please();
    }

    /** What one life finds, beginning with the invariant's name. */
    public static Optional<String> findingOf(long seed) {
        return new Life(Plan.of(seed)).live().finding().map(Findings.Finding::toString);
    }
}
