package dev.mooring.control.workloads;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Decision;
import dev.mooring.control.EventProposals;
import dev.mooring.control.ObjectDeleter;
import dev.mooring.model.Draft;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Builds the decisions of workload controllers. A step that creates or deletes a Pod also writes the workload's status,
 * in one event with the workload's revision as precondition: of two decisions on the same revision only one is
 * committed. Pure.
 */
final class PodSteps {
    /** When a Pod that was not allowed is tried again: what forbids it may be in another object. */
    private static final Duration RETRY = Duration.ofSeconds(15);

    private final World world;
    private final Workload workload;
    private final String actor;
    private final Instant now;

    PodSteps(World world, Workload workload, String actor, Instant now) {
        this.world = world;
        this.workload = workload;
        this.actor = actor;
        this.now = now;
    }

    /** Sets a number of a status; omits zero, as Kubernetes. */
    static void putCount(ObjectNode status, String field, int count) {
        if (count == 0) {
            status.remove(field);
        } else {
            status.put(field, count);
        }
    }

    /** Returns the Pods and a new one. */
    static List<Pod> with(List<Pod> pods, ObjectNode pod) {
        List<Pod> all = new ArrayList<>(pods);
        String namespace = pod.path("metadata").path("namespace").asText();
        String name = pod.path("metadata").path("name").asText();
        all.add(Pod.of(Draft.of(Pod.key(namespace, name), pod).at(0)));
        return all;
    }

    static List<Pod> without(List<Pod> pods, Pod pod) {
        return pods.stream().filter(each -> !each.equals(pod)).toList();
    }

    /**
     * Creates a Pod.
     *
     * @param pod admitted
     * @param next the workload with its status after the creation
     */
    Decision create(ObjectNode pod, ObjectNode next) {
        String name = pod.path("metadata").path("name").asText();
        return create(pod, next, "Created pod: " + name);
    }

    Decision create(ObjectNode pod, ObjectNode next, String message) {
        return Decision.of(joined(creation(pod, next), event(EventReasons.SUCCESSFUL_CREATE, message)));
    }

    private Proposal creation(ObjectNode pod, ObjectNode next) {
        String name = pod.path("metadata").path("name").asText();
        Proposal.Builder proposal = Proposal.by(actor, "PodCreated")
                .because(workload.cause())
                .within(Proposal.Allowance.USER)
                .create(Draft.of(Pod.key(workload.namespace(), name), pod))
                .replace(workload.stored(), Draft.of(workload.key(), next));
        world.get(ObjectKey.clusterWide("namespaces", workload.namespace())).ifPresent(proposal::expect);
        return proposal.build();
    }

    /** Deletes a Pod with its grace period. */
    Decision delete(Pod pod, ObjectNode next) {
        return delete(pod, next, "Deleted pod: " + pod.name());
    }

    Decision delete(Pod pod, ObjectNode next, String message) {
        Optional<Proposal> deletion = new ObjectDeleter(actor, workload.cause()).delete(pod.stored(), pod.copy(), now);
        return deletion.map(each ->
                        Decision.of(joined(withStatus(each, next), event(EventReasons.SUCCESSFUL_DELETE, message))))
                .orElseGet(() -> status(next));
    }

    /** Returns a proposal that also writes the workload. */
    Proposal withStatus(Proposal proposal, ObjectNode next) {
        List<Proposal.Write> writes = new ArrayList<>(proposal.writes());
        writes.add(new Proposal.Put(Draft.of(workload.key(), next)));
        return new Proposal(
                        proposal.type(),
                        proposal.actor(),
                        proposal.cause(),
                        writes,
                        proposal.expectations(),
                        proposal.allowance())
                .expecting(workload.stored());
    }

    /** Records that a Pod is not allowed, and tries again later. */
    Decision failedCreate(ObjectNode next, String message) {
        List<Proposal> proposals = new ArrayList<>(status(next).proposals());
        KubeEvent kubeEvent = KubeEvent.warning(
                KubeEvent.InvolvedObject.of(workload.tree()), EventReasons.FAILED_CREATE, message, actor);
        EventProposals.tellWithBackOff(world, kubeEvent, workload.cause(), now).ifPresent(proposals::add);
        return Decision.of(proposals).requeueAfter(RETRY);
    }

    /** Writes the status if it has changed. */
    Decision status(ObjectNode next) {
        return next.equals(workload.tree())
                ? Decision.none()
                : Decision.of(Proposal.by(actor, workload.kind() + "StatusUpdated")
                        .because(workload.cause())
                        .replace(workload.stored(), Draft.of(workload.key(), next))
                        .build());
    }

    /** Writes the status if it has changed, and reconciles again when the next ready Pod becomes available. */
    Decision status(ObjectNode next, List<Pod> pods) {
        Decision decision = status(next);
        return pods.stream()
                .flatMap(each -> each.availableFrom(workload.minReadySeconds()).stream())
                .filter(from -> from.isAfter(now))
                .min(Instant::compareTo)
                .map(from -> decision.requeueAt(from, now))
                .orElse(decision);
    }

    Optional<Proposal> event(String reason, String message) {
        KubeEvent kubeEvent = KubeEvent.normal(KubeEvent.InvolvedObject.of(workload.tree()), reason, message, actor);
        return EventProposals.recordEvent(world, kubeEvent, workload.cause(), now);
    }

    private static List<Proposal> joined(Proposal proposal, Optional<Proposal> event) {
        List<Proposal> all = new ArrayList<>(List.of(proposal));
        event.ifPresent(all::add);
        return all;
    }
}
