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
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An operation whose node is away, gone, or the wrong one. */
class ProvisionNodesTest {
    private static final String SECOND = "---\n{kind: Node, metadata: {name: n2}}";

    private static final String AWAY =
            "---\n{kind: Node, metadata: {name: n1}, status: {conditions: [{type: Ready, status: Unknown}]}}";

    @Test
    void letsTheSchedulerChooseAgainAndIsMorePatientEachTime() {
        String failed = operation(
                MAKING, "{state: Failed, lastError: {message: disk full}, source: {hostPath: {path: /srv/x}}}");
        OneController run = run(AROUND + claim("volume.kubernetes.io/selected-node: n1") + failed);
        assertThat(run.did()).containsExactly("ProvisioningGivenBack " + CLAIM);
        ObjectNode claim = Worlds.tree(run.world(), CLAIM);
        assertThat(claim.path("metadata").path("annotations"))
                .hasToString("{\"foreign\":\"stays\",\"mooring.dev/provisioning-failures\":\"1\"}");
        assertThat(condition(run)).endsWith("disk full");
        assertThat(told(run)).hasSize(1);
        assertThat(Worlds.tree(run.world(), OPERATION)
                        .path("spec")
                        .path("operation")
                        .asText())
                .isEqualTo("Delete");

        String sixth = claim("volume.kubernetes.io/selected-node: n1, mooring.dev/provisioning-failures: '5'");
        OneController patient = run(AROUND + sixth + failed);
        assertThat(patient.did()).containsExactly("ProvisioningFailed " + CLAIM);
        patient.pass(Duration.ofSeconds(15));
        assertThat(patient.did()).isEmpty();
        patient.pass(Duration.ofSeconds(1));
        assertThat(patient.did()).containsExactly("ProvisioningGivenBack " + CLAIM);
        assertThat(Worlds.tree(patient.world(), CLAIM)
                        .path("metadata")
                        .path("annotations")
                        .path("mooring.dev/provisioning-failures")
                        .asText())
                .isEqualTo("6");
        OneController odd = run(AROUND
                + claim("volume.kubernetes.io/selected-node: n1, mooring.dev/provisioning-failures: many")
                + failed);
        assertThat(odd.did()).containsExactly("ProvisioningGivenBack " + CLAIM);
    }

    @Test
    void findsAnotherNodeForWhatWasNotBegun() {
        OneController run = run(AROUND + claim("") + operation(MAKING, "{}"));
        assertThat(run.did()).isEmpty();
        run.put(AWAY).settle();
        assertThat(condition(run))
                .isEqualTo(
                        "ProvisioningFailed: failed to provision volume with StorageClass \"gold\": node \"n1\" is not"
                                + " ready, and no node can make the volume: n1 is not ready");
        run.did();
        run.put(SECOND).settle();
        assertThat(run.did()).containsExactly("ProvisioningMoved " + OPERATION, "ProvisioningResumed " + CLAIM);
        assertThat(Worlds.tree(run.world(), OPERATION).path("spec").path("node").asText())
                .isEqualTo("n2");
        assertThat(told(run))
                .contains("Normal Provisioning: node \"n1\" is not ready: node \"n2\" makes volume \"pvc-uid-data\""
                        + " instead");
    }

    @Test
    void waitsForTheNodeThatMayHaveBegun() {
        OneController run = run(AROUND
                + claim("volume.kubernetes.io/selected-node: n1")
                + SECOND
                + operation(MAKING, "{state: Running}"));
        run.put(AWAY).settle();
        assertThat(run.did()).containsExactly("ProvisioningFailed " + CLAIM);
        assertThat(condition(run))
                .isEqualTo(
                        "ProvisioningFailed: failed to provision volume with StorageClass \"gold\": node \"n1\" is not"
                                + " ready and may have begun to make volume \"pvc-uid-data\": it must come back to"
                                + " finish");
        run.put("{kind: Node, metadata: {name: n1}, status: {conditions: [{type: Ready, status: 'True'}]}}")
                .settle();
        assertThat(run.did()).containsExactly("ProvisioningResumed " + CLAIM);
    }

    @Test
    void asksTheSchedulerIfTheNodeItChoseIsAwayBeforeTheWorkBegan() {
        OneController run =
                run(AROUND + claim("volume.kubernetes.io/selected-node: n1") + SECOND + operation(MAKING, "{}"));
        run.put(AWAY).settle();
        assertThat(run.did()).containsExactly("ProvisioningGivenBack " + CLAIM);
        assertThat(run.keys()).doesNotContain(OPERATION);
    }

    @Test
    void followsASchedulerThatChangesItsMindBeforeTheWorkBegan() {
        OneController run =
                run(AROUND + claim("volume.kubernetes.io/selected-node: n2") + SECOND + operation(MAKING, "{}"));
        assertThat(run.did()).containsExactly("ProvisioningMoved " + OPERATION);
        OneController begun = run(AROUND
                + claim("volume.kubernetes.io/selected-node: n2")
                + SECOND
                + operation(MAKING, "{state: Running}"));
        assertThat(begun.did()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{state: Running}", "{state: Failed}", MADE})
    void forgetsWhatWasBegunOnANodeThatIsGoneAndNamesIt(String status) {
        for (String work : List.of(MAKING, REMOVING)) {
            if (work.equals(REMOVING) && status.equals(MADE)) {
                continue;
            }
            OneController run = run(AROUND
                    + claim("volume.kubernetes.io/selected-node: n1")
                    + SECOND
                    + operation(work, "{state: Running}"));
            run.did();
            run.remove("nodes/n1").put(operation(work, status)).settle();
            assertThat(run.did()).first().asString().startsWith("ProvisioningForgotten");
            assertThat(run.keys()).doesNotContain(OPERATION);
            assertThat(told(run))
                    .singleElement()
                    .asString()
                    .startsWith("Warning ProvisioningCleanupFailed: node \"n1\" no longer exists; what it had begun for"
                            + " volume \"pvc-uid-data\" (" + UID + ") may be left over there at ")
                    .contains(status.equals(MADE) ? "/srv/x" : "pvc-uid-data below its base")
                    .endsWith(". Please delete manually.");
            boolean chosen = Worlds.tree(run.world(), CLAIM)
                    .path("metadata")
                    .path("annotations")
                    .has("volume.kubernetes.io/selected-node");
            assertThat(chosen).isEqualTo(work.equals(REMOVING));
        }
    }

    @Test
    void letsAnotherNodeGoOnWithWhatIsOnAServer() {
        String nfs = operation("operation: Provision, node: gone, provisioner: mooring.dev/nfs", "{state: Running}")
                .replace("basePath: /srv", "server: nas, share: /exports");
        assertThat(run(AROUND + claim("") + nfs).did()).containsExactly("ProvisioningMoved " + OPERATION);
        assertThat(run(AROUND
                                + nfs.replace("Provision,", "Delete,")
                                        .replace("operation: Provision", "operation: Delete"))
                        .did())
                .containsExactly("ProvisioningMoved " + OPERATION);
        String made = nfs.replace("{state: Running}", "{state: Succeeded, source: {nfs: {server: nas, path: /x}}}");
        assertThat(run(AROUND + claim("") + made).did()).containsExactly("VolumeProvisioned " + VOLUME);
    }
}
