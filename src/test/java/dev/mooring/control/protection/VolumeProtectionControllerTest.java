package dev.mooring.control.protection;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VolumeProtectionControllerTest {
    private static final String KEY = "persistentvolumes/pv1";
    private static final String NAMESPACE = "{kind: Namespace, metadata: {name: default}}\n---\n";
    private static final String DELETED = "deletionTimestamp: '2026-01-01T00:00:00Z', ";
    private static final String FINALIZERS = "finalizers: [kubernetes.io/pv-protection], ";
    private static final String ATTACHMENT =
            "{apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, metadata: {name: a1},"
                    + " spec: {nodeName: n2, source: {persistentVolumeName: pv1}}}\n";
    private static final String MOUNT = "{apiVersion: mooring.dev/v1, kind: ActualVolume, metadata: {name: m1},"
            + " spec: {node: n1, persistentVolume: pv1}, status: {state: Mounted}}\n";

    private static String volume(String metadata, String phase) {
        return """
            {kind: PersistentVolume, metadata: {%s name: pv1}, x-top: 1,
             spec: {claimRef: {namespace: team, name: data, uid: u}, x-foreign: [1]}, status: {phase: %s, x-foreign: a}}
            """.formatted(metadata, phase);
    }

    private static ControllerFixture run(String... objects) {
        return new ControllerFixture(new VolumeProtectionController(), NAMESPACE + String.join("\n---\n", objects))
                .settle();
    }

    /** Cases I. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
        I1 |                    |                                                 | Available | PersistentVolumeFinalizerAdded
        I1 |                    | finalizers: [example.com/f],                    | Bound     | PersistentVolumeFinalizerAdded
        I2 |                    | finalizers: [kubernetes.io/pv-protection],      | Bound     |
        I4 | deletionTimestamp: '2026-01-01T00:00:00Z',| finalizers: [kubernetes.io/pv-protection], | Available | PersistentVolumeDeleted
        I4 | deletionTimestamp: '2026-01-01T00:00:00Z',| finalizers: [kubernetes.io/pv-protection], | Released  | PersistentVolumeDeleted
        I4 | deletionTimestamp: '2026-01-01T00:00:00Z',| finalizers: [kubernetes.io/pv-protection], | ''        | PersistentVolumeDeleted
        I4 | deletionTimestamp: '2026-01-01T00:00:00Z',| finalizers: [f.io/x, kubernetes.io/pv-protection], | Failed | PersistentVolumeFinalizerRemoved
        I6 | deletionTimestamp: '2026-01-01T00:00:00Z',| finalizers: [kubernetes.io/pv-protection], | Bound     | PersistentVolumeStatusUpdated
        -  | deletionTimestamp: '2026-01-01T00:00:00Z',| finalizers: [f.io/x],                      | Bound     |
        """)
    void volume_finalizerFollowsPhaseAndDeletion(
            String id, String deletion, String finalizers, String phase, String eventType) {
        String metadata = (deletion == null ? "" : deletion) + (finalizers == null ? "" : finalizers);
        ControllerFixture run = run(volume(metadata, phase.isEmpty() ? "''" : phase));
        assertThat(run.takeEvents()).isEqualTo(eventType == null ? List.of() : List.of(eventType + ' ' + KEY));
        run.world().get(ObjectKey.parse(KEY)).map(StoredObject::toTree).ifPresent(after -> {
            assertThat(after.at("/spec/x-foreign/0").asInt()).isEqualTo(1);
            assertThat(after.at("/status/x-foreign").asText()).isEqualTo("a");
            assertThat(after.path("x-top").asInt()).isEqualTo(1);
        });
        assertThat(new ControllerFixture(new VolumeProtectionController(), run.world())
                        .settle()
                        .takeEvents())
                .isEmpty();
    }

    @Test
    void volume_terminatingInUse_waitsForClaimAndNodesAndReports() {
        ControllerFixture run = run(volume(DELETED + FINALIZERS, "Bound"), ATTACHMENT, MOUNT);
        ObjectNode after = WorldFixture.tree(run.world(), KEY);
        assertThat(after.at("/status/message").asText())
                .isEqualTo("kept by kubernetes.io/pv-protection: bound to claim team/data: delete that claim to release"
                        + " the volume; mounted on node n1; attached to node n2");
        assertThat(after.at("/status/reason").asText()).isEqualTo("InUse");
        assertThat(events(run)).hasSize(1);
        run.takeEvents();
        run.put(volume(DELETED + FINALIZERS, "Released")).settle();
        assertThat(run.takeEvents())
                .containsExactly("EventRecorded " + events(run).get(0));
        run.remove("actualvolumes.mooring.dev/m1").settle();
        assertThat(run.keys()).contains(KEY);
        run.remove("volumeattachments.storage.k8s.io/a1").settle();
        assertThat(run.keys()).doesNotContain(KEY);
        assertThat(run.waiting()).isZero();
    }

    @Test
    void volume_finalizerRemoved_losesMessageToo() {
        ControllerFixture run =
                run(volume(DELETED + "finalizers: [f.io/x, kubernetes.io/pv-protection], ", "Available"), MOUNT);
        assertThat(WorldFixture.tree(run.world(), KEY).at("/status/reason").asText())
                .isEqualTo("InUse");
        run.remove("actualvolumes.mooring.dev/m1").settle();
        ObjectNode after = WorldFixture.tree(run.world(), KEY);
        assertThat(after.path("status").has("reason")).isFalse();
        assertThat(after.path("status").has("message")).isFalse();
        assertThat(Finalizers.of(after)).containsExactly("f.io/x");
    }

    @Test
    void volume_messageClearedByAnotherWriter_isNotRewritten() {
        ControllerFixture run = run(volume(DELETED + FINALIZERS, "Bound"));
        run.takeEvents();
        run.put(volume(DELETED + FINALIZERS, "Bound")).settle();
        assertThat(run.takeEvents()).isEmpty();
    }

    @Test
    void volume_mountNotYetDelivered_isKept() {
        VolumeProtectionController controller = new VolumeProtectionController();
        World known = WorldFixture.of(NAMESPACE + volume(DELETED + FINALIZERS, "Released"));
        Instant now = Instant.parse("2026-01-01T00:00:00Z");
        ObjectKey key = ObjectKey.parse(KEY);
        assertThat(controller.reconcile(known, key, now).proposals().get(0).type())
                .isEqualTo("PersistentVolumeDeleted");
        for (String undelivered : List.of(MOUNT, ATTACHMENT)) {
            World newer =
                    WorldFixture.put(known, WorldFixture.objects(undelivered).get(0));
            assertThat(controller.reconcile(newer, key, now).proposals().get(0).type())
                    .isEqualTo("EventRecorded");
        }
    }

    private static List<String> events(ControllerFixture run) {
        return run.world().stream(Scope.resource("events"))
                .sorted((left, right) -> Long.compare(right.revision(), left.revision()))
                .map(each -> each.key().text())
                .toList();
    }
}
