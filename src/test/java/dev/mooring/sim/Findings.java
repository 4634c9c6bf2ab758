package dev.mooring.sim;

import java.util.ArrayList;
import java.util.List;

/** What must never happen and did. Code under test may swallow what is thrown at it, so findings are written down here and looked for after each step. */
public final class Findings {
    private final List<Finding> all = new ArrayList<>();

    /** @param invariant one of I1 to I10, or another word that stays the same however often this kind of thing is found */
    public record Finding(String invariant, String what) {
        @Override
        public String toString() {
            return invariant + ": " + what;
        }
    }

    public void report(String invariant, String what) {
        all.add(new Finding(invariant, what));
    }

    public void check(boolean holds, String invariant, String otherwise) {
        if (!holds) {
            report(invariant, otherwise);
        }
    }

    /** What somebody finds, without it counting. */
    public List<Finding> of(Runnable look) {
        int before = all.size();
        look.run();
        List<Finding> found = List.copyOf(all.subList(before, all.size()));
        all.subList(before, all.size()).clear();
        return found;
    }

    public List<Finding> all() {
        return all;
    }

    public boolean isEmpty() {
        return all.isEmpty();
    }
}
