package dev.mooring.control.persistentvolume;

import static dev.mooring.control.persistentvolume.ProvisionFixture.BASE;
import static dev.mooring.control.persistentvolume.ProvisionFixture.CLAIM;
import static dev.mooring.control.persistentvolume.ProvisionFixture.DELETE_SPEC;
import static dev.mooring.control.persistentvolume.ProvisionFixture.OPERATION;
import static dev.mooring.control.persistentvolume.ProvisionFixture.PROVISION_SPEC;
import static dev.mooring.control.persistentvolume.ProvisionFixture.SUCCEEDED_STATUS;
import static dev.mooring.control.persistentvolume.ProvisionFixture.UID;
import static dev.mooring.control.persistentvolume.ProvisionFixture.VOLUME;
import static dev.mooring.control.persistentvolume.ProvisionFixture.claim;
import static dev.mooring.control.persistentvolume.ProvisionFixture.condition;
import static dev.mooring.control.persistentvolume.ProvisionFixture.events;
import static dev.mooring.control.persistentvolume.ProvisionFixture.operation;
import static dev.mooring.control.persistentvolume.ProvisionFixture.run;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.WorldFixture;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The ProvisionController's reaction to each state of an operation and its claim. */
class ProvisionControllerTest {
    @Test
    void operation_succeeded_createsAndBindsVolumeInOneEvent() {
        ControllerFixture run = run(
                BASE + claim("mooring.dev/provisioning-failures: '3'") + operation(PROVISION_SPEC, SUCCEEDED_STATUS));
        assertThat(run.takeEvents()).containsExactly("VolumeProvisioned " + VOLUME);
        assertThat(run.keys()).doesNotContain(OPERATION);
        ObjectNode expected = WorldFixture.objects("""
            kind: PersistentVolume
            metadata:
              name: pvc-uid-data
              uid: %s
              creationTimestamp: '2026-01-01T00:00:00Z'
              annotations: {pv.kubernetes.io/bound-by-controller: 'yes', pv.kubernetes.io/provisioned-by: mooring.dev/hostpath,
                            mooring.dev/on-delete: archive, mooring.dev/base-path: /srv}
              finalizers: [kubernetes.io/pv-protection, kubernetes.io/pv-controller]
              resourceVersion: '7'
            spec:
              capacity: {storage: 2Gi}
              hostPath: {path: /srv/pvc-uid-data, type: Directory}
              accessModes: [ReadWriteOnce, ReadOnlyMany]
              claimRef: {kind: PersistentVolumeClaim, namespace: default, name: data, uid: uid-data, apiVersion: v1, resourceVersion: '5'}
              persistentVolumeReclaimPolicy: Delete
              storageClassName: gold
              volumeMode: Filesystem
              nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [host-1]}]}]}}
            status: {phase: Bound, lastPhaseTransitionTime: '2026-01-01T00:00:00Z'}
            """.formatted(UID)).get(0);
        assertThat(WorldFixture.tree(run.world(), VOLUME)).isEqualTo(expected);
        ObjectNode claim = WorldFixture.tree(run.world(), CLAIM);
        assertThat(claim.path("spec").path("volumeName").asText()).isEqualTo("pvc-uid-data");
        assertThat(claim.path("spec").path("unknown").asText()).isEqualTo("kept");
        assertThat(claim.path("status").path("phase").asText()).isEqualTo("Bound");
        assertThat(claim.path("status").path("capacity").path("storage").asText())
                .isEqualTo("2Gi");
        assertThat(claim.path("status").path("conditions"))
                .singleElement()
                .satisfies(condition -> assertThat(condition.toString())
                        .contains("\"type\":\"Bound\",\"status\":\"True\"", "\"lastProbeTime\":\"2026-"));
        assertThat(claim.path("metadata").path("annotations").properties())
                .extracting(java.util.Map.Entry::getKey)
                .containsExactlyInAnyOrder(
                        "foreign", "pv.kubernetes.io/bind-completed", "pv.kubernetes.io/bound-by-controller");
        assertThat(events(run))
                .containsExactly("Normal ProvisioningSucceeded: Successfully provisioned volume pvc-uid-data using"
                        + " mooring.dev/hostpath");
    }

