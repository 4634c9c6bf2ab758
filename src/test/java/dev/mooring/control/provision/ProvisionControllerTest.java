package dev.mooring.control.provision;

import static dev.mooring.control.provision.ProvisionScene.AROUND;
import static dev.mooring.control.provision.ProvisionScene.CLAIM;
import static dev.mooring.control.provision.ProvisionScene.MADE;
import static dev.mooring.control.provision.ProvisionScene.MAKING;
import static dev.mooring.control.provision.ProvisionScene.OPERATION;
import static dev.mooring.control.provision.ProvisionScene.REMOVING;
import static dev.mooring.control.provision.ProvisionScene.UID;
import static dev.mooring.control.provision.ProvisionScene.VOLUME;
import static dev.mooring.control.provision.ProvisionScene.claim;
import static dev.mooring.control.provision.ProvisionScene.condition;
import static dev.mooring.control.provision.ProvisionScene.operation;
import static dev.mooring.control.provision.ProvisionScene.run;
import static dev.mooring.control.provision.ProvisionScene.told;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.OneController;
import dev.mooring.control.Worlds;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An operation and its claim: from each state to the next. */
class ProvisionControllerTest {
    @Test
    void bindsWhatWasMadeInOneEvent() {
        OneController run = run(AROUND + claim("mooring.dev/provisioning-failures: '3'") + operation(MAKING, MADE));
        assertThat(run.did()).containsExactly("VolumeProvisioned " + VOLUME);
        assertThat(run.keys()).doesNotContain(OPERATION);
        ObjectNode expected = Worlds.objects("""
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
              hostPath: {path: /srv/x, type: Directory}
              accessModes: [ReadWriteOnce, ReadOnlyMany]
              claimRef: {kind: PersistentVolumeClaim, namespace: default, name: data, uid: uid-data, apiVersion: v1, resourceVersion: '5'}
              persistentVolumeReclaimPolicy: Delete
              storageClassName: gold
              volumeMode: Filesystem
              nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [host-1]}]}]}}
            status: {phase: Bound, lastPhaseTransitionTime: '2026-01-01T00:00:00Z'}
            """.formatted(UID)).get(0);
        assertThat(Worlds.tree(run.world(), VOLUME)).isEqualTo(expected);
        ObjectNode claim = Worlds.tree(run.world(), CLAIM);
        assertThat(claim.path("spec").path("volumeName").asText()).isEqualTo("pvc-uid-data");
        assertThat(claim.path("spec").path("unknown").asText()).isEqualTo("kept");
        assertThat(claim.path("status").path("phase").asText()).isEqualTo("Bound");
        assertThat(claim.path("status").path("capacity").path("storage").asText())
                .isEqualTo("2Gi");
        assertThat(claim.path("status").has("conditions")).isFalse();
        assertThat(claim.path("metadata").path("annotations").properties())
                .extracting(java.util.Map.Entry::getKey)
                .containsExactlyInAnyOrder(
                        "foreign", "pv.kubernetes.io/bind-completed", "pv.kubernetes.io/bound-by-controller");
        assertThat(told(run))
                .containsExactly("Normal ProvisioningSucceeded: Successfully provisioned volume pvc-uid-data using"
                        + " mooring.dev/hostpath");
    }

