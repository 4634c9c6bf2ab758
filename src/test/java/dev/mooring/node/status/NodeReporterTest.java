package dev.mooring.node.status;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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
    private RuntimeStatusHolder.RuntimeStatus engine = new RuntimeStatusHolder.RuntimeStatus.Disabled();
    private final AtomicInteger uids = new AtomicInteger();
    private final NodeReporter reporter =
            new NodeReporter("n1", "v1.32.4+mooring-0.1.0", () -> "made-" + uids.incrementAndGet(), () -> engine);
    private final List<String> eventTypes = new ArrayList<>();
    private World world = WorldFixture.of(DEFAULT);

    /** Commits the reporter's proposals until there are none. */
    private NodeReporterTest settle(Instant now) {
        for (int i = 0; i < 10; i++) {
            Optional<Proposal> next = reporter.next(world, machine.facts(), now);
            if (next.isEmpty()) {
                return this;
            }
            assertThat(next.get().actor()).isEqualTo("node/n1");
            eventTypes.add(next.get().type());
            world = WorldFixture.after(world, next.get());
        }
        throw new AssertionError("Reporter does not converge: " + eventTypes);
    }

    private JsonNode node() {
        return WorldFixture.tree(world, "nodes/n1");
    }

    private JsonNode condition(String type) {
        return NodeObjectBuilder.condition(node(), type).orElseThrow();
    }

    private void edit(String yaml) {
        world = WorldFixture.put(world, WorldFixture.objects(yaml).get(0));
    }

    @Test
    void reporter_capabilitiesOfTheMachine_areConditions() {
        Set<String> programs = Set.of("losetup", "mkfs.ext4", "resize2fs");
        machine.capabilities = Optional.of(
                new MachineFacts.Capabilities(programs, true, true, 2, Path.of("/srv/v"), "/srv", false, true, true));
        settle(NOW);

        assertThat(condition("LoopDevicesAvailable").path("status").asText()).isEqualTo("True");
        assertThat(condition("ClockSynchronized").path("status").asText()).isEqualTo("True");
        JsonNode nfs = condition("NFSClientAvailable");
        assertThat(nfs.path("status").asText()).isEqualTo("False");
        assertThat(nfs.path("reason").asText()).isEqualTo("NoMountProgram");
        assertThat(nfs.path("message").asText()).endsWith("; next: apt-get install nfs-common");
        assertThat(condition("MountPropagationShared").path("reason").asText()).isEqualTo("PrivateMounts");
        assertThat(condition("Ready").path("status").asText()).isEqualTo("True");
    }

    @Test
    void reporter_emptyWorld_createsNodeNamespaceAndLease() {
        settle(NOW);
        assertThat(eventTypes).containsExactly("NodeRegistered", "NamespaceCreated", "LeaseCreated");
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
                        + "\"message\":\"Mooring is posting ready status\"}");
        for (String pressure : List.of("MemoryPressure", "DiskPressure", "PIDPressure")) {
            assertThat(condition(pressure).path("status").asText()).isEqualTo("False");
        }
        JsonNode lease = WorldFixture.tree(world, LEASE);
        assertThat(lease.path("spec").toString())
                .isEqualTo("{\"holderIdentity\":\"n1\",\"leaseDurationSeconds\":40,"
                        + "\"renewTime\":\"2026-01-01T00:00:00.250000Z\"}");
        assertThat(lease.path("metadata").path("ownerReferences").get(0).path("uid"))
                .isEqualTo(node().path("metadata").path("uid"));
        assertThat(WorldFixture.tree(world, "namespaces/kube-node-lease")
                        .path("spec")
                        .path("finalizers")
                        .get(0)
                        .asText())
                .isEqualTo("kubernetes");
    }

    @Test
    void reporter_nothingChanged_proposesNothing() {
        settle(NOW);
        eventTypes.clear();
        machine.memoryAvailable -= 1 << 20;
        machine.tasks += 100;
        settle(NOW.plusSeconds(3600));
        assertThat(eventTypes).isEmpty();
    }

    @Test
    void reporter_fieldsOfOtherWriters_areKept() {
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
        assertThat(eventTypes).startsWith("NodeStatusReported");
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
    void reporter_nodeMarkedUnknown_becomesReadyWithEvent() {
        settle(NOW);
        ObjectNode lost = WorldFixture.tree(world, "nodes/n1");
        NodeObjectBuilder.condition(lost, "Ready")
                .orElseThrow()
                .put("status", "Unknown")
                .put("reason", "NodeStatusUnknown");
        edit(lost.toString());
        eventTypes.clear();
        settle(NOW.plusSeconds(100));
        assertThat(eventTypes).containsExactly("NodeStatusReported");
        assertThat(condition("Ready").path("status").asText()).isEqualTo("True");
        assertThat(condition("Ready").path("lastTransitionTime").asText()).isEqualTo("2026-01-01T00:01:40Z");
        JsonNode event = world.list(Scope.resource("events")).iterator().next().toTree();
        assertThat(event.path("message").asText()).isEqualTo("Node n1 status is now: NodeReady");
        assertThat(event.path("count").asInt()).isEqualTo(2);
    }

    @Test
    void reporter_nodeDeleted_registersItAgain() {
        settle(NOW);
        world = WorldFixture.after(
                world,
                Proposal.by("tester", "NodeDeleted")
                        .remove(world.get(ObjectKey.parse("nodes/n1")).orElseThrow())
                        .build());
        eventTypes.clear();
        settle(NOW);
        assertThat(eventTypes).containsExactly("NodeRegistered");
    }

    @Test
    void reporter_nodeOrNamespaceBeingDeleted_isUnchanged() {
        edit("{kind: Node, metadata: {name: n1, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [x]}}");
        assertThat(reporter.next(world, machine.facts(), NOW)).isEmpty();
        world = WorldFixture.of(
                "{kind: Namespace, metadata: {name: kube-node-lease, deletionTimestamp: '2026-01-01T00:00:00Z'}}");
        settle(NOW);
        assertThat(eventTypes).containsExactly("NodeRegistered");
    }

    @Test
    void reporter_leaseHeldByOther_isReclaimed() {
        world = WorldFixture.of(DEFAULT + LEASES + """
            ---
            apiVersion: coordination.k8s.io/v1
            kind: Lease
            metadata: {name: n1, namespace: kube-node-lease}
            spec: {holderIdentity: other, leaseDurationSeconds: 7}
            """);
        settle(NOW);
        assertThat(eventTypes).containsExactly("NodeRegistered", "LeaseTaken");
        assertThat(WorldFixture.tree(world, LEASE).path("spec").toString())
                .isEqualTo("{\"holderIdentity\":\"n1\",\"leaseDurationSeconds\":7,"
                        + "\"renewTime\":\"2026-01-01T00:00:00.250000Z\"}");
    }

    /** Free space in MiB. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        # first  | reported | second | reported
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
    void freeBytesAnnotation_isRoundedAndUpdatedOnLargeChanges(
            long first, long firstReported, long second, long secondReported) {
        machine.free.put("block", first << 20);
        settle(NOW);
        assertThat(free()).isEqualTo(Long.toString(firstReported << 20));
        machine.free.put("block", second << 20);
        settle(NOW);
        assertThat(free()).isEqualTo(Long.toString(secondReported << 20));
    }

    private String free() {
        return node().path("metadata")
                .path("annotations")
                .path("mooring.dev/free-bytes.block")
                .asText();
    }

    @Test
    void freeBytesAnnotation_valueUnknown_isRemoved() {
        machine.free.put("block", FakeMachine.GIB);
        settle(NOW);
        machine.free.clear();
        settle(NOW);
        assertThat(node().path("metadata").has("annotations")).isFalse();
    }

    @Test
    void memoryPressure_endsAtTwiceTheThreshold() {
        settle(NOW);
        machine.memoryAvailable = 99L << 20;
        settle(NOW.plusSeconds(10));
        assertThat(condition("MemoryPressure").path("status").asText()).isEqualTo("True");
        assertThat(condition("MemoryPressure").path("reason").asText()).isEqualTo("MooringHasInsufficientMemory");
        machine.memoryAvailable = 150L << 20;
        eventTypes.clear();
        settle(NOW.plusSeconds(20));
        assertThat(eventTypes).isEmpty();
        machine.memoryAvailable = 200L << 20;
        settle(NOW.plusSeconds(30));
        assertThat(condition("MemoryPressure").path("status").asText()).isEqualTo("False");
        assertThat(condition("MemoryPressure").path("lastTransitionTime").asText())
                .isEqualTo("2026-01-01T00:00:30Z");
    }

    @Test
    void diskAndPidPressure_lowResources_areTrue() {
        machine.diskAvailable = 1;
        machine.tasks = 32_000;
        settle(NOW);
        assertThat(condition("DiskPressure").path("status").asText()).isEqualTo("True");
        assertThat(condition("PIDPressure").path("status").asText()).isEqualTo("True");
        assertThat(condition("Ready").path("status").asText()).isEqualTo("True");
    }

    private String conditionText(String condition) {
        JsonNode found = condition(condition);
        return found.path("status").asText() + ' ' + found.path("reason").asText();
    }

    @Test
    void readyCondition_nodeNeverHadEngine_isTrue() {
        engine = new RuntimeStatusHolder.RuntimeStatus.Absent("no such file");
        settle(NOW);

        assertThat(conditionText("Ready")).isEqualTo("True MooringReady");
        assertThat(conditionText("ContainerRuntimeReady")).isEqualTo("False NoContainerEngine");
        assertThat(condition("ContainerRuntimeReady").path("message").asText()).isEqualTo("no such file");
    }

    @Test
    void readyCondition_engineLost_isFalseUntilItReturns() {
        engine = new RuntimeStatusHolder.RuntimeStatus.Present("docker://20.10.24");
        settle(NOW);
        assertThat(node().path("status")
                        .path("nodeInfo")
                        .path("containerRuntimeVersion")
                        .asText())
                .isEqualTo("docker://20.10.24");
        assertThat(conditionText("ContainerRuntimeReady")).isEqualTo("True EngineAnswers");

        engine = new RuntimeStatusHolder.RuntimeStatus.Absent("connection refused");
        settle(NOW);
        assertThat(conditionText("Ready")).isEqualTo("False ContainerRuntimeNotReady");
        assertThat(condition("Ready").path("message").asText())
                .isEqualTo("container runtime is down: connection refused");
        assertThat(conditionText("ContainerRuntimeReady")).isEqualTo("False EngineUnreachable");

        engine = new RuntimeStatusHolder.RuntimeStatus.Present("docker://20.10.24");
        settle(NOW);
        assertThat(conditionText("Ready")).isEqualTo("True MooringReady");
    }

    @Test
    void readyCondition_engineStatusUnknown_isUnchanged() {
        engine = new RuntimeStatusHolder.RuntimeStatus.Present("docker://20.10.24");
        settle(NOW);
        engine = new RuntimeStatusHolder.RuntimeStatus.Absent("gone");
        settle(NOW);
        eventTypes.clear();

        engine = new RuntimeStatusHolder.RuntimeStatus.Unknown();
        settle(NOW);

        assertThat(eventTypes).isEmpty();
        assertThat(conditionText("Ready")).isEqualTo("False ContainerRuntimeNotReady");
    }
}
