package dev.mooring.sim.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.sim.InvariantViolations;
import dev.mooring.sim.InvariantViolations.InvariantViolation;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that every check detects its violation and accepts a valid World. */
class WorldChecksTest {
    private static final String BASE = """
        {kind: Namespace, metadata: {name: default}}
        ---
        {kind: Node, metadata: {name: n1}}
        ---
        kind: PersistentVolume
        metadata: {name: v1, finalizers: [kubernetes.io/pv-protection], annotations: {example.com/foreign: kept}}
        spec: {claimRef: {namespace: default, name: c1, uid: uid-c1}, exampleUnknown: {kept: [1]}}
        status: {phase: Bound}
        ---
        kind: Pod
        metadata: {name: p1, namespace: default, finalizers: [example.com/hold]}
        spec: {nodeName: n1, volumes: [{name: d, persistentVolumeClaim: {claimName: c1}}]}
        ---
        kind: Pod
        metadata: {name: p2, namespace: default}
        spec: {volumes: [{name: d, persistentVolumeClaim: {claimName: c1}}]}
        ---
        kind: PersistentVolume
        metadata: {name: v2}
        spec: {claimRef: {namespace: default, name: old, uid: uid-old}}
        status: {phase: Released}
        ---
        kind: PersistentVolumeClaim
        metadata: {name: c2, namespace: default, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [a.example/b]}
        spec: {accessModes: [ReadWriteOnce]}
        status: {phase: Pending}
        ---
        kind: ActualVolume
        apiVersion: mooring.dev/v1
        metadata: {name: a1}
        spec: {node: n1, volume: x, persistentVolume: v2}
        status: {state: Mounted, mounts: [{path: /x, state: Mounted, pod: {namespace: default, name: p1, uid: uid-p1}}]}
        ---
        kind: DesiredVolume
        apiVersion: mooring.dev/v1
        metadata: {name: d1}
        spec: {node: n1, volumeName: d, volume: x, persistentVolume: v2, accessModes: [ReadWriteOnce],
            pod: {namespace: default, name: p1, uid: uid-p1}}
        """;

    private static final String CLAIM = """
        kind: PersistentVolumeClaim
        metadata: {name: c1, namespace: default, creationTimestamp: "2026-01-01T00:00:00Z",
            finalizers: [kubernetes.io/pvc-protection]}
        spec: {volumeName: v1, accessModes: [ReadWriteOncePod]}
        status: {phase: Bound, volumeUID: uid-v1}
        """;

    private final InvariantViolations violations = new InvariantViolations();
    private final WorldChecks checks = new WorldChecks(violations);
    private World world = World.EMPTY;

    private void build() {
        for (ObjectNode object : WorldFixture.objects(BASE + "---\n" + CLAIM)) {
            commit(Proposal.by("user-test", "Put")
                    .put(WorldFixture.draft(object))
                    .build());
        }
        assertThat(violations.all()).isEmpty();
    }

    private void commit(Proposal proposal) {
        observe(WorldFixture.event(world, proposal));
    }

    private void observe(Event event) {
        World before = world;
        world = world.after(event);
        checks.event(event, before, world);
    }

    private void put(String actor, String type, String yaml) {
        Proposal.Builder proposal = Proposal.by(actor, type);
        WorldFixture.objects(yaml).forEach(object -> proposal.put(WorldFixture.draft(object)));
        commit(proposal.build());
    }

    private void remove(String actor, String key) {
        StoredObject seen = world.get(ObjectKey.parse(key)).orElseThrow();
        commit(Proposal.by(actor, "Removed").remove(seen).build());
    }

