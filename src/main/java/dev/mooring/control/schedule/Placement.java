package dev.mooring.control.schedule;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Conditions;
import dev.mooring.control.Decision;
import dev.mooring.control.Notices;
import dev.mooring.control.bind.Bind;
import dev.mooring.model.Cause;
import dev.mooring.model.Draft;
import dev.mooring.model.Notice;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One look at one Pod: chooses its node and does the next thing that brings it there. These are, one after another: its claims get volumes
 * that are there; the node is selected for those whose volume must be made; when all have one, the Pod gets its node. In between the claims
 * themselves say how far things are, so a look after any of these, by whomever, goes on from there.
 *
 * <p>Every proposal expects all it was decided upon to be as it was seen. For one thread.
 */
final class Placement {
    static final String ACTOR = "default-scheduler";

    private static final String CONDITION = "PodScheduled";
    private static final String FAILED = "FailedScheduling";
    private static final String NO_NODES = "no nodes available to schedule pods";

    /** After this, what is in flight has been answered or will be tried again. */
    private static final Duration FLIGHT = Duration.ofMillis(250);

    private final Knowledge knowledge;
    private final World world;
    private final Pod pod;
    private final Instant now;
    private final PodClaims claims;
    private final VolumeRules volumes;

    Placement(Knowledge knowledge, World world, Pod pod, Instant now) {
        this.knowledge = knowledge;
        this.world = world;
        this.pod = pod;
        this.now = now;
        this.claims = PodClaims.of(world, pod);
        this.volumes = new VolumeRules(world, claims, knowledge);
    }

    /** For a Pod that is to get a node. */
    Decision choose() {
        List<Node> nodes = knowledge.nodes().of(world);
        Set<String> unbound =
                Set.copyOf(claims.classes().stream().map(Backlog::storageClass).toList());
        if (nodes.isEmpty()) {
            return unschedulable(NO_NODES, unbound);
        }
        if (claims.refusal().isPresent()) {
            return unschedulable(
                    Diagnosis.message(nodes.size(), claims.refusal().get()), unbound);
        }
        if (isServedForAnother()) {
            return hold(unbound);
        }
        Holders holders = Holders.of(world, pod.key(), claims.all(), knowledge.pods(), knowledge.inFlight());
        NodeRules rules = new NodeRules(pod);
        Diagnosis diagnosis = new Diagnosis(nodes.size());
        List<Plan> plans = new ArrayList<>();
        for (Node node : nodes) {
            NodeOutcome outcome = look(node, rules, holders);
            if (outcome instanceof Plan plan) {
                plans.add(plan);
            } else if (outcome instanceof Reason reason) {
                diagnosis.add(reason);
            }
        }
        Optional<Plan> best = plans.stream().min(Plan.BEST_FIRST);
        if (best.isPresent()) {
            return next(best.get()).orElseGet(() -> place(best.get().node(), rules.needs(), holders.rivals()));
        }
        if (diagnosis.isPassing()) {
            return hold(diagnosis.topics());
        }
        volumes.stranded(nodes).forEach(diagnosis::remark);
        return unschedulable(diagnosis.message(), diagnosis.topics());
    }

    private NodeOutcome look(Node node, NodeRules rules, Holders holders) {
        Optional<Reason> refusal = rules.refusal(
                        node,
                        knowledge.pods().use(node.name()),
                        knowledge.inFlight().use(node.name()))
                .or(() -> holders.refusal(node.name()));
        return refusal.isPresent() ? refusal.get() : volumes.look(node, rules.dislikes(node));
    }

    /** For a Pod that came with a node: that is the one for its claims, whatever else speaks against it. The Pod is left alone. */
    Decision serve() {
        Set<String> topics =
                Set.copyOf(claims.classes().stream().map(Backlog::storageClass).toList());
        List<PodClaims.Waiting> open = claims.waiting().stream()
                .filter(each -> volumes.selected(each.claim()).isEmpty())
                .toList();
        if (open.isEmpty()) {
            knowledge.backlog().remove(pod.key());
            return Decision.nothing();
        }
        if (isServedForAnother()) {
            return hold(topics);
        }
        Optional<Node> node = knowledge.nodes().of(world).stream()
                .filter(each -> each.name().equals(pod.nodeName()))
                .findFirst();
        if (node.isEmpty()) {
            return complain("node \"" + pod.nodeName() + "\" not found", topics);
        }
        PodClaims still = new PodClaims(List.of(), open, claims.classes(), Optional.empty());
        NodeOutcome outcome = new VolumeRules(world, still, knowledge).look(node.get(), 0);
        if (outcome instanceof Plan plan) {
            return next(plan).orElse(Decision.nothing());
        }
        Reason reason = (Reason) outcome;
        if (reason.passing()) {
            return hold(reason.topics());
        }
        Diagnosis diagnosis = new Diagnosis(1);
        diagnosis.add(reason);
        return complain(
                "the volumes of a pod that was given node \"" + pod.nodeName() + "\" cannot be there: "
                        + diagnosis.message(),
                reason.topics());
    }

    /** Whether a claim is about to get a volume or a node because of another Pod: what comes of it decides about this one. */
    private boolean isServedForAnother() {
        return claims.waiting().stream().anyMatch(each -> knowledge.inFlight().isServed(each.claim()));
    }

