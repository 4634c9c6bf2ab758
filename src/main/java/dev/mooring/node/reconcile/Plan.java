package dev.mooring.node.reconcile;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What is to be done about one volume, in this order, and what waits. A value, to be printed and compared.
 *
 * @param steps to be done now
 * @param waiting what is not done yet, and why
 * @param next when to look again even if nothing changes
 * @param ending whether the node has nothing to do with the volume any more
 */
public record Plan(List<Step> steps, List<String> waiting, Optional<Instant> next, Ending ending) {
    /** Whether the entry stays. */
    public enum Ending {
        STAYS,
        GOES
    }

    public Plan {
        steps = List.copyOf(steps);
        waiting = List.copyOf(waiting);
    }

    /** A line for each, as tests and people read it. */
    public String text() {
        StringBuilder text = new StringBuilder();
        steps.forEach(each -> text.append(each).append('\n'));
        waiting.forEach(each -> text.append("waits: ").append(each).append('\n'));
        next.ifPresent(each -> text.append("looks again at ").append(each).append('\n'));
        if (ending == Ending.GOES) {
            text.append("forget it: nothing is left of it\n");
        }
        return text.toString();
    }
}
