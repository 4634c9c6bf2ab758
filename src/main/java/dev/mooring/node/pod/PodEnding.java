package dev.mooring.node.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.model.view.Pod;
import dev.mooring.node.pod.ContainerBook.Busy;
import dev.mooring.node.pod.PodLook.Member;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
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
    /** As a kubelet: what is asked to end at once, or has used up its time in a hook, still gets the time to do so by itself. */
    static final Duration LEAST = Duration.ofSeconds(2);

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
        List<ContainerFacts> containers = look.page().containers().values().stream()
                .flatMap(List::stream)
                .filter(each -> look.pod().isBeingDeleted() || isUnbegun(each))
                .toList();
        // Side by side: volumes need not wait until the network is gone.
        remove(Step.REMOVAL, containers);
        remove(Step.SANDBOX_REMOVAL, look.page().sandboxes());
    }

    private void remove(String slot, List<ContainerFacts> useless) {
        if (!useless.isEmpty()) {
            plan.step(new Step.Remove(slot, useless), look);
        }
    }

    /** Then it has no logs. */
    private static boolean isUnbegun(ContainerFacts facts) {
        return facts.state() == State.CREATED && facts.error().isEmpty();
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
        live.forEach(each -> stop(each.spec(), ((Standing.Live) each.standing()).facts(), end));
        List<ContainerFacts> strays = look.strays();
        strays.forEach(each -> stop(MissingNode.getInstance(), each, end));
        return !live.isEmpty() || !strays.isEmpty();
    }

    private List<Member> live(String list) {
        return new ArrayList<>(
                look.members(list).stream().filter(Member::isLive).toList());
    }

    private void stop(JsonNode spec, ContainerFacts live, Instant end) {
        String name = live.whose().container();
        Busy stopping = look.page().busy().get(Step.Stop.slot(name));
        if (stopping == null) {
            plan.step(new Step.Stop(spec, live, end, ""), look);
        } else if (stopping.end()
                .filter(each -> end.isBefore(each.minus(LEAST)))
                .isPresent()) {
            plan.step(new Step.Hasten(live, end), look);
        }
    }

    /** When the time of its containers is up. */
    private Instant end() {
        Optional<Instant> told =
                time(look.pod().metadata().path("deletionTimestamp").asText(""));
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