    /** What is to be done before the Pod can be on the node; nothing if it can. */
    private Optional<Decision> next(Plan plan) {
        knowledge.backlog().put(pod.key(), Set.of());
        if (!plan.matches().isEmpty()) {
            return Optional.of(bind(plan));
        }
        if (!plan.toMake().isEmpty()) {
            return Optional.of(select(plan));
        }
        return plan.isAwaited() ? Optional.of(Decision.nothing()) : Optional.empty();
    }

    private Decision bind(Plan plan) {
        List<Proposal> proposals = new ArrayList<>();
        for (Plan.Match match : plan.matches()) {
            Bind.proposal(match.volume(), match.claim(), ACTOR, now)
                    .map(proposal ->
                            also(proposal, List.of(pod.stored(), plan.node().stored())))
                    .ifPresent(proposals::add);
            knowledge.inFlight().bind(pod, match.claim(), match.volume());
        }
        return Decision.of(proposals);
    }

    private Decision select(Plan plan) {
        String node = plan.node().name();
        Instant due = plan.toMake().stream()
                .map(each -> knowledge.setbacks().notBefore(each.claim(), node, now))
                .max(Comparator.naturalOrder())
                .orElse(now);
        if (due.isAfter(now)) {
            return Decision.nothing().lookAgainAt(due, now);
        }
        List<Proposal> proposals = new ArrayList<>();
        for (PodClaims.Waiting each : plan.toMake()) {
            ObjectNode claim = each.claim().copy();
            claim.withObject("/metadata").withObject("/annotations").put(StorageNames.SELECTED_NODE, node);
            proposals.add(Proposal.by(ACTOR, "NodeSelected")
                    .because(pod.cause())
                    .replace(each.claim().stored(), Draft.of(each.claim().key(), claim))
                    .expect(each.storageClass().stored())
                    .expect(pod.stored())
                    .expect(plan.node().stored())
                    .build());
            knowledge.inFlight().select(pod, each, node);
        }
        return Decision.of(proposals);
    }

    private Decision place(Node node, Needs needs, List<StoredObject> rivals) {
        ObjectNode placed = pod.copy();
        placed.withObject("/spec").put("nodeName", node.name());
        Conditions.put(placed, CONDITION, "True", "", "", now);
        Conditions.find(placed, CONDITION).ifPresent(condition -> condition.remove(List.of("reason", "message")));
        Proposal.Builder event = Proposal.by(ACTOR, "PodScheduled")
                .because(latest())
                .replace(pod.stored(), Draft.of(pod.key(), placed))
                .expect(node.stored());
        for (PodClaims.Bound each : claims.bound()) {
            event.expect(each.claim().stored());
            each.volume().ifPresent(volume -> event.expect(volume.stored()));
        }
        rivals.forEach(event::expect);
        String words = "Successfully assigned " + pod.namespace() + "/" + pod.name() + " to " + node.name();
        Notice notice = Notice.normal(Notice.Involved.of(pod.tree()), "Scheduled", words, ACTOR);
        knowledge.backlog().remove(pod.key());
        knowledge.inFlight().place(pod, node.name(), needs);
        return Decision.of(told(event.build(), notice));
    }

    /** The last thing that had to happen. */
    private Cause latest() {
        long latest = pod.revision();
        for (Claim claim : claims.all()) {
            latest = Math.max(latest, claim.revision());
        }
        return Cause.revision(latest);
    }

    private Decision unschedulable(String message, Set<String> topics) {
        knowledge.backlog().put(pod.key(), topics);
        ObjectNode told = pod.copy();
        if (!Conditions.put(told, CONDITION, "False", "Unschedulable", message, now)) {
            return Decision.nothing();
        }
        Proposal event = Proposal.by(ACTOR, "PodUnschedulable")
                .because(pod.cause())
                .replace(pod.stored(), Draft.of(pod.key(), told))
                .build();
        return Decision.of(told(event, Notice.warning(Notice.Involved.of(pod.tree()), FAILED, message, ACTOR)));
    }

    private Decision complain(String message, Set<String> topics) {
        knowledge.backlog().put(pod.key(), topics);
        Notice notice = Notice.warning(Notice.Involved.of(pod.tree()), FAILED, message, ACTOR);
        return Decision.of(Notices.tellOnce(world, notice, pod.cause(), now));
    }

    /** Too early to say anything. */
    private Decision hold(Set<String> topics) {
        knowledge.backlog().put(pod.key(), topics);
        knowledge.onHold().add(pod.key());
        return Decision.nothing().lookAgainAfter(FLIGHT);
    }

    /** An event that also tells of itself: a Pod and an Event are of different resources, so one event may change both. */
    private Proposal told(Proposal event, Notice notice) {
        Optional<Proposal> telling = Notices.tell(world, notice, event.cause(), now);
        if (telling.isEmpty()) {
            return event;
        }
        List<Proposal.Write> writes = new ArrayList<>(event.writes());
        writes.addAll(telling.get().writes());
        List<Proposal.Expectation> expectations = new ArrayList<>(event.expectations());
        expectations.addAll(telling.get().expectations());
        return new Proposal(event.type(), event.actor(), event.cause(), writes, expectations);
    }

    private Proposal also(Proposal event, List<StoredObject> seen) {
        List<Proposal.Expectation> expectations = new ArrayList<>(event.expectations());
        for (StoredObject each : seen) {
            expectations.add(new Proposal.Expectation(each.key(), each.revision()));
        }
        return new Proposal(event.type(), event.actor(), pod.cause(), event.writes(), expectations);
    }
}
