package dev.mooring.control.schedule;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.BindProposals;
import dev.mooring.control.Conditions;
import dev.mooring.control.Decision;
import dev.mooring.control.EventProposals;
import dev.mooring.control.protection.JointProposal;
import dev.mooring.model.Cause;
import dev.mooring.model.Draft;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
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
 * Reconciles one Pod: chooses its node and takes the next step towards it. The steps are: bind its claims to existing
 * volumes; select the node for claims whose volume must be provisioned; when all claims are bound, bind the Pod to the
 * node. The claims hold the progress, so reconciling again after any step continues from there.
 *
 * <p>Every proposal has all inputs of its decision as preconditions. Not thread-safe.
 */
final class Placement {
    static final String ACTOR = "default-scheduler";

    private static final String CONDITION = "PodScheduled";
    private static final String NO_NODES = "no nodes available to schedule pods";

    /**
     * How long an unbound claim of a new Pod is not reported; a claim applied together with its Pod is bound within
     * this time.
     */
    private static final Duration BINDING_GRACE = Duration.ofSeconds(5);

    /** Retry delay while decisions are in flight; by then they have been answered. */
    private static final Duration IN_FLIGHT_RETRY_DELAY = Duration.ofMillis(250);

    private final SchedulerCache cache;
    private final World world;
    private final Pod pod;
    private final Instant now;
    private final PodClaims claims;
    private final VolumeBinding volumes;

    Placement(SchedulerCache cache, World world, Pod pod, Instant now) {
        this.cache = cache;
        this.world = world;
        this.pod = pod;
        this.now = now;
        this.claims = PodClaims.of(world, pod);
        this.volumes = new VolumeBinding(world, claims, cache);
    }

    /** Schedules a Pod that has no node. */
    Decision schedule() {
        List<Node> nodes = nodes();
        Set<String> unbound = Set.copyOf(
                claims.classes().stream().map(UnschedulablePods::storageClass).toList());
        if (nodes.isEmpty()) {
            return unschedulable(NO_NODES, unbound);
        }
        Instant graceEnd = pod.created().plus(BINDING_GRACE);
        // A creation time in the future does not make a Pod new: the clock was set back.
        if (claims.bindingInProgress() && !now.isBefore(pod.created()) && now.isBefore(graceEnd)) {
            cache.unschedulablePods().put(pod.key(), unbound);
            return Decision.none().requeueAt(graceEnd, now);
        }
        if (claims.blockingReason().isPresent()) {
            return unschedulable(
                    Diagnosis.message(nodes.size(), claims.blockingReason().get()), unbound);
        }
        if (isClaimAssumedForOtherPod()) {
            return waitForInFlight(unbound);
        }
        VolumeRestrictions holders = VolumeRestrictions.of(world, pod.key(), claims.all(), cache.inFlight());
        NodeFilter rules = new NodeFilter(pod);
        Diagnosis diagnosis = new Diagnosis(nodes.size());
        Optional<FeasibleNode> best = bestNode(nodes, rules, holders, diagnosis);
        if (best.isPresent()) {
            return nextStep(best.get())
                    .orElseGet(() -> assignNode(best.get().node(), rules.needs(), holders.competingPods()));
        }
        if (diagnosis.isTemporary()) {
            return waitForInFlight(diagnosis.topics());
        }
        return unschedulable(diagnosis.message(), diagnosis.topics());
    }

    /** Reports the result of the same checks without a decision. */
    SchedulingReport report() {
        List<Node> nodes = nodes();
        if (nodes.isEmpty()) {
            return SchedulingReport.of(NO_NODES);
        }
        if (claims.blockingReason().isPresent()) {
            String message =
                    Diagnosis.message(nodes.size(), claims.blockingReason().get());
            return new SchedulingReport(Optional.empty(), message, List.of(), claims.blocking());
        }
        VolumeRestrictions holders = VolumeRestrictions.of(world, pod.key(), claims.all(), cache.inFlight());
        Diagnosis diagnosis = new Diagnosis(nodes.size());
        Optional<FeasibleNode> best = bestNode(nodes, new NodeFilter(pod), holders, diagnosis);
        List<ObjectKey> waiting =
                claims.waiting().stream().map(each -> each.claim().key()).toList();
        return new SchedulingReport(
                best.map(each -> each.node().name()),
                best.isPresent() ? "" : diagnosis.message(),
                diagnosis.unsuitable(),
                best.isPresent() ? waiting : List.of());
    }

    private List<Node> nodes() {
        return world.stream(Scope.resource(PodScheduler.NODES)).map(Node::of).toList();
    }

