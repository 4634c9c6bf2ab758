package dev.mooring.node.pod;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What is to be done about a Pod, and why what is not running is not. Filled by the planner, then only read. */
final class PodPlan {
    private final List<Step> steps = new ArrayList<>();
    private final Map<String, ContainerSight.Waiting> waiting = new LinkedHashMap<>();
    private Optional<PodSight.Failure> failure = Optional.empty();
    private Optional<Instant> next = Optional.empty();

    /** Has a step done, if nothing else is being done there and it is not too soon after it went wrong. */
    void step(Step step, PodLook look) {
        PodLook.Slot slot = look.slot(step.slot());
        if (!slot.free()) {
            return;
        }
        Optional<Instant> due = slot.trouble().flatMap(each -> each.due(look.now()));
        if (due.isPresent()) {
            lookAgain(due.get());
        } else {
            steps.add(step);
        }
    }

    void waits(String container, String reason, String message) {
        waiting.putIfAbsent(container, new ContainerSight.Waiting(reason, message));
    }

    void lookAgain(Instant when) {
        if (next.isEmpty() || when.isBefore(next.get())) {
            next = Optional.of(when);
        }
    }

    void fails(String reason, String message) {
        failure = Optional.of(new PodSight.Failure(reason, message));
    }

    /** To be begun now; they do not disturb one another. */
    List<Step> steps() {
        return steps;
    }

    Optional<ContainerSight.Waiting> waiting(String container) {
        return Optional.ofNullable(waiting.get(container));
    }

    Optional<PodSight.Failure> failure() {
        return failure;
    }

    /** When time alone changes something. */
    Optional<Instant> next() {
        return next;
    }
}