    @Test
    void operation_succeeded_volumeGetsClassSettingsOfItsStart() {
        String nfs = operation(
                        "operation: Provision, node: n1, provisioner: mooring.dev/nfs",
                        "{state: Succeeded, source: {nfs: {server: nas, path: /export/pvc-uid-data}}}")
                .replace(
                        "mooring.dev/reclaim-policy: Delete",
                        "mooring.dev/reclaim-policy: Retain, mooring.dev/mount-options: \"vers=4.2\\nhard\"")
                .replace("onDelete: archive, basePath: /srv", "");
        ControllerFixture run = run(BASE + claim("") + nfs);
        ObjectNode volume = WorldFixture.tree(run.world(), VOLUME);
        assertThat(volume.path("metadata").path("finalizers")).hasSize(1);
        assertThat(volume.path("metadata").path("annotations")).hasSize(2);
        assertThat(volume.path("spec").has("nodeAffinity")).isFalse();
        assertThat(volume.path("spec").path("mountOptions")).hasToString("[\"vers=4.2\",\"hard\"]");
        assertThat(volume.path("spec").path("persistentVolumeReclaimPolicy").asText())
                .isEqualTo("Retain");
        assertThat(volume.path("spec").path("capacity").path("storage").asText())
                .isEqualTo("1Gi");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "---\n"
                    + "{kind: PersistentVolumeClaim, metadata: {name: data, namespace: default, uid: another}, spec:"
                    + " {storageClassName: gold}}",
                "---\n"
                        + "{kind: PersistentVolumeClaim, metadata: {name: data, namespace: default, uid: uid-data,"
                        + " deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [x]}}",
                "---\n"
                    + "{kind: PersistentVolumeClaim, metadata: {name: data, namespace: default, uid: uid-data}, spec:"
                    + " {volumeName: other}}",
                "---\n"
                        + "{kind: PersistentVolumeClaim, metadata: {name: data, namespace: default, uid: uid-data,"
                        + " annotations: {pv.kubernetes.io/bind-completed: 'yes'}}, spec: {volumeName: pvc-uid-data}}"
            })
    void operation_claimGoneOrBoundElsewhere_becomesDeleteWithoutEvent(String claim) {
        for (String status : List.of("{}", "{state: Running}", "{state: Failed}", SUCCEEDED_STATUS)) {
            ControllerFixture run = run(BASE + claim + operation(PROVISION_SPEC, status));
            assertThat(run.takeEvents()).containsExactly("ProvisioningAbandoned " + OPERATION);
            ObjectNode operation = WorldFixture.tree(run.world(), OPERATION);
            assertThat(operation.path("spec").path("operation").asText()).isEqualTo("Delete");
            assertThat(operation.path("spec").path("parameters")).hasToString("{\"basePath\":\"/srv\"}");
            assertThat(operation.path("spec").path("path").asText()).isEqualTo("pvc-uid-data");
            assertThat(operation.path("spec").path("source").isObject()).isEqualTo(status.equals(SUCCEEDED_STATUS));
            assertThat(operation.has("status")).isFalse();
            assertThat(events(run)).isEmpty();
        }
    }

    @Test
    void operation_foreignVolumeOfTheSameName_isAbandonedAndReported() {
        ControllerFixture run = run(BASE + claim("") + operation(PROVISION_SPEC, SUCCEEDED_STATUS)
                + "---\n{kind: PersistentVolume, metadata: {name: pvc-uid-data, uid: foreign}, spec: {}}");
        assertThat(run.takeEvents()).containsExactly("ProvisioningAbandoned " + OPERATION);
        assertThat(events(run))
                .containsExactly("Warning ProvisioningFailed: failed to provision volume with StorageClass \"gold\":"
                        + " PersistentVolume \"pvc-uid-data\" already exists: another client created it");
    }

    @ParameterizedTest
    @ValueSource(strings = {PROVISION_SPEC, DELETE_SPEC})
    void operation_volumeExists_isRemovedWithoutDeletingData(String work) {
        String volume = "---\n{kind: PersistentVolume, metadata: {name: pvc-uid-data, uid: " + UID + "}, spec: {}}";
        for (String status : List.of("{}", "{state: Running}", "{state: Failed}", SUCCEEDED_STATUS)) {
            ControllerFixture run = run(BASE + operation(work, status) + volume);
            assertThat(run.takeEvents()).containsExactly("ProvisioningFinished " + OPERATION);
            assertThat(run.keys()).contains(VOLUME).doesNotContain(OPERATION);
        }
    }

    @Test
    void operation_failsRepeatedly_reportsEachMessageOnce() {
        ControllerFixture run = run(BASE
                + claim("")
                + operation(PROVISION_SPEC, "{state: Failed, attempts: 1, lastError: {message: disk full}}"));
        assertThat(run.takeEvents()).containsExactly("ProvisioningFailed " + CLAIM);
        String text = "failed to provision volume with StorageClass \"gold\": disk full";
        assertThat(condition(run)).isEqualTo("ProvisioningFailed: " + text);
        assertThat(events(run)).containsExactly("Warning ProvisioningFailed: " + text);
        run.put(operation(PROVISION_SPEC, "{state: Running, attempts: 1, lastError: {message: disk full}}"))
                .settle();
        run.put(operation(PROVISION_SPEC, "{state: Failed, attempts: 2, lastError: {message: disk full}}"))
                .settle();
        assertThat(run.takeEvents()).isEmpty();
        run.put(operation(PROVISION_SPEC, "{state: Failed, attempts: 3, lastError: {message: read-only}}"))
                .settle();
        assertThat(events(run)).hasSize(2);
        assertThat(run.takeEvents()).containsExactly("ProvisioningFailed " + CLAIM);
        run.put(operation(PROVISION_SPEC, "{state: Running}")).settle();
        assertThat(run.takeEvents()).containsExactly("ProvisioningResumed " + CLAIM);
        assertThat(condition(run))
                .isEqualTo("Provisioning: waiting for node \"n1\" to provision volume \"pvc-uid-data\" with"
                        + " mooring.dev/hostpath");
    }

    @Test
    void operation_failedWhileClaimHasAnotherCondition_keepsThatCondition() {
        String waiting = claim("").replace("reason: Provisioning", "reason: WaitForFirstConsumer");
        ControllerFixture run =
                run(BASE + waiting + operation(PROVISION_SPEC, "{state: Failed, lastError: {message: disk full}}"));
        assertThat(run.takeEvents()).containsExactly("EventRecorded events/default/" + eventName(run));
        assertThat(condition(run)).isEqualTo("WaitForFirstConsumer: waiting");
    }

    private static String eventName(ControllerFixture run) {
        return run.keys().stream()
                .filter(key -> key.startsWith("events/"))
                .findFirst()
                .orElseThrow()
                .substring("events/default/".length());
    }

    @Test
    void deleteOperation_reportsFailureAndIsRemovedOnSuccess() {
        ControllerFixture run =
                run(BASE + claim("") + operation(DELETE_SPEC, "{state: Failed, lastError: {message: busy}}"));
        String text = "data of an earlier attempt on node \"n1\" is being removed first: busy";
        assertThat(condition(run)).isEqualTo("ProvisioningFailed: " + text);
        assertThat(events(run))
                .containsExactly(
                        "Warning ProvisioningCleanupFailed: Error cleaning provisioned volume for claim default/data: "
                                + text);
        run.takeEvents();
        run.put(operation(DELETE_SPEC, "{state: Running}")).settle();
        assertThat(run.takeEvents()).isEmpty();
        run.put(operation(DELETE_SPEC, "{state: Succeeded}")).settle();
        assertThat(run.takeEvents()).containsExactly("ProvisioningCleanedUp " + OPERATION);
        assertThat(run.keys()).doesNotContain(OPERATION);
    }

    @Test
    void controller_foreignOperationsAndUnrelatedChanges_areIgnored() {
        String foreign = operation(PROVISION_SPEC, SUCCEEDED_STATUS).replace("provision-uid-data", "delete-x")
                + operation("operation: Grow, node: n1, provisioner: mooring.dev/block", SUCCEEDED_STATUS)
                        .replace("provision-uid-data", "grow-x");
        ControllerFixture run = run(BASE + claim("") + foreign);
        assertThat(run.takeEvents()).isEmpty();
        int reconciles = run.reconciles();
        run.put(claim("x: y"))
                .put("{kind: Node, metadata: {name: n1, annotations: {beat: '1'}}}")
                .settle();
        assertThat(run.reconciles()).isEqualTo(reconciles);
    }
}