    /** Returns the best feasible node; if there is none, the diagnosis is complete. */
    private Optional<FeasibleNode> bestNode(
            List<Node> nodes, NodeFilter rules, VolumeRestrictions holders, Diagnosis diagnosis) {
        List<FeasibleNode> plans = new ArrayList<>();
        for (Node node : nodes) {
            NodeFilterResult outcome = filter(node, rules, holders);
            if (outcome instanceof FeasibleNode plan) {
                plans.add(plan);
            } else if (outcome instanceof UnschedulableReason reason) {
                diagnosis.add(node, reason);
            }
        }
        if (plans.isEmpty()) {
            volumes.missingNodeNotes(nodes).forEach(diagnosis::addNote);
        }
        return plans.stream().min(FeasibleNode.BEST_FIRST);
    }

    private NodeFilterResult filter(Node node, NodeFilter rules, VolumeRestrictions holders) {
        Optional<UnschedulableReason> refusal = rules.unschedulableReason(
                        node,
                        cache.allocated().of(node.name()),
                        cache.inFlight().allocation(node.name()))
                .or(() -> holders.unschedulableReason(node.name()));
        return refusal.isPresent() ? refusal.get() : volumes.check(node, rules.preferNoScheduleCount(node));
    }

    /**
     * Binds the claims of a Pod that was created with a node. That node is used for its claims, even if it is
     * infeasible. The Pod is not changed.
     */
    Decision bindClaims() {
        Set<String> topics = Set.copyOf(
                claims.classes().stream().map(UnschedulablePods::storageClass).toList());
        List<PodClaims.WaitingClaim> open = claims.waiting().stream()
                .filter(each -> volumes.selected(each.claim()).isEmpty())
                .toList();
        if (open.isEmpty()) {
            cache.unschedulablePods().remove(pod.key());
            return Decision.none();
        }
        if (isClaimAssumedForOtherPod()) {
            return waitForInFlight(topics);
        }
        Optional<Node> node = world.get(Node.key(pod.nodeName())).map(Node::of);
        if (node.isEmpty()) {
            return recordFailure("node \"" + pod.nodeName() + "\" not found", topics);
        }
        PodClaims openClaims = new PodClaims(List.of(), open, claims.classes(), Optional.empty(), List.of(), false);
        NodeFilterResult outcome = new VolumeBinding(world, openClaims, cache).check(node.get(), 0);
        if (outcome instanceof FeasibleNode plan) {
            return nextStep(plan).orElse(Decision.none());
        }
        UnschedulableReason reason = (UnschedulableReason) outcome;
        if (reason.temporary()) {
            return waitForInFlight(reason.topics());
        }
        Diagnosis diagnosis = new Diagnosis(1);
        diagnosis.add(node.get(), reason);
        return recordFailure(
                "volumes of a pod with spec.nodeName \"" + pod.nodeName() + "\" are not available there: "
                        + diagnosis.message(),
                reason.topics());
    }

    /**
     * Returns whether a claim is about to get a volume or a node because of another Pod; the result determines this
     * Pod's node.
     */
    private boolean isClaimAssumedForOtherPod() {
        return claims.waiting().stream().anyMatch(each -> cache.inFlight().isClaimAssumed(each.claim()));
    }

    /** Returns the next step before the Pod can be bound to the node; empty if there is none. */
    private Optional<Decision> nextStep(FeasibleNode plan) {
        cache.unschedulablePods().put(pod.key(), Set.of());
        if (!plan.matches().isEmpty()) {
            return Optional.of(bind(plan));
        }
        if (!plan.toProvision().isEmpty()) {
            return Optional.of(select(plan));
        }
        return plan.awaitsProvisioning() ? Optional.of(Decision.none()) : Optional.empty();
    }

    private Decision bind(FeasibleNode plan) {
        List<Proposal> proposals = new ArrayList<>();
        for (FeasibleNode.StaticBinding match : plan.matches()) {
            BindProposals.bind(match.volume(), match.claim(), ACTOR, now)
                    .map(proposal -> withExpectations(
                            proposal, List.of(pod.stored(), plan.node().stored())))
                    .ifPresent(proposals::add);
            cache.inFlight().bind(pod, match.claim(), match.volume());
        }
        return Decision.of(proposals);
    }

