package dev.mooring.control.workloads;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.MultiControllerFixture;
import dev.mooring.control.WorldFixture;
import dev.mooring.control.lifecycle.GarbageCollector;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Pod;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs the controllers of workloads through random interleavings, while controllers are killed, Pods fail and templates
 * change, and checks every event. Injected faults show that the checks can fail.
 */
class WorkloadRacesTest {
    private static final int SEEDS = 60;
    private static final int STEPS = 500;
    private static final int REPLICAS = 4;

    private static final String WORLD = """
        {kind: Namespace, metadata: {name: ns}}
        ---
        {apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: ns, generation: 1},
         spec: {replicas: 4, selector: {matchLabels: {app: web}}, progressDeadlineSeconds: 600,
                strategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 1, maxSurge: 1}},
                template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: v0}]}}}}
        ---
        {apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, namespace: ns, generation: 1},
         spec: {replicas: 3, selector: {matchLabels: {app: db}},
                template: {metadata: {labels: {app: db}}, spec: {containers: [{name: c, image: v0}]}}}}
        """;

    /** A fault: what a controller's proposals lack. */
    private enum RemovedGuard {
        REPLICA_SET_CREATES_WITHOUT_ITS_STATUS("replicaset-controller", "PodCreated") {
            @Override
            Proposal apply(Proposal proposal) {
                return without(proposal, "replicasets.apps");
            }
        },
        REPLICA_SET_DELETES_WITHOUT_ITS_STATUS("replicaset-controller", "Pod") {
            @Override
            Proposal apply(Proposal proposal) {
                return proposal.type().equals("PodCreated") ? proposal : without(proposal, "replicasets.apps");
            }
        },
        DEPLOYMENT_IGNORES_CHANGED_PODS("deployment-controller", "ReplicaSetScaled") {
            @Override
            Proposal apply(Proposal proposal) {
                return withoutExpectations(proposal, Set.of("pods"));
            }
        },
        DEPLOYMENT_IGNORES_CHANGED_REPLICA_SETS("deployment-controller", "ReplicaSet") {
            @Override
            Proposal apply(Proposal proposal) {
                return withoutExpectations(proposal, Set.of("replicasets.apps", "deployments.apps", "pods"));
            }
        },
        STATEFUL_SET_IGNORES_CHANGED_PODS("statefulset-controller", "Pod") {
            @Override
            Proposal apply(Proposal proposal) {
                return withoutExpectations(without(proposal, "statefulsets.apps"), Set.of("pods"));
            }
        };

        private final String actor;
        private final String type;

        RemovedGuard(String actor, String type) {
            this.actor = actor;
            this.type = type;
        }

        abstract Proposal apply(Proposal proposal);

        Proposal inject(Proposal proposal) {
            return proposal.actor().equals(actor) && proposal.type().startsWith(type) ? apply(proposal) : proposal;
        }

        /** Removes the write of the owner and its precondition. */
        private static Proposal without(Proposal proposal, String resource) {
            return new Proposal(
                    proposal.type(),
                    proposal.actor(),
                    proposal.cause(),
                    proposal.writes().stream()
                            .filter(each -> !each.key().resource().equals(resource))
                            .toList(),
                    proposal.expectations().stream()
                            .filter(each -> !each.key().resource().equals(resource))
                            .toList(),
                    proposal.allowance());
        }

        /** Removes preconditions on objects that the proposal does not write. */
        private static Proposal withoutExpectations(Proposal proposal, Set<String> resources) {
            Set<ObjectKey> written = new HashSet<>();
            proposal.writes().forEach(each -> written.add(each.key()));
            return new Proposal(
                    proposal.type(),
                    proposal.actor(),
                    proposal.cause(),
                    proposal.writes(),
                    proposal.expectations().stream()
                            .filter(each -> written.contains(each.key())
                                    || !resources.contains(each.key().resource()))
                            .toList(),
                    proposal.allowance());
        }
    }

    /** A controller whose proposals are changed. */
    private record FaultyController(Controller controller, UnaryOperator<Proposal> fault) implements Controller {
        @Override
        public String name() {
            return controller.name();
        }

        @Override
        public List<Scope> scopes() {
            return controller.scopes();
        }

        @Override
        public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
            controller.onChange(change, before, world, queue);
        }

