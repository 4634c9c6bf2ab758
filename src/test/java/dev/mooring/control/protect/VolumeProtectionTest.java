package dev.mooring.control.protect;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.OneController;
import dev.mooring.control.StoredJson;
import dev.mooring.control.Worlds;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VolumeProtectionTest {
    private static final String KEY = "persistentvolumes/pv1";
    private static final String HOME = "{kind: Namespace, metadata: {name: default}}\n---\n";
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

    private static OneController run(String... objects) {
        return new OneController(new VolumeProtection(), HOME + String.join("\n---\n", objects)).settle();
    }

    /** I. */
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
    void keepsVolumesThatAreBound(String id, String deletion, String finalizers, String phase, String did) {
        String metadata = (deletion == null ? "" : deletion) + (finalizers == null ? "" : finalizers);
        OneController run = run(volume(metadata, phase.isEmpty() ? "''" : phase));
        assertThat(run.did()).isEqualTo(did == null ? List.of() : List.of(did + ' ' + KEY));
        run.world().get(ObjectKey.parse(KEY)).map(StoredJson::tree).ifPresent(after -> {
            assertThat(after.at("/spec/x-foreign/0").asInt()).isEqualTo(1);
            assertThat(after.at("/status/x-foreign").asText()).isEqualTo("a");
            assertThat(after.path("x-top").asInt()).isEqualTo(1);
        });
        assertThat(new OneController(new VolumeProtection(), run.world())
                        .settle()
                        .did())
                .isEmpty();
    }

    @Test
    void waitsForTheClaimThenForTheNodesAndSaysSo() {
        OneController run = run(volume(DELETED + FINALIZERS, "Bound"), ATTACHMENT, MOUNT);
        ObjectNode after = Worlds.tree(run.world(), KEY);
        assertThat(after.at("/status/message").asText())
                .isEqualTo(
                        "kept by kubernetes.io/pv-protection: bound to claim team/data: delete that to let go; mounted"
                                + " on node n1; attached to node n2");
        assertThat(after.at("/status/reason").asText()).isEqualTo("InUse");
        assertThat(events(run)).hasSize(1);
        run.did();
        run.put(volume(DELETED + FINALIZERS, "Released")).settle();
        assertThat(run.did()).containsExactly("EventRecorded " + events(run).get(0));
        run.remove("actualvolumes.mooring.dev/m1").settle();
        assertThat(run.keys()).contains(KEY);
        run.remove("volumeattachments.storage.k8s.io/a1").settle();
        assertThat(run.keys()).doesNotContain(KEY);
        assertThat(run.waiting()).isZero();
    }

    @Test
    void takesItsWordsBackWithTheFinalizer() {
        OneController run =
                run(volume(DELETED + "finalizers: [f.io/x, kubernetes.io/pv-protection], ", "Available"), MOUNT);
        assertThat(Worlds.tree(run.world(), KEY).at("/status/reason").asText()).isEqualTo("InUse");
        run.remove("actualvolumes.mooring.dev/m1").settle();
        ObjectNode after = Worlds.tree(run.world(), KEY);
        assertThat(after.path("status").has("reason")).isFalse();
        assertThat(after.path("status").has("message")).isFalse();
        assertThat(Finalizers.of(after)).containsExactly("f.io/x");
    }

    @Test
    void doesNotQuarrelAboutWordsThatSomebodyTakesAway() {
        OneController run = run(volume(DELETED + FINALIZERS, "Bound"));
        run.did();
        run.put(volume(DELETED + FINALIZERS, "Bound")).settle();
        assertThat(run.did()).isEmpty();
    }

    @Test
    void looksInTheWorldForMountsItHasNotBeenToldYet() {
        VolumeProtection controller = new VolumeProtection();
        World told = Worlds.of(HOME + volume(DELETED + FINALIZERS, "Released"));
        for (StoredObject each : told.list(Scope.all())) {
            controller.follow(Change.put(each, 0), Optional.empty(), told, new Deaf());
        }
        Instant now = Instant.parse("2026-01-01T00:00:00Z");
        ObjectKey key = ObjectKey.parse(KEY);
        assertThat(controller.reconcile(told, key, now).proposals().get(0).type())
                .isEqualTo("PersistentVolumeDeleted");
        for (String untold : List.of(MOUNT, ATTACHMENT)) {
            World newer = Worlds.put(told, Worlds.objects(untold).get(0));
            assertThat(controller.reconcile(newer, key, now).proposals().get(0).type())
                    .isEqualTo("EventRecorded");
        }
    }

    private static List<String> events(OneController run) {
        return run.world().stream(Scope.resource("events"))
                .sorted((one, other) -> Long.compare(other.revision(), one.revision()))
                .map(each -> each.key().text())
                .toList();
    }

    private record Deaf() implements Controller.Wakes {
        @Override
        public void now(ObjectKey key) {}

        @Override
        public void within(ObjectKey key, Duration delay) {}
    }
}
