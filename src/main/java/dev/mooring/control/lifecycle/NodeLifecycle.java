package dev.mooring.control.lifecycle;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Conditions;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.Notices;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.Notice;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Says of nodes that have fallen silent that nothing is known of them, and gives nodes the taints that fit their conditions, as Kubernetes
 * shows them. Pods on a node that is not ready are no longer called ready. They are not evicted and not deleted, whatever
 * {@code NoExecute} would mean elsewhere: where a volume lies on a machine, a Pod has nowhere else to go, and whether its containers
 * have stopped, nobody knows. That a node is well again it says itself, and then the taints go.
 *
 * <p>A Node that has no conditions, no Lease and no beat is managed by nobody, and left alone.
 *
 * <p>Beats are not events, so a node is looked at when its last beat would be too old: while it beats, once in the grace period less
 * the time between two beats. One that is not heard of is not looked at again until something about it changes.
 */
public final class NodeLifecycle implements Controller {
    /** As Kubernetes has it: four beats may be lost. */
    public static final Duration DEFAULT_GRACE = Duration.ofSeconds(40);

    static final String LEASE_NAMESPACE = "kube-node-lease";

    private static final String NAME = "node-lifecycle-controller";
    private static final String NODES = "nodes";
    private static final String PODS = "pods";
    private static final String LEASES = "leases.coordination.k8s.io";
    private static final String READY = "Ready";
    private static final String NOT_READY = "NodeNotReady";
    private static final List<String> PRESSURES = List.of("MemoryPressure", "DiskPressure", "PIDPressure");

    private final Beats beats;
    private final Duration grace;
    private final Instant started;
    private final Map<String, Set<ObjectKey>> podsOfNodes = new HashMap<>();
    private final Set<String> notReady = new HashSet<>();

    /**
     * @param grace how old the last beat of a node may be
     * @param started since when beats are heard: beats before that may have been missed, so all nodes have their grace from then on
     */
    public NodeLifecycle(Beats beats, Duration grace, Instant started) {
        this.beats = beats;
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
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        switch (change.key().resource()) {
            case NODES -> {
                String node = change.key().name();
                if (!change.isRemoval() && Node.of(change.object()).isKnownNotReady()) {
                    notReady.add(node);
                } else {
                    notReady.remove(node);
                }
                wakes.now(change.key());
            }
            case PODS -> followPod(change, before, wakes);
            default -> wakes.now(Node.key(change.key().name()));
        }
    }