    @Test
    void writesWhatTheClassSaidWhenTheWorkBegan() {
        String nfs = operation(
                        "operation: Provision, node: n1, provisioner: mooring.dev/nfs",
                        "{state: Succeeded, source: {nfs: {server: nas, path: /x}}}")
                .replace(
                        "mooring.dev/reclaim-policy: Delete",
                        "mooring.dev/reclaim-policy: Retain, mooring.dev/mount-options: \"vers=4.2\\nhard\"")
                .replace("onDelete: archive, basePath: /srv", "");
        OneController run = run(AROUND + claim("") + nfs);
        ObjectNode volume = Worlds.tree(run.world(), VOLUME);
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
    void removesWhatNobodyWantsAnyMoreAndSaysNothing(String claim) {
        for (String status : List.of("{}", "{state: Running}", "{state: Failed}", MADE)) {
            OneController run = run(AROUND + claim + operation(MAKING, status));
            assertThat(run.did()).containsExactly("ProvisioningAbandoned " + OPERATION);
            ObjectNode operation = Worlds.tree(run.world(), OPERATION);
            assertThat(operation.path("spec").path("operation").asText()).isEqualTo("Delete");
            assertThat(operation.path("spec").path("parameters")).hasToString("{\"basePath\":\"/srv\"}");
            assertThat(operation.path("spec").path("path").asText()).isEqualTo("pvc-uid-data");
            assertThat(operation.path("spec").path("source").isObject()).isEqualTo(status.equals(MADE));
            assertThat(operation.has("status")).isFalse();
            assertThat(told(run)).isEmpty();
        }
    }

    @Test
    void givesWayToAVolumeThatSomebodyElseMadeMeanwhile() {
        OneController run = run(AROUND + claim("") + operation(MAKING, MADE)
                + "---\n{kind: PersistentVolume, metadata: {name: pvc-uid-data, uid: foreign}, spec: {}}");
        assertThat(run.did()).containsExactly("ProvisioningAbandoned " + OPERATION);
        assertThat(told(run))
                .containsExactly("Warning ProvisioningFailed: failed to provision volume with StorageClass \"gold\":"
                        + " PersistentVolume \"pvc-uid-data\" already exists: somebody else has created it");
    }

    @ParameterizedTest
    @ValueSource(strings = {MAKING, REMOVING})
    void neverRemovesWhatAVolumeStandsFor(String work) {
        String volume = "---\n{kind: PersistentVolume, metadata: {name: pvc-uid-data, uid: " + UID + "}, spec: {}}";
        for (String status : List.of("{}", "{state: Running}", "{state: Failed}", MADE)) {
            OneController run = run(AROUND + operation(work, status) + volume);
            assertThat(run.did()).containsExactly("ProvisioningFinished " + OPERATION);
            assertThat(run.keys()).contains(VOLUME).doesNotContain(OPERATION);
        }
    }

    @Test
    void saysOncePerTextWhatFails() {
        OneController run = run(AROUND
                + claim("")
                + operation(MAKING, "{state: Failed, attempts: 1, lastError: {message: disk full}}"));
        assertThat(run.did()).containsExactly("ProvisioningFailed " + CLAIM);
        String text = "failed to provision volume with StorageClass \"gold\": disk full";
        assertThat(condition(run)).isEqualTo("ProvisioningFailed: " + text);
        assertThat(told(run)).containsExactly("Warning ProvisioningFailed: " + text);
        run.put(operation(MAKING, "{state: Running, attempts: 1, lastError: {message: disk full}}"))
                .settle();
        run.put(operation(MAKING, "{state: Failed, attempts: 2, lastError: {message: disk full}}"))
                .settle();
        assertThat(run.did()).isEmpty();
        run.put(operation(MAKING, "{state: Failed, attempts: 3, lastError: {message: read-only}}"))
                .settle();
        assertThat(told(run)).hasSize(2);
        assertThat(run.did()).containsExactly("ProvisioningFailed " + CLAIM);
        run.put(operation(MAKING, "{state: Running}")).settle();
        assertThat(run.did()).containsExactly("ProvisioningResumed " + CLAIM);
        assertThat(condition(run))
                .isEqualTo("Provisioning: waiting for node \"n1\" to make volume \"pvc-uid-data\" with"
                        + " mooring.dev/hostpath");
    }

    @Test
    void leavesAConditionToWhoKnowsBetter() {
        String waits = claim("").replace("reason: Provisioning", "reason: WaitForFirstConsumer");
        OneController run = run(AROUND + waits + operation(MAKING, "{state: Failed, lastError: {message: disk full}}"));
        assertThat(run.did()).containsExactly("EventRecorded events/default/" + eventName(run));
        assertThat(condition(run)).isEqualTo("WaitForFirstConsumer: waiting");
    }

    private static String eventName(OneController run) {
        return run.keys().stream()
                .filter(key -> key.startsWith("events/"))
                .findFirst()
                .orElseThrow()
                .substring("events/default/".length());
    }

    @Test
    void endsTheRemovalWhenNothingIsLeftAndSaysWhatKeepsIt() {
        OneController run =
                run(AROUND + claim("") + operation(REMOVING, "{state: Failed, lastError: {message: busy}}"));
        String text = "what was begun before on node \"n1\" is being removed first: busy";
        assertThat(condition(run)).isEqualTo("ProvisioningFailed: " + text);
        assertThat(told(run))
                .containsExactly(
                        "Warning ProvisioningCleanupFailed: Error cleaning provisioned volume for claim default/data: "
                                + text);
        run.did();
        run.put(operation(REMOVING, "{state: Running}")).settle();
        assertThat(run.did()).isEmpty();
        run.put(operation(REMOVING, "{state: Succeeded}")).settle();
        assertThat(run.did()).containsExactly("ProvisioningCleanedUp " + OPERATION);
        assertThat(run.keys()).doesNotContain(OPERATION);
    }

    @Test
    void doesNotTouchOperationsOfOthersAndWakesOnlyForWhatMatters() {
        String others = operation(MAKING, MADE).replace("provision-uid-data", "delete-x")
                + operation("operation: Grow, node: n1, provisioner: mooring.dev/block", MADE)
                        .replace("provision-uid-data", "grow-x");
        OneController run = run(AROUND + claim("") + others);
        assertThat(run.did()).isEmpty();
        int looks = run.looks();
        run.put(claim("x: y"))
                .put("{kind: Node, metadata: {name: n1, annotations: {beat: '1'}}}")
                .settle();
        assertThat(run.looks()).isEqualTo(looks);
    }
}
