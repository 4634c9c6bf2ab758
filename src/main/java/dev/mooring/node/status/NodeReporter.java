package dev.mooring.node.status;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Draft;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Keeps this machine's Node and Lease up to date. Returns the next proposal; the caller commits it and calls again
 * until there is none. Recreates a missing Node; keeps labels, taints and cordons that users have set on an existing
 * one.
 *
 * <p>Proposes nothing while nothing has changed. Therefore {@code lastHeartbeatTime} of a condition is the time of its
 * last change; the Lease has the time of the last heartbeat.
 *
 * <p>Pure, except for generated UIDs; any thread.
 */
public final class NodeReporter {
    /** The namespace of node Leases. */
    public static final String LEASE_NAMESPACE = "kube-node-lease";

    private static final String LEASES = "leases.coordination.k8s.io";
    private static final String NAMESPACES = "namespaces";
    private static final int LEASE_SECONDS = 40;

    /** Kubernetes' MicroTime always has six digits. */
    private static final DateTimeFormatter MICRO_TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private final String node;
    private final String version;
    private final Supplier<String> uids;
    private final Supplier<RuntimeStatusHolder.RuntimeStatus> engine;

    /** Creates a reporter for a node without containers. */
    public NodeReporter(String node, String version, Supplier<String> uids) {
        this(node, version, uids, RuntimeStatusHolder.RuntimeStatus.Disabled::new);
    }

    /**
     * Creates a reporter.
     *
     * @param node name of this node
     * @param version of Mooring, as {@code kubectl get nodes} shows it
     * @param uids generates UIDs for new objects
     * @param engine returns the current engine status
     */
    public NodeReporter(
            String node, String version, Supplier<String> uids, Supplier<RuntimeStatusHolder.RuntimeStatus> engine) {
        this.node = node;
        this.version = version;
        this.uids = uids;
        this.engine = engine;
    }

    public String node() {
        return node;
    }

    /** Returns the key of a node's Lease. */
    public static ObjectKey leaseOf(String node) {
        return ObjectKey.namespaced(LEASES, LEASE_NAMESPACE, node);
    }

    /** Returns the next proposal; empty if the World matches the machine. */
    public Optional<Proposal> next(World world, MachineFacts facts, Instant now) {
        Optional<StoredObject> found = world.get(Node.key(node));
        if (found.isEmpty()) {
            return Optional.of(register(world, facts, now));
        }
        Node seen = Node.of(found.get());
        if (seen.isBeingDeleted()) {
            return Optional.empty();
        }
        return report(world, seen, facts, now).or(() -> lease(world, seen, now));
    }

    private Proposal register(World world, MachineFacts facts, Instant now) {
        ObjectNode fresh = object("Node", "v1", node, now);
        fresh.putObject("spec");
        ObjectNode next = new NodeObjectBuilder(fresh, now).with(facts, version, engine.get());
        Proposal.Builder proposal = proposal("NodeRegistered").create(Draft.of(Node.key(node), next));
        return withReadyEvent(proposal, world, next, now).build();
    }

    private Optional<Proposal> report(World world, Node seen, MachineFacts facts, Instant now) {
        ObjectNode next = new NodeObjectBuilder(seen.copy(), now).with(facts, version, engine.get());
        if (next.equals(seen.tree())) {
            return Optional.empty();
        }
        Proposal.Builder proposal =
                proposal("NodeStatusReported").because(seen.cause()).replace(seen.stored(), Draft.of(seen.key(), next));
        boolean wasReady = NodeObjectBuilder.condition(seen.tree(), "Ready")
                .filter(ready -> ready.path("status").asText("").equals("True"))
                .isPresent();
        return Optional.of((wasReady ? proposal : withReadyEvent(proposal, world, next, now)).build());
    }

    /**
     * Adds an Event to the same transaction, so that it exists exactly if the change does. Adds none without a
     * namespace for it.
     */
    private Proposal.Builder withReadyEvent(Proposal.Builder proposal, World world, ObjectNode ready, Instant now) {
        String message = "Node " + node + " status is now: NodeReady";
        KubeEvent kubeEvent =
                KubeEvent.normal(KubeEvent.InvolvedObject.of(ready), EventReasons.NODE_READY, message, "mooring");
        Optional<StoredObject> home = kubeEvent
                .key()
                .namespace()
                .flatMap(name -> world.get(ObjectKey.clusterWide(NAMESPACES, name)))
                .filter(namespace -> !isTerminating(namespace));
        if (home.isEmpty()) {
            return proposal;
        }
        Optional<StoredObject> existing = world.get(kubeEvent.key());
        Draft event = kubeEvent.toEvent(existing, now, uids.get());
        existing.ifPresentOrElse(seen -> proposal.replace(seen, event), () -> proposal.create(event));
        return proposal.expect(home.get());
    }

    private static boolean isTerminating(StoredObject namespace) {
        return namespace.toTree().path("metadata").hasNonNull("deletionTimestamp");
    }

    private Optional<Proposal> lease(World world, Node seen, Instant now) {
        Optional<StoredObject> home = world.get(ObjectKey.clusterWide(NAMESPACES, LEASE_NAMESPACE));
        if (home.isEmpty()) {
            return Optional.of(namespace(now));
        }
        Optional<StoredObject> found = world.get(leaseOf(node));
        if (found.isEmpty()) {
            return isTerminating(home.get())
                    ? Optional.empty()
                    : Optional.of(proposal("LeaseCreated")
                            .because(seen.cause())
                            .create(Draft.of(leaseOf(node), newLease(seen, now)))
                            .expect(home.get())
                            .build());
        }
        ObjectNode lease = found.get().toTree();
        if (lease.path("spec").path("holderIdentity").asText("").equals(node)) {
            return Optional.empty();
        }
        lease.withObject("/spec").put("holderIdentity", node).put("renewTime", MICRO_TIME.format(now));
        return Optional.of(proposal("LeaseTaken")
                .replace(found.get(), Draft.of(leaseOf(node), lease))
                .build());
    }

    /** Creates a Lease owned by the node. */
    private ObjectNode newLease(Node owner, Instant now) {
        ObjectNode lease = object("Lease", "coordination.k8s.io/v1", node, now);
        ObjectNode metadata = lease.withObject("/metadata").put("namespace", LEASE_NAMESPACE);
        metadata.putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "v1")
                .put("kind", "Node")
                .put("name", node)
                .put("uid", owner.uid());
        lease.putObject("spec")
                .put("holderIdentity", node)
                .put("leaseDurationSeconds", LEASE_SECONDS)
                .put("renewTime", MICRO_TIME.format(now));
        return lease;
    }

    private Proposal namespace(Instant now) {
        ObjectNode namespace = object("Namespace", "v1", LEASE_NAMESPACE, now);
        namespace.withObject("/metadata/labels").put("kubernetes.io/metadata.name", LEASE_NAMESPACE);
        namespace.putObject("spec").putArray("finalizers").add("kubernetes");
        namespace.putObject("status").put("phase", "Active");
        return proposal("NamespaceCreated")
                .create(Draft.of(ObjectKey.clusterWide(NAMESPACES, LEASE_NAMESPACE), namespace))
                .build();
    }

    private ObjectNode object(String kind, String apiVersion, String name, Instant now) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("kind", kind).put("apiVersion", apiVersion);
        object.putObject("metadata")
                .put("name", name)
                .put("uid", uids.get())
                .put("creationTimestamp", now.truncatedTo(ChronoUnit.SECONDS).toString());
        return object;
    }

    private Proposal.Builder proposal(String type) {
        return Proposal.by("node/" + node, type);
    }
}
