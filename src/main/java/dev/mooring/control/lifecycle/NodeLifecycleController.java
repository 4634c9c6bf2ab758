package dev.mooring.control.lifecycle;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Conditions;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.EventProposals;
import dev.mooring.control.protection.JointProposal;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.world.Indexes;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The node lifecycle controller: sets the conditions of nodes without heartbeat to Unknown and maintains the taints
 * that correspond to node conditions. Pods on a node that is not ready lose their Ready condition. They are neither
 * evicted nor deleted, despite {@code NoExecute}: a Pod with a local volume cannot run elsewhere, and it is unknown
 * whether its containers have stopped. The node itself reports that it is ready again, and then the taints are removed.
 *
 * <p>A Node without conditions, Lease and heartbeat is not managed by an agent, and is ignored.
 *
 * <p>Heartbeats are not events, so a node is reconciled when its last heartbeat would expire: for a healthy node once
 * per grace period less the heartbeat interval. A node without heartbeat is not reconciled again until it changes.
 */
public final class NodeLifecycleController implements Controller {
    /** Kubernetes' default: four heartbeats may be lost. */
    public static final Duration DEFAULT_GRACE = Duration.ofSeconds(40);

    static final String LEASE_NAMESPACE = "kube-node-lease";

    private static final String NAME = "node-lifecycle-controller";
    private static final String NODES = "nodes";
    private static final String PODS = "pods";
    private static final String LEASES = "leases.coordination.k8s.io";
    private static final String READY = "Ready";
    private static final String NOT_READY = "NodeNotReady";
    private static final List<String> PRESSURES = List.of("MemoryPressure", "DiskPressure", "PIDPressure");

    private final NodeHeartbeats heartbeats;
    private final Duration grace;
    private final Instant started;

    /**
     * @param grace maximum age of a node's last heartbeat
     * @param started when this server began to receive heartbeats; every node gets the full grace period from then on
     */
    public NodeLifecycleController(NodeHeartbeats heartbeats, Duration grace, Instant started) {
        this.heartbeats = heartbeats;
        this.grace = grace;
        this.started = started;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(Scope.resource(NODES), Scope.namespace(LEASES, LEASE_NAMESPACE), Scope.resource(PODS));
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        switch (change.key().resource()) {
            case PODS -> {
                if (!change.isRemoval()) {
                    Optional.of(Pod.of(change.object()))
                            .filter(Pod::isScheduled)
                            .flatMap(pod -> world.get(Node.key(pod.nodeName())))
                            .filter(node -> Node.of(node).isKnownNotReady())
                            .ifPresent(node -> queue.enqueue(node.key()));
                }
            }
            default -> queue.enqueue(Node.key(change.key().name()));
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<Node> found = world.get(key).map(Node::of).filter(node -> isManaged(world, node));
        if (found.isEmpty()) {
            return Decision.none();
        }
        Node node = found.get();
        Instant due = lastHeard(node).plus(grace);
        boolean silent = !now.isBefore(due);
        ObjectNode next = node.copy();
        boolean lost = silent && markUnknown(next, now);
        boolean tainted = Taints.update(next, now);
        List<Proposal> proposals = new ArrayList<>();
        if (lost || tainted) {
            proposals.add(changed(world, node, next, now));
        }
        if (isUnready(next)) {
            proposals.addAll(podsNotReady(world, node, now));
        }
        Decision decision = Decision.of(proposals);
        return silent ? decision : decision.requeueAt(due, now);
    }

    private boolean isManaged(World world, Node node) {
        return !node.status().path("conditions").isEmpty()
                || world.get(ObjectKey.namespaced(LEASES, LEASE_NAMESPACE, node.name()))
                        .isPresent()
                || heartbeats.lastHeartbeat(node.name()).isPresent();
    }

    /** Returns the last heartbeat, but not before the node's creation or the server's start. */
    private Instant lastHeard(Node node) {
        Instant earliest = node.created().isAfter(started) ? node.created() : started;
        return heartbeats
                .lastHeartbeat(node.name())
                .filter(beat -> beat.isAfter(earliest))
                .orElse(earliest);
    }

    private static boolean isUnready(ObjectNode node) {
        String ready = Taints.status(node, READY);
        return !ready.isEmpty() && !ready.equals("True");
    }

    /** Sets the node's conditions to Unknown. Returns whether anything changed. */
    private static boolean markUnknown(ObjectNode node, Instant now) {
        boolean isChanged = Conditions.find(node, READY).isPresent()
                ? markUnknown(node, READY, now)
                : Conditions.put(
                        node, READY, "Unknown", "NodeStatusNeverUpdated", "Kubelet never posted node status.", now);
        for (String pressure : PRESSURES) {
            isChanged |= Conditions.find(node, pressure).isPresent() && markUnknown(node, pressure, now);
        }
        return isChanged;
    }

    private static boolean markUnknown(ObjectNode node, String condition, Instant now) {
        return !Taints.status(node, condition).equals("Unknown")
                && Conditions.put(
                        node, condition, "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.", now);
    }

    /** Returns the event that updates the Node and, if it became not ready, records the Event. */
    private static Proposal changed(World world, Node node, ObjectNode next, Instant now) {
        boolean isChanged = Taints.hasNotReadyTaint(next) && !Taints.hasNotReadyTaint(node.tree());
        Proposal changed = Proposal.by(NAME, isChanged ? NOT_READY : "NodeTaintsChanged")
                .because(node.cause())
                .replace(node.stored(), Draft.of(node.key(), next))
                .build();
        if (!isChanged) {
            return changed;
        }
        String message = "Node " + node.name() + " status is now: " + NOT_READY;
        KubeEvent kubeEvent =
                KubeEvent.normal(KubeEvent.InvolvedObject.of(node.tree()), EventReasons.NODE_NOT_READY, message, NAME);
        return JointProposal.of(changed, EventProposals.recordEvent(world, kubeEvent, node.cause(), now));
    }

    private static List<Proposal> podsNotReady(World world, Node node, Instant now) {
        return world.find(Indexes.PODS_BY_NODE, node.name()).stream()
                .filter(stored -> stored.containsText(READY))
                .map(Pod::of)
                .filter(pod -> Taints.status(pod.tree(), READY).equals("True"))
                .map(pod -> podNotReady(world, node, pod, now))
                .toList();
    }

    private static Proposal podNotReady(World world, Node node, Pod pod, Instant now) {
        ObjectNode next = pod.copy();
        Conditions.put(next, READY, "False", NOT_READY, "Node " + node.name() + " is not ready", now);
        Proposal changed = Proposal.by(NAME, "PodNotReady")
                .because(node.cause())
                .replace(pod.stored(), Draft.of(pod.key(), next))
                .build();
        KubeEvent kubeEvent = KubeEvent.warning(
                KubeEvent.InvolvedObject.of(pod.tree()), EventReasons.NODE_NOT_READY, "Node is not ready", NAME);
        return JointProposal.of(changed, EventProposals.recordEvent(world, kubeEvent, node.cause(), now));
    }
}
