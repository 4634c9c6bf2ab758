package dev.mooring.node.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.node.pod.PodLook.Member;
import dev.mooring.node.probe.Verdict;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Puts together what a Pod's status is made of. */
final class Sights {
    private final PodParts parts;
    private final World world;

    Sights(PodParts parts, World world) {
        this.parts = parts;
        this.world = world;
    }

    PodSight of(PodLook look, PodPlan plan) {
        List<ContainerSight> containers = new ArrayList<>();
        for (String list : List.of("initContainers", "containers")) {
            for (Member each : look.members(list)) {
                containers.add(sight(look, plan, each));
            }
        }
        return new PodSight(
                look.pod(),
                containers,
                look.sandbox(),
                look.volumes().unhealthy(),
                plan.failure(),
                nodeAddress(world, parts.node()),
                look.now());
    }

    private ContainerSight sight(PodLook look, PodPlan plan, Member member) {
        List<ContainerFacts> facts = look.page().of(member.name());
        Optional<ContainerFacts> current = facts.stream().findFirst();
        Optional<ContainerFacts> previous = facts.stream().skip(1).findFirst();
        boolean live = member.isLive();
        Verdict verdict = live
                ? look.outside().verdict(member.spec(), current.orElseThrow().id())
                : new Verdict(false, false, Optional.empty());
        // Until its postStart hook is through, a container has not begun.
        boolean hooked = live && !(look.page().isBusy(Step.slot(member.name())) && hasHook(member));
        return new ContainerSight(
                member.spec(),
                member.kind(),
                current,
                previous,
                live ? Optional.empty() : plan.waiting(member.name()),
                verdict.started() && hooked,
                verdict.ready() && hooked,
                message(look.pod(), member, current),
                message(look.pod(), member, previous));
    }

    private static boolean hasHook(Member member) {
        return member.spec().path("lifecycle").path("postStart").isObject();
    }

    private String message(Pod pod, Member member, Optional<ContainerFacts> facts) {
        return facts.filter(each -> each.state() == ContainerFacts.State.EXITED)
                .map(each -> parts.messages().of(pod, member.spec(), each))
                .orElse("");
    }

    /** "" if it is not known. */
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
