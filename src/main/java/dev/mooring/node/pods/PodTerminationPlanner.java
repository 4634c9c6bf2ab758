package dev.mooring.node.pods;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.model.view.Pod;
import dev.mooring.node.pods.ContainerCache.ActionInProgress;
import dev.mooring.node.pods.PodPlannerInput.PlannedContainer;
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
 * Decides how a deleted or finished Pod terminates: regular containers first, then sidecars in reverse order, then the
 * sandbox. The containers of a finished Pod stay until it is deleted, for their logs. Pure; any thread.
 */
final class PodTerminationPlanner {
    /**
     * The kubelet's minimum: applies with a grace period of zero, and when a preStop hook has used up the grace period.
     */
    static final Duration MIN_GRACE = Duration.ofSeconds(2);

    private static final Duration DEFAULT_GRACE = Duration.ofSeconds(30);

    private final PodPlannerInput input;
    private final PodPlan plan;

    PodTerminationPlanner(PodPlannerInput input, PodPlan plan) {
        this.input = input;
        this.plan = plan;
    }

    void decide() {
        if (stopAll()) {
            return;
        }
        if (!input.cachedPod().busy().isEmpty()) {
            return;
        }
        List<ContainerFacts> containers = input.cachedPod().containers().values().stream()
                .flatMap(List::stream)
                .filter(each -> input.pod().isBeingDeleted() || isNeverStarted(each))
                .toList();
        // In parallel: volumes need not wait for the network.
        remove(PodAction.REMOVAL, containers);
        remove(PodAction.SANDBOX_REMOVAL, input.cachedPod().sandboxes());
    }

    private void remove(String slot, List<ContainerFacts> useless) {
        if (!useless.isEmpty()) {
            plan.addAction(new PodAction.RemoveContainers(slot, useless), input);
        }
    }

    /** Returns whether a container has never started, and so has no logs. */
    private static boolean isNeverStarted(ContainerFacts facts) {
        return facts.state() == State.CREATED && facts.error().isEmpty();
    }

    /** Stops all running containers. Returns whether there are any. */
    boolean stopAll() {
        List<PlannedContainer> live = liveContainers("containers");
        live.addAll(liveContainers("ephemeralContainers"));
        if (live.isEmpty()) {
            live = liveContainers("initContainers");
            Collections.reverse(live);
            live = live.stream().limit(1).toList();
        }
        Instant end = deadline();
        live.forEach(each -> stop(each.spec(), ((ContainerPhase.Running) each.phase()).facts(), end));
        List<ContainerFacts> unexpected = input.unexpectedContainers();
        unexpected.forEach(each -> stop(MissingNode.getInstance(), each, end));
        return !live.isEmpty() || !unexpected.isEmpty();
    }

    private List<PlannedContainer> liveContainers(String list) {
        return new ArrayList<>(
                input.containers(list).stream().filter(PlannedContainer::isLive).toList());
    }

    private void stop(JsonNode spec, ContainerFacts live, Instant end) {
        String name = live.identity().container();
        ActionInProgress stopping = input.cachedPod().busy().get(PodAction.StopContainer.slot(name));
        if (stopping == null) {
            plan.addAction(new PodAction.StopContainer(spec, live, end, ""), input);
        } else if (stopping.deadline()
                .filter(each -> end.isBefore(each.minus(MIN_GRACE)))
                .isPresent()) {
            plan.addAction(new PodAction.ShortenGrace(live, end), input);
        }
    }

    /** Returns the end of the Pod's grace period. */
    private Instant deadline() {
        Optional<Instant> deadline =
                time(input.pod().metadata().path("deletionTimestamp").asText(""));
        Instant end = deadline.orElseGet(() -> input.now().plus(grace(input.pod())));
        Instant least = input.now().plus(MIN_GRACE);
        return end.isBefore(least) ? least : end;
    }

    static Duration grace(Pod pod) {
        return Duration.ofSeconds(
                Math.max(0, pod.spec().path("terminationGracePeriodSeconds").asLong(DEFAULT_GRACE.toSeconds())));
    }

    private static Optional<Instant> time(String text) {
        try {
            return Optional.of(Instant.parse(text));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }
}
