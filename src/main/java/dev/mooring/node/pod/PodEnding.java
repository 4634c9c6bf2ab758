package dev.mooring.node.pod;

import dev.mooring.model.view.Pod;
import dev.mooring.node.pod.ContainerBook.Busy;
import dev.mooring.node.pod.PodLook.Member;
import dev.mooring.runtime.ContainerFacts;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Decides how a Pod ends that is deleted or has finished: first what does its work, then what serves that, the last first; then the sandbox. The
 * containers of a finished Pod stay, for their logs, until it is deleted. Pure; any thread.
 */
final class PodEnding {
    /** Before what was asked to end at once is ended by force, so that it is asked at all. */
    private static final Duration LEAST = Duration.ofSeconds(1);

    private static final Duration USUAL = Duration.ofSeconds(30);

    private final PodLook look;
    private final PodPlan plan;

    PodEnding(PodLook look, PodPlan plan) {
        this.look = look;
        this.plan = plan;
    }

    void decide() {
        if (stopAll()) {
            return;
        }
        if (!look.page().busy().isEmpty()) {
            return;
        }
        List<ContainerFacts> useless =
                look.pod().isBeingDeleted() ? look.page().all() : look.page().sandboxes();
        if (!useless.isEmpty()) {
            plan.step(new Step.Remove(useless));
        }
    }

    /** Ends what still runs. Whether there is any. */
    boolean stopAll() {
        List<Member> live = live("containers");
        if (live.isEmpty()) {
            live = live("initContainers");
            Collections.reverse(live);
            live = live.stream().limit(1).toList();
        }
        Instant end = end();
        live.forEach(each -> stop(each, end));
        return !live.isEmpty();
    }

    private List<Member> live(String list) {
        return new ArrayList<>(look.members(list).stream().filter(Member::isLive).toList());
    }

    private void stop(Member member, Instant end) {
        ContainerFacts live = ((Standing.Live) member.standing()).facts();
        if (member.slot().free()) {
            plan.step(new Step.Stop(member.spec(), live, end, ""));
            return;
        }
        Busy busy = look.page().busy().get(Step.slot(member.name()));
        boolean sooner = busy.end().filter(each -> end.isBefore(each.minus(LEAST))).isPresent();
        if (sooner && !look.page().isBusy(Step.Hasten.slot(member.name()))) {
            plan.step(new Step.Hasten(live, end));
        }
    }

    /** When the time of its containers is up. */
    private Instant end() {
        Optional<Instant> told = time(look.pod().metadata().path("deletionTimestamp").asText(""));
        Instant end = told.orElseGet(() -> look.now().plus(grace(look.pod())));
        Instant least = look.now().plus(LEAST);
        return end.isBefore(least) ? least : end;
    }

    static Duration grace(Pod pod) {
        return Duration.ofSeconds(
                Math.max(0, pod.spec().path("terminationGracePeriodSeconds").asLong(USUAL.toSeconds())));
    }

    private static Optional<Instant> time(String text) {
        try {
            return Optional.of(Instant.parse(text));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }
}
