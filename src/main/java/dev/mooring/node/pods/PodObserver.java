package dev.mooring.node.pods;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.node.container.ObservedContainer;
import dev.mooring.node.container.ObservedPod;
import dev.mooring.node.pods.PodPlannerInput.PlannedContainer;
import dev.mooring.node.probe.ProbeManager;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Collects the input of a Pod's status. */
final class PodObserver {
    private final PodObservations observations;
    private final World world;

    PodObserver(PodObservations observations, World world) {
        this.observations = observations;
        this.world = world;
    }

    /** Returns the effects that read the termination messages that the status needs and that were not read yet. */
    List<PodEffect> unreadMessages(PodPlannerInput input) {
        List<PodEffect> unread = new ArrayList<>();
        for (String list : ObservedContainer.Kind.SPECS) {
            for (JsonNode spec : input.pod().spec().path(list)) {
                input.cachedPod().of(spec.path("name").asText("")).stream()
                        .limit(2)
                        .filter(each -> each.state() == ContainerFacts.State.EXITED
                                && observations
                                        .terminationMessage(input.pod(), each)
                                        .isEmpty())
                        .forEach(each -> unread.add(new PodEffect.ReadTerminationMessage(input.pod(), spec, each)));
            }
        }
        return unread;
    }

    ObservedPod observe(PodPlannerInput input, PodPlan plan) {
        List<ObservedContainer> containers = new ArrayList<>();
        for (String list : ObservedContainer.Kind.SPECS) {
            for (PlannedContainer each : input.containers(list)) {
                containers.add(observeContainer(input, plan, each));
            }
        }
        return new ObservedPod(
                input.pod(),
                containers,
                input.sandbox(),
                input.volumes().unhealthy(),
                plan.failure(),
                nodeAddress(world, observations.node()),
                input.now());
    }

    private ObservedContainer observeContainer(PodPlannerInput input, PodPlan plan, PlannedContainer member) {
        List<ContainerFacts> facts = input.cachedPod().of(member.name());
        Optional<ContainerFacts> current = facts.stream().findFirst();
        Optional<ContainerFacts> previous = facts.stream().skip(1).findFirst();
        boolean live = member.isLive();
        ProbeManager.ProbeStatus verdict = live
                ? input.queries()
                        .probeStatus(member.spec(), current.orElseThrow().id())
                : new ProbeManager.ProbeStatus(false, false, Optional.empty());
        // A container counts as started after its postStart hook has ended.
        boolean hooked = live && !(input.cachedPod().isBusy(PodAction.slot(member.name())) && hasHook(member));
        return new ObservedContainer(
                member.spec(),
                member.kind(),
                current,
                previous,
                live ? Optional.empty() : plan.waiting(member.name()),
                verdict.started() && hooked,
                verdict.ready() && hooked,
                message(input.pod(), current),
                message(input.pod(), previous));
    }

    private static boolean hasHook(PlannedContainer member) {
        return member.spec().path("lifecycle").path("postStart").isObject();
    }

    private String message(Pod pod, Optional<ContainerFacts> facts) {
        return facts.filter(each -> each.state() == ContainerFacts.State.EXITED)
                .flatMap(each -> observations.terminationMessage(pod, each))
                .orElse("");
    }

    /** Returns the node's address; "" if unknown. */
    static String nodeAddress(World world, String node) {
        for (JsonNode each : world.get(Node.key(node))
                .map(Node::of)
                .map(found -> found.status().path("addresses"))
                .orElse(MissingNode.getInstance())) {
            if (each.path("type").asText("").equals("InternalIP")) {
                return each.path("address").asText("");
            }
        }
        return "";
    }
}