    /** Invariant, part of the message, and the new version of one object as one line of YAML. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        metadata | its uid was           | {kind: Node, metadata: {name: n1, uid: another}}
        metadata | creationTimestamp was | {kind: PersistentVolumeClaim, metadata: {name: c1, namespace: default, finalizers: [kubernetes.io/pvc-protection]}, spec: {volumeName: v1}, status: {phase: Bound}}
        metadata | deletionTimestamp was | {kind: PersistentVolumeClaim, metadata: {name: c2, namespace: default, finalizers: [a.example/b]}, status: {phase: Pending}}
        metadata | deletionTimestamp was | {kind: PersistentVolumeClaim, metadata: {name: c2, namespace: default, deletionTimestamp: "2026-01-01T00:00:01Z", finalizers: [a.example/b]}, status: {phase: Pending}}
        metadata | got the finalizer     | {kind: PersistentVolumeClaim, metadata: {name: c2, namespace: default, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [a.example/b, a.example/c]}, status: {phase: Pending}}
        foreign  | foreign annotation    | {kind: PersistentVolume, metadata: {name: v1, finalizers: [kubernetes.io/pv-protection]}, spec: {claimRef: {namespace: default, name: c1, uid: uid-c1}, exampleUnknown: {kept: [1]}}, status: {phase: Bound}}
        foreign  | unknown field         | {kind: PersistentVolume, metadata: {name: v1, annotations: {example.com/foreign: kept}, finalizers: [kubernetes.io/pv-protection]}, spec: {claimRef: {namespace: default, name: c1, uid: uid-c1}}, status: {phase: Bound}}
        I2       | changed directly      | {kind: PersistentVolume, metadata: {name: v2}, spec: {claimRef: {namespace: default, name: new, uid: uid-new}}, status: {phase: Released}}
        I2       | became Available      | {kind: PersistentVolume, metadata: {name: v2}, spec: {claimRef: {namespace: default, name: old, uid: uid-old}}, status: {phase: Available}}
        I2       | its claim is          | {kind: PersistentVolume, metadata: {name: v3}, spec: {claimRef: {namespace: default, name: c2, uid: uid-c2}}, status: {phase: Bound}}
        I2       | became Pending        | {kind: PersistentVolumeClaim, metadata: {name: c1, namespace: default, creationTimestamp: "2026-01-01T00:00:00Z", finalizers: [kubernetes.io/pvc-protection]}, spec: {volumeName: v1}, status: {phase: Pending}}
        I2       | became Lost           | {kind: PersistentVolumeClaim, metadata: {name: c9, namespace: default}, status: {phase: Lost}}
        I2       | its volume is         | {kind: PersistentVolumeClaim, metadata: {name: c9, namespace: default}, spec: {volumeName: v2}, status: {phase: Bound}}
        I2       | is also Bound to v1   | {kind: PersistentVolumeClaim, metadata: {name: c9, namespace: default}, spec: {volumeName: v1}, status: {phase: Bound}}
        I4       | uses it               | {kind: PersistentVolumeClaim, metadata: {name: c1, namespace: default, creationTimestamp: "2026-01-01T00:00:00Z"}, spec: {volumeName: v1}, status: {phase: Bound}}
        I4       | though it is Bound    | {kind: PersistentVolume, metadata: {name: v1, annotations: {example.com/foreign: kept}}, spec: {claimRef: {namespace: default, name: c1, uid: uid-c1}, exampleUnknown: {kept: [1]}}, status: {phase: Bound}}
        I4       | a1 exists             | {kind: VolumeOperation, apiVersion: mooring.dev/v1, metadata: {name: o}, spec: {operation: Delete, node: n1, persistentVolume: v2, persistentVolumeUID: uid-v2}}
        I4       | c1 still exists       | {kind: VolumeOperation, apiVersion: mooring.dev/v1, metadata: {name: o}, spec: {operation: Scrub, node: n1, persistentVolume: v1, persistentVolumeUID: uid-v1}}
        """)
    void checks_changeBreaksInvariant_reportViolation(String invariant, String message, String object) {
        build();
        if (message.equals("uses it")) {
            // Changes the claim after the Pod was scheduled, so that a later decision about the claim has seen the Pod.
            put("user-test", "Put", CLAIM);
        }
        put("persistentvolume-controller", "Something", object);
        assertThat(violations.all()).extracting(InvariantViolation::invariant).contains(invariant);
        assertThat(violations.all().toString()).contains(message);
    }

    @Test
    void checks_userRemovesObjectsInUse_reportNothing() {
        build();
        put("user-test", "Put", """
            kind: PersistentVolumeClaim
            metadata: {name: c1, namespace: default, creationTimestamp: "2026-01-01T00:00:00Z"}
            spec: {volumeName: v1, accessModes: [ReadWriteOncePod]}
            status: {phase: Bound, volumeUID: uid-v1}
            """);
        remove("user-test", "persistentvolumeclaims/default/c1");
        remove("user-test", "actualvolumes.mooring.dev/a1");
        remove("user-test", "desiredvolumes.mooring.dev/d1");
        assertThat(violations.all()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        pods/default/p1                         | despite the finalizer example.com/hold
        persistentvolumeclaims/default/c1       | though pods/default/p1 uses it
        persistentvolumes/v1                    | though it is Bound
        actualvolumes.mooring.dev/a1            | removed while mounted
        desiredvolumes.mooring.dev/d1           | though pods/default/p1 needs it
        """)
    void checks_controllerRemovesObjectInUse_reportI4(String key, String message) {
        build();
        if (key.endsWith("c1")) {
            put("user-test", "Put", CLAIM);
        }
        remove("some-controller", key);
        assertThat(violations.all()).extracting(InvariantViolation::invariant).contains("I4");
        assertThat(violations.all().toString()).contains(message);
    }

    @Test
    void checks_dataDeletedWhilePodUsesForceRemovedClaim_reportI4() {
        build();
        remove("user-test", "persistentvolumeclaims/default/c1");
        put("persistentvolume-controller", "VolumeOperationCreated", """
            kind: VolumeOperation
            apiVersion: mooring.dev/v1
            metadata: {name: o}
            spec: {operation: Delete, node: n1, persistentVolume: v1, persistentVolumeUID: uid-v1}
            """);
        assertThat(violations.all().toString()).contains("I4", "pods/default/p1 still uses it");
    }

    @Test
    void checks_secondPodScheduledForReadWriteOncePodClaim_reportI6() {
        build();
        put("default-scheduler", "PodScheduled", """
            kind: Pod
            metadata: {name: p2, namespace: default}
            spec: {nodeName: n1, volumes: [{name: d, persistentVolumeClaim: {claimName: c1}}]}
            """);
        assertThat(violations.all().toString()).contains("I6", "pods/default/p1 on n1 has");
    }

    @Test
    void checks_readWriteOnceVolumeMountedOnSecondNode_reportI6() {
        build();
        put("user-test", "Put", """
            kind: DesiredVolume
            apiVersion: mooring.dev/v1
            metadata: {name: d2}
            spec: {node: n2, volumeName: d, volume: x, persistentVolume: v2, accessModes: [ReadWriteOnce],
                pod: {namespace: default, name: p2, uid: uid-p2}}
            """);
        put("node/n2", "VolumeMounting", """
            kind: ActualVolume
            apiVersion: mooring.dev/v1
            metadata: {name: a2}
            spec: {node: n2, volume: x, persistentVolume: v2}
            status: {state: Mounting, mounts: [{path: /x, state: Mounting, pod: {namespace: default, name: p2, uid: uid-p2}}]}
            """);
        assertThat(violations.all().toString()).contains("I6", "though n1 has it");
    }

    @Test
    void checks_eventChangesTwoObjectsOfOneResource_reportAdr11() {
        build();
        put("a", "Twice", "{kind: Node, metadata: {name: n1}}\n---\n{kind: Node, metadata: {name: n2}}");
        assertThat(violations.all()).extracting(InvariantViolation::invariant).containsExactly("ADR 11");
    }

    @Test
    void checks_eventTimeDecreases_reportOrder() {
        build();
        Event event = WorldFixture.event(
                world,
                Proposal.by("a", "Put")
                        .put(WorldFixture.draft(WorldFixture.objects("{kind: Node, metadata: {name: n9}}")
                                .get(0)))
                        .build());
        observe(new Event(event.revision(), Instant.MIN, event.type(), event.actor(), event.cause(), event.changes()));
        assertThat(violations.all()).extracting(InvariantViolation::invariant).containsExactly("order");
    }

    @Test
    void checks_revisionSkipped_reportOrder() {
        build();
        Event event = WorldFixture.event(
                world,
                Proposal.by("a", "Put")
                        .put(WorldFixture.draft(WorldFixture.objects("{kind: Node, metadata: {name: n9}}")
                                .get(0)))
                        .build());
        checks.event(event, World.EMPTY, world.after(event));
        assertThat(violations.all()).extracting(InvariantViolation::invariant).contains("order");
    }

    @Test
    void checks_boundClaimWithoutVolumeWhenIdle_reportI2() {
        build();
        checks.quiescent(world);
        assertThat(violations.all()).isEmpty();
        remove("user-test", "persistentvolumes/v1");
        checks.quiescent(world);
        assertThat(violations.all().toString()).contains("I2: persistentvolumeclaims/default/c1 is Bound");
    }

    @Test
    void checks_replayGivesAnotherWorld_reportI1() {
        build();
        checks.replayed(world, world);
        assertThat(violations.all()).isEmpty();
        checks.replayed(world, WorldFixture.of("{kind: Node, metadata: {name: n1}}"));
        assertThat(violations.all()).extracting(InvariantViolation::invariant).contains("I1");
    }
}
