package dev.mooring.control.persistentvolume;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Annotations;
import dev.mooring.control.Controller;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Provisioning with crashes and with removed objects after every event. */
class ProvisioningCrashTest {
    private static final String CLAIM = "persistentvolumeclaims/default/data";
    private static final String VOLUME = "persistentvolumes/pvc-uid-data";
    private static final String SELECTED = "volume.kubernetes.io/selected-node";

    /** Upper bound of the number of events in any test here. */
    private static final int MAX_EVENTS = 60;

    /** The controller that requests volumes: a fake or the real one. */
    enum ClaimController {
        FAKE,
        REAL;

        private Controller create() {
            return this == REAL ? new PersistentVolumeController() : new FakeBinder();
        }
    }

    private static final String WORLD = """
        {kind: Namespace, metadata: {name: default}}
        ---
        {kind: Node, metadata: {name: n1}}
        ---
        {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: gold}, provisioner: mooring.dev/hostpath, parameters: {basePath: /srv}, volumeBindingMode: Immediate}
        ---
        {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: copper}, provisioner: mooring.dev/hostpath, parameters: {basePath: /srv},
         volumeBindingMode: WaitForFirstConsumer}
        """;

    private final FakeProvisioningNode.Disks disks = new FakeProvisioningNode.Disks();

    private static String claim(String uid, String className, String annotations) {
        return """
            ---
            kind: PersistentVolumeClaim
            metadata: {name: data, namespace: default, uid: %s, annotations: {%s}}
            spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: %s, volumeMode: Filesystem}
            status: {phase: Pending}
            """.formatted(uid, annotations, className);
    }

    private CrashableControllersFixture fixture(ClaimController controller, String claim) {
        disks.volumes.clear();
        return new CrashableControllersFixture(
                WORLD + claim,
                List.of(
                        controller::create,
                        () -> new ProvisionController(Map.of()),
                        () -> new FakeProvisioningNode(disks)));
    }

