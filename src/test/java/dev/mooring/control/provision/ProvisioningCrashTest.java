package dev.mooring.control.provision;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.bind.Binder;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** From the claim to the volume with everything killed at any moment, and everything pulled away at any moment. */
class ProvisioningCrashTest {
    private static final String CLAIM = "persistentvolumeclaims/default/data";
    private static final String VOLUME = "persistentvolumes/pvc-uid-data";
    private static final String SELECTED = "volume.kubernetes.io/selected-node";

    /** No sequence of events here is longer. */
    private static final int MOST_EVENTS = 60;

    /** Who asks for volumes: as little of the Binder as is needed, or all of it. */
    enum Asker {
        ASKING,
        BINDER;

        private Controller make() {
            return this == BINDER ? new Binder() : new Asking();
        }
    }

    private static final String WORLD = """
        {kind: Namespace, metadata: {name: default}}
        ---
        {kind: Node, metadata: {name: n1}}
        ---
        {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: gold}, provisioner: mooring.dev/hostpath, volumeBindingMode: Immediate}
        ---
        {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: copper}, provisioner: mooring.dev/hostpath,
         volumeBindingMode: WaitForFirstConsumer}
        """;

    private final FakeNode.Disks disks = new FakeNode.Disks();

    private static String claim(String uid, String className, String annotations) {
        return """
            ---
            kind: PersistentVolumeClaim
            metadata: {name: data, namespace: default, uid: %s, annotations: {%s}}
            spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: %s, volumeMode: Filesystem}
            status: {phase: Pending}
            """.formatted(uid, annotations, className);
    }

    private Stage stage(Asker asker, String claim) {
        disks.made.clear();
        return new Stage(WORLD + claim, List.of(asker::make, ProvisionController::new, () -> new FakeNode(disks)));
    }

    /** What is on the disks is what volumes stand for. */
    private void assertNoOrphan(Stage stage) {
        Set<String> volumes = new TreeSet<>();
        for (ObjectNode volume : stage.all("persistentvolumes")) {
            if (volume.path("spec").has("hostPath")) {
                JsonPath path = new JsonPath(volume);
                volumes.add(path.node() + '/' + path.uid());
            }
        }
        assertThat(disks.made).isEqualTo(volumes);
        assertThat(stage.all("volumeoperations.mooring.dev")).isEmpty();
    }

    private record JsonPath(ObjectNode volume) {
        String node() {
            return volume.at("/spec/nodeAffinity/required/nodeSelectorTerms/0/matchExpressions/0/values/0")
                    .asText();
        }

        String uid() {
            return volume.path("metadata").path("uid").asText();
        }
    }

    private static void assertBound(Stage stage, String volume) {
        assertThat(stage.tree(CLAIM).path("status").path("phase").asText()).isEqualTo("Bound");
        assertThat(stage.tree(CLAIM).path("spec").path("volumeName").asText()).isEqualTo(volume);
        assertThat(stage.tree("persistentvolumes/" + volume)
                        .at("/spec/claimRef/uid")
                        .asText())
                .isEqualTo(stage.tree(CLAIM).path("metadata").path("uid").asText());
    }