    private void followPod(Change change, Optional<StoredObject> before, Wakes wakes) {
        String node = Pod.of(change.object()).nodeName();
        String nodeBefore = before.map(Pod::of).map(Pod::nodeName).orElse("");
        if (change.isRemoval() || !node.equals(nodeBefore)) {
            Set<ObjectKey> pods = podsOfNodes.getOrDefault(nodeBefore, new HashSet<>());
            pods.remove(change.key());
            if (pods.isEmpty()) {
                podsOfNodes.remove(nodeBefore);
            }
        }
        if (!change.isRemoval() && !node.isEmpty()) {
            podsOfNodes.computeIfAbsent(node, unused -> new LinkedHashSet<>()).add(change.key());
            if (notReady.contains(node)) {
                wakes.now(Node.key(node));
            }
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<Node> found = world.get(key).map(Node::of).filter(node -> isManaged(world, node));
        if (found.isEmpty()) {
            return Decision.nothing();
        }
        Node node = found.get();
        Instant due = lastHeard(node).plus(grace);
        boolean silent = !now.isBefore(due);
        ObjectNode next = node.copy();
        boolean lost = silent && lose(next, now);
        boolean tainted = Taints.fit(next, now);
        List<Proposal> proposals = new ArrayList<>();
        if (lost || tainted) {
            proposals.add(changed(world, node, next, now));
        }
        if (isUnready(next)) {
            proposals.addAll(podsNotReady(world, node, now));
        }
        Decision decision = Decision.of(proposals);
        return silent ? decision : decision.lookAgainAt(due, now);
    }

    private boolean isManaged(World world, Node node) {
        return !node.status().path("conditions").isEmpty()
                || world.get(ObjectKey.namespaced(LEASES, LEASE_NAMESPACE, node.name()))
                        .isPresent()
                || beats.lastBeat(node.name()).isPresent();
    }

    /** A node that was just made has its time to begin, too. */
    private Instant lastHeard(Node node) {
        Instant begun = node.created().isAfter(started) ? node.created() : started;
        return beats.lastBeat(node.name()).filter(beat -> beat.isAfter(begun)).orElse(begun);
    }

    private static boolean isUnready(ObjectNode node) {
        String ready = Taints.status(node, READY);
        return !ready.isEmpty() && !ready.equals("True");
    }

    /** Takes back what the node said of itself; whether it had said anything. */
    private static boolean lose(ObjectNode node, Instant now) {
        boolean news = Conditions.find(node, READY).isPresent()
                ? lose(node, READY, now)
                : Conditions.put(
                        node, READY, "Unknown", "NodeStatusNeverUpdated", "Kubelet never posted node status.", now);
        for (String pressure : PRESSURES) {
            news |= Conditions.find(node, pressure).isPresent() && lose(node, pressure, now);
        }
        return news;
    }

    private static boolean lose(ObjectNode node, String condition, Instant now) {
        return !Taints.status(node, condition).equals("Unknown")
                && Conditions.put(
                        node, condition, "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.", now);
    }

    /** The Node as it is to be; that it is not ready any more is told in the same event. */
    private static Proposal changed(World world, Node node, ObjectNode next, Instant now) {
        boolean news = Taints.saysNotReady(next) && !Taints.saysNotReady(node.tree());
        Proposal changed = Proposal.by(NAME, news ? NOT_READY : "NodeTaintsChanged")
                .because(node.cause())
                .replace(node.stored(), Draft.of(node.key(), next))
                .build();
        if (!news) {
            return changed;
        }
        String message = "Node " + node.name() + " status is now: " + NOT_READY;
        Notice notice = Notice.normal(Notice.Involved.of(node.tree()), NOT_READY, message, NAME);
        return together(changed, Notices.tell(world, notice, node.cause(), now));
    }

    private List<Proposal> podsNotReady(World world, Node node, Instant now) {
        List<Proposal> proposals = new ArrayList<>();
        for (ObjectKey key : podsOfNodes.getOrDefault(node.name(), Set.of())) {
            world.get(key)
                    .filter(stored -> StoredJson.mentions(stored, READY))
                    .map(Pod::of)
                    .filter(pod -> pod.nodeName().equals(node.name()))
                    .filter(pod -> Taints.status(pod.tree(), READY).equals("True"))
                    .ifPresent(pod -> proposals.add(podNotReady(world, node, pod, now)));
        }
        return proposals;
    }

    private static Proposal podNotReady(World world, Node node, Pod pod, Instant now) {
        ObjectNode next = pod.copy();
        Conditions.put(next, READY, "False", NOT_READY, "Node " + node.name() + " is not ready", now);
        Proposal changed = Proposal.by(NAME, "PodNotReady")
                .because(node.cause())
                .replace(pod.stored(), Draft.of(pod.key(), next))
                .build();
        Notice notice = Notice.warning(Notice.Involved.of(pod.tree()), NOT_READY, "Node is not ready", NAME);
        return together(changed, Notices.tell(world, notice, node.cause(), now));
    }

    /** One event of two, so that what happened is told exactly if it did. */
    private static Proposal together(Proposal what, Optional<Proposal> telling) {
        if (telling.isEmpty()) {
            return what;
        }
        List<Proposal.Write> writes = new ArrayList<>(what.writes());
        writes.addAll(telling.get().writes());
        List<Proposal.Expectation> expectations = new ArrayList<>(what.expectations());
        expectations.addAll(telling.get().expectations());
        return new Proposal(what.type(), what.actor(), what.cause(), writes, expectations);
    }
}