        @Override
        public Decision reconcile(World world, ObjectKey key, Instant now) {
            Decision decision = controller.reconcile(world, key, now);
            return new Decision(
                    decision.proposals().stream().map(fault).toList(), decision.effects(), decision.requeueAfter());
        }
    }

    /** One run of a seed, with the violations it found. */
    private static final class Run {
        private final Random random;
        private final MultiControllerFixture run;
        private final List<String> violations = new ArrayList<>();

        Run(long seed, UnaryOperator<Proposal> fault) {
            this.random = new Random(seed);
            List<Supplier<Controller>> controllers = List.of(
                    () -> new FaultyController(new ReplicaSetController(WorkloadFixture.ADMISSION), fault),
                    () -> new FaultyController(new DeploymentController(), fault),
                    () -> new FaultyController(new StatefulSetController(WorkloadFixture.ADMISSION), fault),
                    GarbageCollector::new);
            this.run = new MultiControllerFixture(WorldFixture.of(WORLD), controllers);
            run.observe(this::check);
        }

        List<String> violations() {
            for (int i = 0; i < STEPS && violations.isEmpty(); i++) {
                int choice = random.nextInt(100);
                if (choice < 80) {
                    run.step(random);
                } else if (choice < 95) {
                    pods().stream().skip(random.nextInt(8)).findFirst().ifPresent(this::work);
                } else if (choice < 97) {
                    template(random.nextBoolean() ? "deployments.apps/ns/web" : "statefulsets.apps/ns/db");
                } else {
                    run.restart(random.nextInt(3));
                }
            }
            return violations;
        }

        private List<Pod> pods() {
            return run.world().stream(Scope.resource("pods")).map(Pod::of).toList();
        }

        /** Lets the node of a Pod work: ends it if it terminates, makes it ready, or now and then not ready. */
        private void work(Pod pod) {
            if (pod.isBeingDeleted()) {
                run.remove(pod.key());
                return;
            }
            boolean ready = !pod.isReady() || random.nextInt(6) > 0;
            if (ready == pod.isReady()) {
                return;
            }
            ObjectNode next = pod.copy();
            next.withObject("/spec").put("nodeName", "n1");
            ObjectNode status = next.withObject("/status");
            status.put("phase", "Running");
            status.putArray("conditions")
                    .addObject()
                    .put("type", "Ready")
                    .put("status", ready ? "True" : "False")
                    .put("lastTransitionTime", run.now().toString());
            run.put(next);
        }

        private void template(String key) {
            ObjectNode next = WorldFixture.tree(run.world(), key);
            ((ObjectNode) next.at("/spec/template/spec/containers/0")).put("image", "v" + random.nextInt(3));
            ObjectNode metadata = (ObjectNode) next.get("metadata");
            metadata.put("generation", metadata.path("generation").asInt() + 1);
            run.put(next);
        }

        private void check(World before, Event event) {
            World after = run.world();
            switch (event.actor()) {
                case "replicaset-controller" -> checkReplicaSet(event, after);
                case "deployment-controller" -> checkDeployment(event, before, after);
                case "statefulset-controller" -> checkStatefulSet(event, before, after);
                default -> {
                    // not checked
                }
            }
        }

        private void require(boolean condition, String message) {
            if (!condition) {
                violations.add(message);
            }
        }

        private void checkReplicaSet(Event event, World after) {
            Change change = event.changes().get(0);
            if (!change.key().resource().equals("pods") || event.type().endsWith("Adopted")) {
                return;
            }
            Pod pod = Pod.of(change.object());
            Optional<Workload> set = ControllerRefs.controllerKey(pod, "replicasets.apps")
                    .flatMap(after::get)
                    .map(Workload::of);
            if (set.isEmpty()) {
                return;
            }
            long active = ControllerRefs.pods(after, set.get()).stream()
                    .filter(Pod::isActive)
                    .count();
            if (event.type().equals("PodCreated")) {
                require(active <= set.get().replicas(), "too many Pods of " + set.get() + ": " + active);
            } else {
                require(active >= set.get().replicas(), "too few Pods of " + set.get() + ": " + active);
            }
        }

        private static List<Workload> sets(World world) {
            return world.stream(Scope.resource("replicasets.apps"))
                    .map(Workload::of)
                    .toList();
        }

        private static int lasting(World world) {
            int sum = 0;
            for (Workload set : sets(world)) {
                long available = ControllerRefs.pods(world, set).stream()
                        .filter(pod -> pod.isActive() && pod.isReady())
                        .count();
                sum += (int) Math.min(set.replicas(), available);
            }
            return sum;
        }

        private void checkDeployment(Event event, World before, World after) {
            int total = sets(after).stream().mapToInt(Workload::replicas).sum();
            require(
                    total <= REPLICAS + 1,
                    event.type() + " at revision " + event.revision() + " exceeds maxSurge: " + total);
            int lasting = lasting(after);
            require(
                    lasting >= REPLICAS - 1 || lasting >= lasting(before),
                    event.type() + " at revision " + event.revision() + " takes more than maxUnavailable: " + lasting
                            + " available, before " + lasting(before));
        }

        private static List<Pod> members(World world) {
            return world.stream(Scope.resource("pods"))
                    .map(Pod::of)
                    .filter(pod -> pod.labels().path("app").asText().equals("db"))
                    .toList();
        }

        private void checkStatefulSet(Event event, World before, World after) {
            Set<String> ordinals = new HashSet<>();
            for (Pod pod : members(after)) {
                String ordinal =
                        pod.labels().path("apps.kubernetes.io/pod-index").asText();
                require(ordinals.add(ordinal), "two Pods of number " + ordinal);
            }
            Change change = event.changes().get(0);
            boolean deletesReady = event.type().startsWith("PodDelet")
                    && before.get(change.key())
                            .map(Pod::of)
                            .filter(Pod::isReady)
                            .isPresent();
            if (deletesReady) {
                long others = members(before).stream()
                        .filter(pod -> pod.isActive() && pod.isReady())
                        .count();
                require(
                        others == 3,
                        event.type() + " at revision " + event.revision() + " takes a second Pod: " + others
                                + " of 3 were ready");
            }
        }
    }

    @Test
    void noInterleaving_violatesTheLimits() {
        for (long seed = 0; seed < SEEDS; seed++) {
            assertThat(new Run(seed, UnaryOperator.identity()).violations())
                    .as("seed " + seed)
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(RemovedGuard.class)
    void injectedFault_isDetected(RemovedGuard fault) {
        for (long seed = 0; seed < 20 * SEEDS; seed++) {
            if (!new Run(seed, fault::inject).violations().isEmpty()) {
                return;
            }
        }
        throw new AssertionError("No run detects " + fault);
    }
}
