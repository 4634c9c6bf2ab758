package dev.mooring.sim;

import java.util.ArrayList;
import java.util.List;

/**
 * Collects violations of invariants. The code under test may catch exceptions, so violations are recorded here and
 * checked after each step.
 */
public final class InvariantViolations {
    private final List<InvariantViolation> all = new ArrayList<>();

    /**
     * One violation.
     *
     * @param invariant I1 to I11, or another constant name for this kind of violation
     */
    public record InvariantViolation(String invariant, String message) {
        @Override
        public String toString() {
            return invariant + ": " + message;
        }
    }

    public void report(String invariant, String message) {
        all.add(new InvariantViolation(invariant, message));
    }

    public void check(boolean holds, String invariant, String message) {
        if (!holds) {
            report(invariant, message);
        }
    }

    /** Returns the violations that a check reports, without keeping them. */
    public List<InvariantViolation> collect(Runnable check) {
        int before = all.size();
        check.run();
        List<InvariantViolation> found = List.copyOf(all.subList(before, all.size()));
        all.subList(before, all.size()).clear();
        return found;
    }

    public List<InvariantViolation> all() {
        return all;
    }

    public boolean isEmpty() {
        return all.isEmpty();
    }
}
