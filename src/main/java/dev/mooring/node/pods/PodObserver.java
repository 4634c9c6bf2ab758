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
    private final PodContext context;
    private final World world;

    PodObserver(PodContext context, World world) {
        this.context = context;
        this.world = world;
    }

    ObservedPod observe(PodPlannerInput input, PodPlan plan) {
        List<ObservedContainer> containers = new ArrayList<>();
        for (String list : List.of("initContainers", "containers")) {
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
                nodeAddress(world, context.node()),
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
                message(input.pod(), member, current),
                message(input.pod(), member, previous));
    }

    private static boolean hasHook(PlannedContainer member) {
        return member.spec().path("lifecycle").path("postStart").isObject();
    }

    private String message(Pod pod, PlannedContainer member, Optional<ContainerFacts> facts) {
        return facts.filter(each -> each.state() == ContainerFacts.State.EXITED)
                .map(each -> context.messages().of(pod, member.spec(), each))
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