    /** Checks that the disks hold exactly the data of the volumes. */
    private void assertNoOrphan(CrashableControllersFixture fixture) {
        Set<String> volumes = new TreeSet<>();
        for (ObjectNode volume : fixture.all("persistentvolumes")) {
            if (volume.path("spec").has("hostPath")) {
                JsonPath path = new JsonPath(volume);
                volumes.add(path.node() + '/' + path.uid());
            }
        }
        assertThat(disks.volumes).isEqualTo(volumes);
        assertThat(fixture.all("volumeoperations.mooring.dev")).isEmpty();
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

    private static void assertBound(CrashableControllersFixture fixture, String volume) {
        assertThat(fixture.tree(CLAIM).path("status").path("phase").asText()).isEqualTo("Bound");
        assertThat(fixture.tree(CLAIM).path("spec").path("volumeName").asText()).isEqualTo(volume);
        assertThat(fixture.tree("persistentvolumes/" + volume)
                        .at("/spec/claimRef/uid")
                        .asText())
                .isEqualTo(fixture.tree(CLAIM).path("metadata").path("uid").asText());
    }

    @ParameterizedTest
    @EnumSource
    void claim_isProvisionedWithFourEvents(ClaimController controller) {
        CrashableControllersFixture fixture =
                fixture(controller, claim("uid-data", "gold", "")).settle();
        assertThat(fixture.takeEventTypes())
                .containsExactly(
                        "ProvisioningRequested",
                        "VolumeOperationUpdated",
                        "VolumeOperationUpdated",
                        "VolumeProvisioned");
        assertBound(fixture, "pvc-uid-data");
        assertNoOrphan(fixture);
        fixture.restart().advanceUntilSettled();
        assertThat(fixture.takeEventTypes()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void claim_crashAfterAnyEvent_getsOneVolume(ClaimController controller) {
        int crashes = 0;
        for (int events = 1; events < MAX_EVENTS; events++) {
            CrashableControllersFixture fixture = fixture(controller, claim("uid-data", "gold", ""));
            if (!fixture.killAfter(events)) {
                break;
            }
            crashes++;
            fixture.settle();
            assertBound(fixture, "pvc-uid-data");
            assertNoOrphan(fixture);
            assertThat(fixture.all("persistentvolumes")).hasSize(1);
            assertThat(fixture.events())
                    .containsExactly("Normal ProvisioningSucceeded: Successfully provisioned volume pvc-uid-data using"
                            + " mooring.dev/hostpath");
        }
        assertThat(crashes).isEqualTo(4);
    }

    @ParameterizedTest
    @EnumSource
    void claim_deletedAfterAnyEvent_leavesNoOrphans(ClaimController controller) {
        for (int events = 1; events <= 4; events++) {
            CrashableControllersFixture fixture = fixture(controller, claim("uid-data", "gold", ""));
            assertThat(fixture.killAfter(events)).isTrue();
            boolean provisioned = fixture.has(VOLUME);
            fixture.remove(CLAIM).settle();
            assertNoOrphan(fixture);
            assertThat(fixture.has(VOLUME)).isEqualTo(provisioned).isEqualTo(events == 4);
        }
    }

    @ParameterizedTest
    @EnumSource
    void claim_recreatedAfterAnyEvent_getsItsOwnVolume(ClaimController controller) {
        for (int events = 1; events <= 4; events++) {
            for (int later = 1; later < MAX_EVENTS; later++) {
                CrashableControllersFixture fixture = fixture(controller, claim("uid-data", "gold", ""));
                assertThat(fixture.killAfter(events)).isTrue();
                fixture.remove(CLAIM).put(claim("uid-second", "gold", ""));
                boolean killed = fixture.killAfter(later);
                fixture.settle();
                assertBound(fixture, "pvc-uid-second");
                assertNoOrphan(fixture);
                if (!killed) {
                    break;
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void foreignVolume_createdAfterAnyEvent_isKept(ClaimController controller) {
        String foreign =
                "{kind: PersistentVolume, metadata: {name: pvc-uid-data, uid: foreign}, spec: {capacity: {storage:"
                        + " 1Gi}, accessModes: [ReadWriteMany], storageClassName: other, nfs: {server: nas, path: /x}},"
                        + " status: {phase: Available}}";
        for (int events = 1; events <= 3; events++) {
            CrashableControllersFixture fixture = fixture(controller, claim("uid-data", "gold", ""));
            assertThat(fixture.killAfter(events)).isTrue();
            fixture.put(foreign).settle();
            assertNoOrphan(fixture);
            assertThat(fixture.tree(VOLUME).path("metadata").path("uid").asText())
                    .isEqualTo("foreign");
            assertThat(fixture.tree(CLAIM).path("status").path("phase").asText())
                    .isEqualTo("Pending");
            assertThat(fixture.events()).anyMatch(event -> event.contains("another client created it"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void claim_selectedNodeFull_getsVolumeOnNextSelectedNode(ClaimController controller) {
        disks.full.add("n1");
        for (int events = 1; events < MAX_EVENTS; events++) {
            CrashableControllersFixture fixture = fixture(controller, claim("uid-data", "copper", SELECTED + ": n1"));
            fixture.put("{kind: Node, metadata: {name: n2}}");
            boolean killed = fixture.killAfter(events);
            fixture.settle();
            assertNoOrphan(fixture);
            assertThat(fixture.tree(CLAIM).path("metadata").path("annotations").has(SELECTED))
                    .isFalse();
            assertThat(fixture.events())
                    .contains("Warning ProvisioningFailed: failed to provision volume with StorageClass \"copper\": no"
                            + " space left on n1");
            fixture.edit(CLAIM, claim -> Annotations.put(claim, SELECTED, "n2")).settle();
            assertBound(fixture, "pvc-uid-data");
            assertNoOrphan(fixture);
            assertThat(disks.volumes).singleElement().asString().startsWith("n2/");
            if (!killed) {
                return;
            }
        }
        assertThat(MAX_EVENTS).as("runs that did not end").isZero();
    }

    @ParameterizedTest
    @EnumSource
    void claim_onlyNodeFull_isRetriedWithBackoff(ClaimController controller) {
        disks.full.add("n1");
        CrashableControllersFixture fixture = fixture(controller, claim("uid-data", "copper", ""));
        for (int second = 0; second < 240; second++) {
            selectNode(fixture).advance(Duration.ofSeconds(1));
        }
        assertThat(fixture.takeEventTypes().stream().filter("ProvisioningGivenBack"::equals))
                .hasSizeBetween(4, 10);
        disks.full.clear();
        selectNode(fixture).advanceUntilSettled();
        selectNode(fixture).advanceUntilSettled();
        assertBound(fixture, "pvc-uid-data");
        assertNoOrphan(fixture);
        assertThat(fixture.tree(CLAIM).path("metadata").path("annotations").has(ProvisionSync.FAILURES))
                .isFalse();
    }

    /** Selects the only node, like a scheduler. */
    private static CrashableControllersFixture selectNode(CrashableControllersFixture fixture) {
        return fixture.tree(CLAIM).path("metadata").path("annotations").has(SELECTED)
                ? fixture
                : fixture.edit(CLAIM, claim -> Annotations.put(claim, SELECTED, "n1"));
    }

    @ParameterizedTest
    @EnumSource
    void claim_provisioningFails_keepsItsMessageUntilItChanges(ClaimController controller) {
        disks.full.add("n1");
        CrashableControllersFixture fixture =
                fixture(controller, claim("uid-data", "gold", "")).settle();
        assertThat(fixture.tree(CLAIM).at("/status/conditions/0/message").asText())
                .isEqualTo("failed to provision volume with StorageClass \"gold\": no space left on n1");
        fixture.takeEventTypes();
        fixture.advanceUntilSettled();
        assertThat(fixture.takeEventTypes()).containsOnly("VolumeOperationUpdated");
        fixture.put("{kind: Node, metadata: {name: n1}, status: {conditions: [{type: Ready, status: Unknown}]}}")
                .advanceUntilSettled();
        assertThat(fixture.tree(CLAIM).at("/status/conditions/0/message").asText())
                .contains("it must become ready to finish");
        fixture.takeEventTypes();
        fixture.advanceUntilSettled();
        assertThat(fixture.takeEventTypes()).isEmpty();
        disks.full.clear();
        fixture.put("{kind: Node, metadata: {name: n1}}").advanceUntilSettled();
        assertBound(fixture, "pvc-uid-data");
        assertNoOrphan(fixture);
    }

    @Test
    void deletion_failsAtFirst_isReportedAndCompletedLater() {
        disks.stuck.add("n1");
        CrashableControllersFixture fixture = fixture(ClaimController.REAL, claim("uid-data", "gold", ""));
        assertThat(fixture.killAfter(3)).isTrue();
        fixture.remove(CLAIM).advanceUntilSettled();
        assertThat(disks.volumes).hasSize(1);
        assertThat(fixture.events())
                .containsExactly(
                        "Warning ProvisioningCleanupFailed: Error cleaning provisioned volume for claim default/data:"
                            + " data of an earlier attempt on node \"n1\" is being removed first: device or resource"
                            + " busy");
        disks.stuck.clear();
        fixture.advanceUntilSettled();
        assertNoOrphan(fixture);
    }
}
