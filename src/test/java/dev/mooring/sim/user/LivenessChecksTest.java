package dev.mooring.sim.user;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.control.WorldFixture;
import dev.mooring.sim.InvariantViolations;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LivenessChecksTest {
    private static final Instant NOW = Instant.parse("2026-02-01T00:00:00Z");

    private static final String BASE = """
        {kind: Namespace, metadata: {name: default}}
        ---
        {kind: Node, metadata: {name: n1}, status: {conditions: [{type: Ready, status: "True"}]}}
        ---
        {kind: Node, metadata: {name: n3}, status: {conditions: [{type: Ready, status: "Unknown"}]}}
        ---
        {kind: PersistentVolume, metadata: {name: v1}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce]}, status: {phase: Available}}
        ---
        {kind: Pod, metadata: {name: p1, namespace: default}, spec: {nodeName: n1}, status: {phase: Running}}
        """;

    private final InvariantViolations violations = new InvariantViolations();

    private void check(String more) {
        new LivenessChecks(WorldFixture.of(BASE + "---\n" + more), NOW, violations).check();
    }

    @Test
    void livenessChecks_convergedWorld_reportNothing() {
        check("{kind: Node, metadata: {name: n2}}");
        assertThat(violations.all()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        is Pending without a reason |  {kind: PersistentVolumeClaim, metadata: {name: c, namespace: default}, spec: {storageClassName: x}, status: {phase: Pending}}
        although persistentvolumes/v1 fits | {kind: PersistentVolumeClaim, metadata: {name: c, namespace: default}, spec: {storageClassName: "", accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}, status: {phase: Pending, conditions: [{type: Bound, message: waits}]}}
        is unused               | {kind: PersistentVolumeClaim, metadata: {name: c, namespace: default, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [kubernetes.io/pvc-protection]}, status: {phase: Pending}}
        has no users            | {kind: PersistentVolume, metadata: {name: v, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [kubernetes.io/pv-protection]}, status: {phase: Available}}
        is left over            | {kind: VolumeOperation, apiVersion: mooring.dev/v1, metadata: {name: o}, spec: {operation: Delete, node: n1}, status: {state: Running}}
        is left over            | {kind: VolumeOperation, apiVersion: mooring.dev/v1, metadata: {name: o}, spec: {operation: Delete, node: n1}, status: {state: Failed, nextTry: "2026-01-01T00:00:00Z", lastError: {message: bad}}}
        is empty                | {kind: Namespace, metadata: {name: empty, deletionTimestamp: "2026-01-01T00:00:00Z"}}
        has no node             | {kind: Pod, metadata: {name: p, namespace: default}, status: {phase: Pending}}
        does not run            | {kind: Pod, metadata: {name: p, namespace: default}, spec: {nodeName: n1}, status: {phase: Pending, containerStatuses: [{state: {waiting: {reason: ContainerCreating}}}]}}
        its grace period has expired | {kind: Pod, metadata: {name: p, namespace: default, deletionTimestamp: "2026-01-01T00:00:00Z"}, spec: {nodeName: n1}, status: {phase: Running}}
        its grace period has expired | {kind: Pod, metadata: {name: p, namespace: default, deletionTimestamp: "2026-01-01T00:00:00Z"}, spec: {nodeName: n9}, status: {phase: Running}}
        is not mounted          | {kind: DesiredVolume, apiVersion: mooring.dev/v1, metadata: {name: d}, spec: {node: n1, volume: x, volumeName: d, pod: {namespace: default, name: p1, uid: uid-p1}}}
        a Pod that does not exist | {kind: DesiredVolume, apiVersion: mooring.dev/v1, metadata: {name: d}, spec: {node: n1, volume: x, volumeName: d, pod: {namespace: default, name: gone, uid: uid-gone}}}
        does not need it        | {kind: ActualVolume, apiVersion: mooring.dev/v1, metadata: {name: a}, spec: {node: n1, volume: x}, status: {state: Mounted, mounts: [{path: /x, state: Mounted, pod: {namespace: default, name: p9, uid: uid-p9}}]}}
        not needed by any Pod   | {kind: ActualVolume, apiVersion: mooring.dev/v1, metadata: {name: a}, spec: {node: n1, volume: x}, status: {state: Attached}}
        """)
    void livenessChecks_notConverged_reportViolation(String message, String object) {
        check(object);
        assertThat(violations.all()).isNotEmpty();
        assertThat(violations.all().toString()).contains(message);
    }

    /** A Pod whose claim is Lost keeps its mount; a Pod whose volume has changed does not. */
    @ParameterizedTest
    @CsvSource({"'', true", "y, false"})
    void mountOfPendingPod_volumeNotResolved_mayStay(String volume, boolean allowed) {
        check("""
            {kind: Pod, metadata: {name: p, namespace: default}, spec: {nodeName: n1}, status: {phase: Pending, containerStatuses: [{state: {waiting: {reason: ContainerCreating, message: waits}}}]}}
            ---
            {kind: DesiredVolume, apiVersion: mooring.dev/v1, metadata: {name: d}, spec: {node: n1, volume: '%s', volumeName: d, pod: {namespace: default, name: p, uid: uid-p}}, status: {error: {reason: Lost, message: lost}}}
            ---
            {kind: ActualVolume, apiVersion: mooring.dev/v1, metadata: {name: a}, spec: {node: n1, volume: x}, status: {state: Mounted, mounts: [{path: /x, state: Mounted, volumeName: d, pod: {namespace: default, name: p, uid: uid-p}}]}}
            """.formatted(volume));
        assertThat(violations.all().toString().contains("does not need it")).isEqualTo(!allowed);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        own finalizer | {kind: PersistentVolumeClaim, metadata: {name: c, namespace: default, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [example.com/user]}, status: {phase: Pending}}
        just deleted  | {kind: PersistentVolume, metadata: {name: v, deletionTimestamp: "2026-02-01T00:00:00Z", finalizers: [kubernetes.io/pv-protection]}, status: {phase: Available}}
        too large     | {kind: PersistentVolumeClaim, metadata: {name: c, namespace: default}, spec: {storageClassName: "", accessModes: [ReadWriteOnce], resources: {requests: {storage: 2Gi}}}, status: {phase: Pending, conditions: [{type: Bound, message: waits}]}}
        node away     | {kind: Pod, metadata: {name: p, namespace: default, deletionTimestamp: "2026-01-01T00:00:00Z"}, spec: {nodeName: n3}, status: {phase: Running}}
        reason stated | {kind: Pod, metadata: {name: p, namespace: default}, spec: {nodeName: n1}, status: {phase: Pending, containerStatuses: [{state: {waiting: {reason: ImagePullBackOff, message: no image}}}]}}
        runs with it  | {kind: ActualVolume, apiVersion: mooring.dev/v1, metadata: {name: a}, spec: {node: n1, volume: x}, status: {state: Mounted, mounts: [{path: /x, state: Mounted, pod: {namespace: default, name: p1, uid: uid-p1}}]}}
        will be tried | {kind: VolumeOperation, apiVersion: mooring.dev/v1, metadata: {name: o}, spec: {operation: Delete, node: n1}, status: {state: Failed, nextTry: "2026-02-01T00:01:00Z", lastError: {message: bad}}}
        """)
    void livenessChecks_permittedState_reportNothing(String reason, String object) {
        check(object);
        assertThat(violations.all()).as(reason).isEmpty();
    }
}