    @ParameterizedTest
    @EnumSource
    void aVolumeIsMadeWithFourEventsAndThenThereIsPeace(Asker asker) {
        Stage stage = stage(asker, claim("uid-data", "gold", "")).settle();
        assertThat(stage.happened())
                .containsExactly(
                        "ProvisioningRequested",
                        "VolumeOperationUpdated",
                        "VolumeOperationUpdated",
                        "VolumeProvisioned");
        assertBound(stage, "pvc-uid-data");
        assertNoOrphan(stage);
        stage.restart().passAll();
        assertThat(stage.happened()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void aCrashAfterAnyEventChangesNothing(Asker asker) {
        int kills = 0;
        for (int events = 1; events < MOST_EVENTS; events++) {
            Stage stage = stage(asker, claim("uid-data", "gold", ""));
            if (!stage.killAfter(events)) {
                break;
            }
            kills++;
            stage.settle();
            assertBound(stage, "pvc-uid-data");
            assertNoOrphan(stage);
            assertThat(stage.all("persistentvolumes")).hasSize(1);
            assertThat(stage.told())
                    .containsExactly("Normal ProvisioningSucceeded: Successfully provisioned volume pvc-uid-data using"
                            + " mooring.dev/hostpath");
        }
        assertThat(kills).isEqualTo(4);
    }

    @ParameterizedTest
    @EnumSource
    void aClaimDeletedAfterAnyEventLeavesNothingBehind(Asker asker) {
        for (int events = 1; events <= 4; events++) {
            Stage stage = stage(asker, claim("uid-data", "gold", ""));
            assertThat(stage.killAfter(events)).isTrue();
            boolean made = stage.has(VOLUME);
            stage.remove(CLAIM).settle();
            assertNoOrphan(stage);
            assertThat(stage.has(VOLUME)).isEqualTo(made).isEqualTo(events == 4);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aClaimReplacedByItsNamesakeAfterAnyEventGetsAVolumeOfItsOwn(Asker asker) {
        for (int events = 1; events <= 4; events++) {
            for (int later = 1; later < MOST_EVENTS; later++) {
                Stage stage = stage(asker, claim("uid-data", "gold", ""));
                assertThat(stage.killAfter(events)).isTrue();
                stage.remove(CLAIM).put(claim("uid-second", "gold", ""));
                boolean killed = stage.killAfter(later);
                stage.settle();
                assertBound(stage, "pvc-uid-second");
                assertNoOrphan(stage);
                if (!killed) {
                    break;
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aVolumeThatSomebodyElseMakesAfterAnyEventIsLeftAlone(Asker asker) {
        String rival =
                "{kind: PersistentVolume, metadata: {name: pvc-uid-data, uid: foreign}, spec: {capacity: {storage:"
                        + " 1Gi}, accessModes: [ReadWriteMany], storageClassName: other, nfs: {server: nas, path: /x}},"
                        + " status: {phase: Available}}";
        for (int events = 1; events <= 3; events++) {
            Stage stage = stage(asker, claim("uid-data", "gold", ""));
            assertThat(stage.killAfter(events)).isTrue();
            stage.put(rival).settle();
            assertNoOrphan(stage);
            assertThat(stage.tree(VOLUME).path("metadata").path("uid").asText()).isEqualTo("foreign");
            assertThat(stage.tree(CLAIM).path("status").path("phase").asText()).isEqualTo("Pending");
            assertThat(stage.told()).anyMatch(told -> told.contains("somebody else has created it"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void aChoiceThatFailsIsGivenBackAndTheNextOneGetsTheVolume(Asker asker) {
        disks.full.add("n1");
        for (int events = 1; events < MOST_EVENTS; events++) {
            Stage stage = stage(asker, claim("uid-data", "copper", SELECTED + ": n1"));
            stage.put("{kind: Node, metadata: {name: n2}}");
            boolean killed = stage.killAfter(events);
            stage.settle();
            assertNoOrphan(stage);
            assertThat(stage.tree(CLAIM).path("metadata").path("annotations").has(SELECTED))
                    .isFalse();
            assertThat(stage.told())
                    .contains("Warning ProvisioningFailed: failed to provision volume with StorageClass \"copper\": no"
                            + " space left on n1");
            stage.edit(CLAIM, claim -> Annotations.put(claim, SELECTED, "n2")).settle();
            assertBound(stage, "pvc-uid-data");
            assertNoOrphan(stage);
            assertThat(disks.made).singleElement().asString().startsWith("n2/");
            if (!killed) {
                return;
            }
        }
        assertThat(MOST_EVENTS).as("events without an end").isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aSchedulerWithoutAnAlternativeDoesNotGoRoundInCircles(Asker asker) {
        disks.full.add("n1");
        Stage stage = stage(asker, claim("uid-data", "copper", ""));
        for (int second = 0; second < 240; second++) {
            choose(stage).pass(Duration.ofSeconds(1));
        }
        assertThat(stage.happened().stream().filter("ProvisioningGivenBack"::equals))
                .hasSizeBetween(4, 10);
        disks.full.clear();
        choose(stage).passAll();
        choose(stage).passAll();
        assertBound(stage, "pvc-uid-data");
        assertNoOrphan(stage);
        assertThat(stage.tree(CLAIM).path("metadata").path("annotations").has(Making.FAILURES))
                .isFalse();
    }

    /** What a scheduler does with only one node. */
    private static Stage choose(Stage stage) {
        return stage.tree(CLAIM).path("metadata").path("annotations").has(SELECTED)
                ? stage
                : stage.edit(CLAIM, claim -> Annotations.put(claim, SELECTED, "n1"));
    }

    @ParameterizedTest
    @EnumSource
    void whoeverSaysWhatAClaimWaitsForNobodyTakesItBack(Asker asker) {
        disks.full.add("n1");
        Stage stage = stage(asker, claim("uid-data", "gold", "")).settle();
        assertThat(stage.tree(CLAIM).at("/status/conditions/0/message").asText())
                .isEqualTo("failed to provision volume with StorageClass \"gold\": no space left on n1");
        stage.happened();
        stage.passAll();
        assertThat(stage.happened()).containsOnly("VolumeOperationUpdated");
        stage.put("{kind: Node, metadata: {name: n1}, status: {conditions: [{type: Ready, status: Unknown}]}}")
                .passAll();
        assertThat(stage.tree(CLAIM).at("/status/conditions/0/message").asText())
                .contains("it must come back to finish");
        stage.happened();
        stage.passAll();
        assertThat(stage.happened()).isEmpty();
        disks.full.clear();
        stage.put("{kind: Node, metadata: {name: n1}}").passAll();
        assertBound(stage, "pvc-uid-data");
        assertNoOrphan(stage);
    }

    @Test
    void aRemovalThatIsStuckIsDoneLater() {
        disks.stuck.add("n1");
        Stage stage = stage(Asker.BINDER, claim("uid-data", "gold", ""));
        assertThat(stage.killAfter(3)).isTrue();
        stage.remove(CLAIM).passAll();
        assertThat(disks.made).hasSize(1);
        assertThat(stage.told())
                .containsExactly(
                        "Warning ProvisioningCleanupFailed: Error cleaning provisioned volume for claim default/data:"
                            + " what was begun before on node \"n1\" is being removed first: device or resource busy");
        disks.stuck.clear();
        stage.passAll();
        assertNoOrphan(stage);
    }
}