    private Decision select(FeasibleNode plan) {
        String node = plan.node().name();
        Instant due = plan.toProvision().stream()
                .map(each -> cache.provisioningFailures().notBefore(each.claim(), node, now))
                .max(Comparator.naturalOrder())
                .orElse(now);
        if (due.isAfter(now)) {
            return Decision.none().requeueAt(due, now);
        }
        List<Proposal> proposals = new ArrayList<>();
        for (PodClaims.WaitingClaim each : plan.toProvision()) {
            ObjectNode claim = each.claim().copy();
            claim.withObject("/metadata").withObject("/annotations").put(StorageNames.SELECTED_NODE, node);
            proposals.add(Proposal.by(ACTOR, "NodeSelected")
                    .because(pod.cause())
                    .replace(each.claim().stored(), Draft.of(each.claim().key(), claim))
                    .expect(each.storageClass().stored())
                    .expect(pod.stored())
                    .expect(plan.node().stored())
                    .build());
            cache.inFlight().select(pod, each, node);
        }
        return Decision.of(proposals);
    }

    private Decision assignNode(Node node, PodResourceRequest needs, List<StoredObject> competingPods) {
        ObjectNode placed = pod.copy();
        placed.withObject("/spec").put("nodeName", node.name());
        Conditions.put(placed, CONDITION, "True", "", "", now);
        Conditions.find(placed, CONDITION).ifPresent(condition -> condition.remove(List.of("reason", "message")));
        Proposal.Builder event = Proposal.by(ACTOR, "PodScheduled")
                .because(latest())
                .replace(pod.stored(), Draft.of(pod.key(), placed))
                .expect(node.stored());
        for (PodClaims.BoundClaim each : claims.bound()) {
            event.expect(each.claim().stored());
            each.volume().ifPresent(volume -> event.expect(volume.stored()));
        }
        competingPods.forEach(event::expect);
        String scheduledMessage = "Successfully assigned " + pod.namespace() + "/" + pod.name() + " to " + node.name();
        KubeEvent kubeEvent = KubeEvent.normal(
                KubeEvent.InvolvedObject.of(pod.tree()), EventReasons.SCHEDULED, scheduledMessage, ACTOR);
        cache.unschedulablePods().remove(pod.key());
        cache.inFlight().place(pod, node.name(), needs);
        return Decision.of(withEvent(event.build(), kubeEvent));
    }

    /** Returns the latest change that was a prerequisite. */
    private Cause latest() {
        long latest = pod.revision();
        for (Claim claim : claims.all()) {
            latest = Math.max(latest, claim.revision());
        }
        return Cause.revision(latest);
    }

    private Decision unschedulable(String message, Set<String> topics) {
        cache.unschedulablePods().put(pod.key(), topics);
        ObjectNode updated = pod.copy();
        if (!Conditions.put(updated, CONDITION, "False", "Unschedulable", message, now)) {
            return Decision.none();
        }
        Proposal event = Proposal.by(ACTOR, "PodUnschedulable")
                .because(pod.cause())
                .replace(pod.stored(), Draft.of(pod.key(), updated))
                .build();
        return Decision.of(withEvent(
                event,
                KubeEvent.warning(
                        KubeEvent.InvolvedObject.of(pod.tree()), EventReasons.FAILED_SCHEDULING, message, ACTOR)));
    }

    private Decision recordFailure(String message, Set<String> topics) {
        cache.unschedulablePods().put(pod.key(), topics);
        KubeEvent kubeEvent = KubeEvent.warning(
                KubeEvent.InvolvedObject.of(pod.tree()), EventReasons.FAILED_SCHEDULING, message, ACTOR);
        return Decision.of(EventProposals.recordEventOnce(world, kubeEvent, pod.cause(), now));
    }

    /** Decides nothing while decisions are in flight. */
    private Decision waitForInFlight(Set<String> topics) {
        cache.unschedulablePods().put(pod.key(), topics);
        cache.waitingForInFlight().add(pod.key());
        return Decision.none().requeueAfter(IN_FLIGHT_RETRY_DELAY);
    }

    /** Adds an Event to a proposal; one event may change objects of several resources. */
    private Proposal withEvent(Proposal event, KubeEvent kubeEvent) {
        return JointProposal.of(event, EventProposals.recordEvent(world, kubeEvent, event.cause(), now));
    }

    private Proposal withExpectations(Proposal event, List<StoredObject> seen) {
        List<Proposal.Expectation> expectations = new ArrayList<>(event.expectations());
        for (StoredObject each : seen) {
            expectations.add(new Proposal.Expectation(each.key(), each.revision()));
        }
        return new Proposal(event.type(), event.actor(), pod.cause(), event.writes(), expectations);
    }
}
