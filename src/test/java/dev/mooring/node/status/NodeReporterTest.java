package dev.mooring.node.status;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Worlds;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeReporterTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00.25Z");
    private static final String DEFAULT = "---\n{kind: Namespace, metadata: {name: default}}\n";
    private static final String LEASES = "---\n{kind: Namespace, metadata: {name: kube-node-lease}}\n";
    private static final String LEASE = "leases.coordination.k8s.io/kube-node-lease/n1";

    private final FakeMachine machine = new FakeMachine();
    private EngineSight engine = new EngineSight.Unwanted();
    private final AtomicInteger uids = new AtomicInteger();
    private final NodeReporter reporter =
            new NodeReporter("n1", "v1.32.4+mooring-0.1.0", () -> "made-" + uids.incrementAndGet(), () -> engine);
    private final List<String> did = new ArrayList<>();
    private World world = Worlds.of(DEFAULT);

    /** Lets everything happen that the reporter wants. */
    private NodeReporterTest settle(Instant now) {
        for (int i = 0; i < 10; i++) {
            Optional<Proposal> next = reporter.next(world, machine.facts(), now);
            if (next.isEmpty()) {
                return this;
            }
            assertThat(next.get().actor()).isEqualTo("node/n1");
            did.add(next.get().type());
            world = Worlds.after(world, next.get());
        }
        throw new AssertionError("Expected an end, but found " + did);
    }

    private JsonNode node() {
        return Worlds.tree(world, "nodes/n1");
    }

    private JsonNode condition(String type) {
        return NodeObject.condition(node(), type).orElseThrow();
    }

    private void edit(String yaml) {
        world = Worlds.put(world, Worlds.objects(yaml).get(0));
    }

    @Test
    void makesTheNodeItsNamespaceAndItsLease() {
        settle(NOW);
        assertThat(did).containsExactly("NodeRegistered", "NamespaceCreated", "LeaseCreated");
        assertThat(node().path("metadata").path("labels").toString())
                .isEqualTo(
                        "{\"kubernetes.io/hostname\":\"n1\",\"kubernetes.io/os\":\"linux\",\"kubernetes.io/arch\":\"amd64\"}");
        JsonNode status = node().path("status");
        assertThat(status.path("capacity").toString())
                .isEqualTo(
                        "{\"cpu\":\"4\",\"ephemeral-storage\":\"209715200Ki\",\"memory\":\"16777216Ki\",\"pods\":\"110\"}");
        assertThat(status.path("allocatable")).isEqualTo(status.path("capacity"));
        assertThat(status.path("addresses").toString())
                .isEqualTo(
                        "[{\"type\":\"InternalIP\",\"address\":\"10.0.0.7\"},{\"type\":\"Hostname\",\"address\":\"host-a\"}]");
        assertThat(status.path("nodeInfo").path("kubeletVersion").asText()).isEqualTo("v1.32.4+mooring-0.1.0");
        assertThat(status.path("nodeInfo").path("osImage").asText()).isEqualTo("Debian GNU/Linux 12 (bookworm)");
        assertThat(status.path("nodeInfo").path("containerRuntimeVersion").asText("-"))
                .isEmpty();
        assertThat(condition("Ready").toString())
                .isEqualTo("{\"type\":\"Ready\",\"status\":\"True\",\"lastHeartbeatTime\":\"2026-01-01T00:00:00Z\","
                        + "\"lastTransitionTime\":\"2026-01-01T00:00:00Z\",\"reason\":\"MooringReady\","
                        + "\"message\":\"Mooring is ready and reports how this node is doing\"}");
        for (String pressure : List.of("MemoryPressure", "DiskPressure", "PIDPressure")) {
            assertThat(condition(pressure).path("status").asText()).isEqualTo("False");
        }
        JsonNode lease = Worlds.tree(world, LEASE);
        assertThat(lease.path("spec").toString())
                .isEqualTo("{\"holderIdentity\":\"n1\",\"leaseDurationSeconds\":40,"
                        + "\"renewTime\":\"2026-01-01T00:00:00.250000Z\"}");
        assertThat(lease.path("metadata").path("ownerReferences").get(0).path("uid"))
                .isEqualTo(node().path("metadata").path("uid"));
        assertThat(Worlds.tree(world, "namespaces/kube-node-lease")
                        .path("spec")
                        .path("finalizers")
                        .get(0)
                        .asText())
                .isEqualTo("kubernetes");
    }

    @Test
    void saysNothingWhileNothingChanges() {
        settle(NOW);
        did.clear();
        machine.memoryAvailable -= 1 << 20;
        machine.tasks += 100;
        settle(NOW.plusSeconds(3600));
        assertThat(did).isEmpty();
    }

    @Test
    void keepsWhatOthersHaveWritten() {
        edit("""
            kind: Node
            metadata:
              name: n1
              uid: kept
              labels: {mine: x, kubernetes.io/hostname: chosen}
              annotations: {theirs: y}
            spec: {unschedulable: true, taints: [{key: k, effect: NoSchedule}], unknown: 1}
            status:
              volumesInUse: [a]
              capacity: {example.com/gpu: '2', pods: '5'}
              addresses: [{type: ExternalIP, address: 1.2.3.4}, {type: InternalIP, address: 9.9.9.9}]
              nodeInfo: {containerRuntimeVersion: 'docker://27.3.1'}
              conditions: [{type: Theirs, status: 'True'}]
            """);
        settle(NOW);
        assertThat(did).startsWith("NodeStatusReported");
        assertThat(node().path("metadata").path("uid").asText()).isEqualTo("kept");
        assertThat(node().path("metadata").path("labels").toString())
                .isEqualTo("{\"mine\":\"x\",\"kubernetes.io/hostname\":\"chosen\",\"kubernetes.io/os\":\"linux\","
                        + "\"kubernetes.io/arch\":\"amd64\"}");
        assertThat(node().path("metadata").path("annotations").toString()).isEqualTo("{\"theirs\":\"y\"}");
        assertThat(node().path("spec").toString())
                .isEqualTo(
                        "{\"unschedulable\":true,\"taints\":[{\"key\":\"k\",\"effect\":\"NoSchedule\"}],\"unknown\":1}");
        JsonNode status = node().path("status");
        assertThat(status.path("volumesInUse").toString()).isEqualTo("[\"a\"]");
        assertThat(status.path("capacity").path("example.com/gpu").asText()).isEqualTo("2");
        assertThat(status.path("capacity").path("pods").asText()).isEqualTo("110");
        assertThat(status.path("addresses")).hasSize(3);
        assertThat(status.path("addresses").get(0).path("address").asText()).isEqualTo("10.0.0.7");
        assertThat(status.path("addresses").get(2).path("address").asText()).isEqualTo("1.2.3.4");
        assertThat(status.path("nodeInfo").path("containerRuntimeVersion").asText())
                .isEqualTo("docker://27.3.1");
        assertThat(condition("Theirs").path("status").asText()).isEqualTo("True");
    }

    @Test
    void saysThatItIsWellWhenOthersThoughtItGoneAndTellsSo() {
        settle(NOW);
        ObjectNode lost = Worlds.tree(world, "nodes/n1");
        NodeObject.condition(lost, "Ready")
                .orElseThrow()
                .put("status", "Unknown")
                .put("reason", "NodeStatusUnknown");
        edit(lost.toString());
        did.clear();
        settle(NOW.plusSeconds(100));
        assertThat(did).containsExactly("NodeStatusReported");
        assertThat(condition("Ready").path("status").asText()).isEqualTo("True");
        assertThat(condition("Ready").path("lastTransitionTime").asText()).isEqualTo("2026-01-01T00:01:40Z");
        JsonNode told = Tree.of(world.list(Scope.resource("events")).iterator().next());
        assertThat(told.path("message").asText()).isEqualTo("Node n1 status is now: NodeReady");
        assertThat(told.path("count").asInt()).isEqualTo(2);
    }

    @Test
    void makesANodeAnewThatSomebodyDeleted() {
        settle(NOW);
        world = Worlds.after(
                world,
                Proposal.by("tester", "NodeDeleted")
                        .remove(world.get(ObjectKey.parse("nodes/n1")).orElseThrow())
                        .build());
        did.clear();
        settle(NOW);
        assertThat(did).containsExactly("NodeRegistered");
    }

    @Test
    void doesNotDisturbANodeThatIsBeingDeletedNorItsNamespace() {
        edit("{kind: Node, metadata: {name: n1, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [x]}}");
        assertThat(reporter.next(world, machine.facts(), NOW)).isEmpty();
        world = Worlds.of(
                "{kind: Namespace, metadata: {name: kube-node-lease, deletionTimestamp: '2026-01-01T00:00:00Z'}}");
        settle(NOW);
        assertThat(did).containsExactly("NodeRegistered");
    }

    @Test
    void takesItsLeaseBack() {
        world = Worlds.of(DEFAULT + LEASES + """
            ---
            apiVersion: coordination.k8s.io/v1
            kind: Lease
            metadata: {name: n1, namespace: kube-node-lease}
            spec: {holderIdentity: other, leaseDurationSeconds: 7}
            """);
        settle(NOW);
        assertThat(did).containsExactly("NodeRegistered", "LeaseTaken");
        assertThat(Worlds.tree(world, LEASE).path("spec").toString())
                .isEqualTo("{\"holderIdentity\":\"n1\",\"leaseDurationSeconds\":7,"
                        + "\"renewTime\":\"2026-01-01T00:00:00.250000Z\"}");
    }

    /** In MiB. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        # first  | told    | then    | told
        102400   | 102400  | 102399  | 102400
        102900   | 102400  | 97300   | 97280
        102400   | 102400  | 98304   | 102400
        102400   | 102400  | 107520  | 107520
        1500     | 1024    | 2100    | 2048
        700      | 640     | 690     | 640
        10       | 0       | 60      | 0
        10       | 0       | 64      | 64
        102400   | 102400  | 0       | 0
        """)
    void tellsRoughlyHowMuchIsFree(long first, long told, long then, long toldThen) {
        machine.free.put("block", first << 20);
        settle(NOW);
        assertThat(free()).isEqualTo(Long.toString(told << 20));
        machine.free.put("block", then << 20);
        settle(NOW);
        assertThat(free()).isEqualTo(Long.toString(toldThen << 20));
    }

    private String free() {
        return node().path("metadata")
                .path("annotations")
                .path("mooring.dev/free-bytes.block")
                .asText();
    }

    @Test
    void forgetsWhatItCanNoLongerTell() {
        machine.free.put("block", FakeMachine.GIB);
        settle(NOW);
        machine.free.clear();
        settle(NOW);
        assertThat(node().path("metadata").has("annotations")).isFalse();
    }

    @Test
    void isShortOfMemoryUntilThereIsClearlyEnoughAgain() {
        settle(NOW);
        machine.memoryAvailable = 99L << 20;
        settle(NOW.plusSeconds(10));
        assertThat(condition("MemoryPressure").path("status").asText()).isEqualTo("True");
        assertThat(condition("MemoryPressure").path("reason").asText()).isEqualTo("MooringHasInsufficientMemory");
        machine.memoryAvailable = 150L << 20;
        did.clear();
        settle(NOW.plusSeconds(20));
        assertThat(did).isEmpty();
        machine.memoryAvailable = 200L << 20;
        settle(NOW.plusSeconds(30));
        assertThat(condition("MemoryPressure").path("status").asText()).isEqualTo("False");
        assertThat(condition("MemoryPressure").path("lastTransitionTime").asText())
                .isEqualTo("2026-01-01T00:00:30Z");
    }

    @Test
    void isShortOfDiskAndProcessNumbers() {
        machine.diskAvailable = 1;
        machine.tasks = 32_000;
        settle(NOW);
        assertThat(condition("DiskPressure").path("status").asText()).isEqualTo("True");
        assertThat(condition("PIDPressure").path("status").asText()).isEqualTo("True");
        assertThat(condition("Ready").path("status").asText()).isEqualTo("True");
    }

    private String says(String condition) {
        JsonNode found = condition(condition);
        return found.path("status").asText() + ' ' + found.path("reason").asText();
    }

    @Test
    void aNodeThatNeverHadAnEngineIsReadyForVolumes() {
        engine = new EngineSight.Absent("no such file");
        settle(NOW);

        assertThat(says("Ready")).isEqualTo("True MooringReady");
        assertThat(says("ContainerRuntimeReady")).isEqualTo("False NoContainerEngine");
        assertThat(condition("ContainerRuntimeReady").path("message").asText()).isEqualTo("no such file");
    }

    @Test
    void aNodeThatHasLostItsEngineIsNotReadyUntilItIsBack() {
        engine = new EngineSight.Present("docker://20.10.24");
        settle(NOW);
        assertThat(node().path("status")
                        .path("nodeInfo")
                        .path("containerRuntimeVersion")
                        .asText())
                .isEqualTo("docker://20.10.24");
        assertThat(says("ContainerRuntimeReady")).isEqualTo("True EngineAnswers");

        engine = new EngineSight.Absent("connection refused");
        settle(NOW);
        assertThat(says("Ready")).isEqualTo("False ContainerRuntimeNotReady");
        assertThat(condition("Ready").path("message").asText())
                .isEqualTo("container runtime is down: connection refused");
        assertThat(says("ContainerRuntimeReady")).isEqualTo("False EngineUnreachable");

        engine = new EngineSight.Present("docker://20.10.24");
        settle(NOW);
        assertThat(says("Ready")).isEqualTo("True MooringReady");
    }

    @Test
    void whatTheNodeSaysHoldsUntilTheEngineWasAsked() {
        engine = new EngineSight.Present("docker://20.10.24");
        settle(NOW);
        engine = new EngineSight.Absent("gone");
        settle(NOW);
        did.clear();

        engine = new EngineSight.Unknown();
        settle(NOW);

        assertThat(did).isEmpty();
        assertThat(says("Ready")).isEqualTo("False ContainerRuntimeNotReady");
    }
}
