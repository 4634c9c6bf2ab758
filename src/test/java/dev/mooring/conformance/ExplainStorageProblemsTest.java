package dev.mooring.conformance;

import static dev.mooring.conformance.ExplainFixture.step;
import static dev.mooring.conformance.StorageProvisionFixture.CLAIMS;
import static dev.mooring.conformance.StorageProvisionFixture.PODS;
import static dev.mooring.conformance.StorageProvisionFixture.VOLUMES;
import static dev.mooring.conformance.StorageProvisionFixture.claim;
import static dev.mooring.conformance.StorageProvisionFixture.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that explain names the root cause of problems with claims and PersistentVolumes, and that its next step solves
 * them. All tests share a server.
 */
@Timeout(180)
class ExplainStorageProblemsTest {
    @TempDir
    private static Path directory;

    private static ExplainFixture fixture;
    private static StorageProvisionFixture api;

    @BeforeAll
    static void start() throws IOException {
        fixture = ExplainFixture.start(directory, Map.of());
        api = fixture.api();
        api.createClass("now", "mooring.dev/hostpath", "");
        api.createClass("waits", "mooring.dev/hostpath", "", "'volumeBindingMode':'WaitForFirstConsumer'");
    }

    @AfterAll
    static void stop() {
        if (fixture != null) {
            fixture.close();
        }
    }

    private static String object(String claim) {
        return "pvc/default/" + claim;
    }

    /** A volume of a class of its own name; more such as {@code 'persistentVolumeReclaimPolicy':'Delete'}. */
    private static void createVolume(String name, String size, String... more) throws IOException {
        String rest = more.length == 0 ? "" : "," + String.join(",", more);
        Path path = Files.createDirectories(directory.resolve("volumes").resolve(name));
        api.create(
                VOLUMES,
                "{'kind':'PersistentVolume','apiVersion':'v1','metadata':{'name':'" + name
                        + "'},'spec':{'capacity':{'storage':'" + size
                        + "'},'accessModes':['ReadWriteOnce'],'storageClassName':'" + name + "','hostPath':{'path':'"
                        + path + "'}" + rest + "}}");
    }

    @Test
    void claim_classMissing_bindsAfterRecreationWithNearestClass() {
        api.create(CLAIMS, claim("typed", "noww", "1Gi"));
        JsonNode found = fixture.untilCause(object("typed"), "StorageClass noww does not exist.");
        fixture.applyReads(found);
        fixture.apply(found, "kubectl delete pvc/typed");
        fixture.untilFine(object("typed"));
    }

    @Test
    void claim_volumeTooSmall_bindsToLargerVolume() throws IOException {
        createVolume("small", "1Gi");
        api.create(CLAIMS, claim("large", "small", "5Gi"));
        JsonNode found = fixture.until(
                object("large"),
                "explained by the size",
                each -> each.toString().contains("PersistentVolume small: "));
        assertThat(found.path("root").toString()).contains("5Gi").contains("1Gi");
        fixture.applyReads(found);

        createVolume("larger", "10Gi", "'claimRef':{'namespace':'default','name':'large'}");
        api.http().mergePatch(VOLUMES + "/larger", "{'spec':{'storageClassName':'small'}}");
        fixture.untilFine(object("large"));
    }

    @Test
    void claim_otherAccessMode_namesMode() throws IOException {
        createVolume("once", "1Gi");
        api.create(CLAIMS, claim("many", "once", "1Gi").replace("ReadWriteOnce", "ReadWriteMany"));
        JsonNode found = fixture.until(
                object("many"), "explained by the mode", each -> each.toString().contains("PersistentVolume once: "));
        assertThat(found.path("root").toString()).contains(" do not include ");
        fixture.applyReads(found);
        api.http().mergePatch(VOLUMES + "/once", "{'spec':{'accessModes':['ReadWriteMany']}}");
        fixture.untilFine(object("many"));
    }

    @Test
    void claim_waitsForFirstConsumer_bindsAfterPodIsCreated() {
        api.create(CLAIMS, claim("patient", "waits", "1Gi"));
        JsonNode found = fixture.until(
                object("patient"),
                "waiting for a Pod",
                each -> each.path("root").toString().contains("no Pod uses the claim yet"));
        fixture.apply(found, "echo");
        fixture.until(
                object("patient"),
                "to be bound",
                each -> each.path("state").asText().equals("Bound")
                        && !each.path("problem").asBoolean());
        api.delete(PODS, "use-patient");
    }

    @Test
    void claim_namesMissingVolume_bindsAfterItsCreation() throws IOException {
        api.create(CLAIMS, claim("named", "later", "1Gi", "'volumeName':'later'"));
        JsonNode found = fixture.untilCause(object("named"), "PersistentVolume later, which does not exist.");
        fixture.applyReads(found);
        createVolume("later", "1Gi");
        fixture.untilFine(object("named"));
    }

    @Test
    void claim_volumeDeleted_isLostUntilBothAreRecreated() throws IOException {
        createVolume("fragile", "1Gi");
        api.create(CLAIMS, claim("lost", "fragile", "1Gi"));
        fixture.untilFine(object("lost"));
        api.http().delete(VOLUMES + "/fragile");
        api.http().mergePatch(VOLUMES + "/fragile", "{'metadata':{'finalizers':null}}");
        JsonNode found = fixture.until(
                object("lost"), "Lost", each -> each.path("state").asText().equals("Lost"));
        assertThat(found.path("summary").asText()).contains("PersistentVolume fragile was deleted by ");
        assertThat(ExplainFixture.rootCause(found.path("root")).path("text").asText())
                .contains(directory.resolve("volumes/fragile").toString());
        fixture.apply(found, "kubectl delete pvc/lost");
        fixture.untilFine(object("lost"));
    }

    @Test
    void claim_deletedWhileInUse_isGoneAfterPodIsDeleted() {
        api.create(CLAIMS, claim("busy", "now", "1Gi"));
        api.create(PODS, pod("user", "busy"));
        fixture.untilCause("pods/default/user", "runs no containers");
        api.delete(CLAIMS, "busy");
        JsonNode found = fixture.untilCause(object("busy"), "Pod default/user has it mounted");
        assertThat(found.path("state").asText()).isEqualTo("Terminating");
        fixture.apply(found, "kubectl delete pod/user");
        api.untilGone(CLAIMS, "busy");
        JsonNode gone = fixture.explain(object("busy"));
        assertThat(gone.path("state").asText()).isEqualTo("Deleted");
    }

    @Test
    void claim_provisionerUnknown_namesProvisioner() {
        api.createClass("alien", "example.com/disk", "");
        api.create(CLAIMS, claim("foreign", "alien", "1Gi"));
        JsonNode found = fixture.untilCause(object("foreign"), "example.com/disk");
        fixture.applyReads(found);
    }

    /** Depending on the machine, its kernel has no NFS, or no server listens. */
    @Test
    void claim_nfsProvisioningFails_namesOperationAttemptAndReason() {
        api.createClass("remote", "mooring.dev/nfs", "'server':'127.0.0.1','share':'/exports'");
        api.create(CLAIMS, claim("remote", "remote", "1Gi"));
        JsonNode found = fixture.untilCause(object("remote"), " on node testhost failed: ");
        JsonNode cause = ExplainFixture.rootCause(found.path("root"));
        assertThat(cause.path("text").asText()).startsWith("Operation Provision of PersistentVolume pvc-");
        assertThat(cause.path("reason").asText()).isNotEmpty();
        assertThat(cause.path("attempt").asInt()).isPositive();
        fixture.applyReads(found);
        api.delete(CLAIMS, "remote");
    }

    @Test
    void volume_released_isAvailableAfterRelease() throws IOException {
        createVolume("kept", "1Gi", "'persistentVolumeReclaimPolicy':'Retain'");
        api.create(CLAIMS, claim("former", "kept", "1Gi"));
        fixture.untilFine(object("former"));
        api.delete(CLAIMS, "former");
        JsonNode found = fixture.untilCause("pv/kept", "PersistentVolumeClaim default/former was deleted by admin at");
        assertThat(found.path("state").asText()).isEqualTo("Released");
        assertThat(found.path("root").toString()).contains("Its reclaim policy Retain keeps the data");
        assertThat(step(found, "mooring release")).isEqualTo("mooring release pv/kept");
        // What the command does.
        api.http().mergePatch(VOLUMES + "/kept", "{'spec':{'claimRef':null}}");
        fixture.untilFine("pv/kept");
    }

    @Test
    void volume_deletedWhileBound_isGoneAfterClaimIsDeleted() throws IOException {
        createVolume("bound", "1Gi");
        api.create(CLAIMS, claim("binds", "bound", "1Gi"));
        fixture.untilFine(object("binds"));
        api.delete(VOLUMES, "bound");
        JsonNode found = fixture.untilCause("pv/bound", "default/binds");
        assertThat(found.path("state").asText()).isEqualTo("Terminating");
        fixture.apply(found, "kubectl delete pvc/binds");
        api.untilGone(VOLUMES, "bound");
    }

    @Test
    void volume_onMissingNode_namesAffinity() throws IOException {
        createVolume(
                "distant",
                "1Gi",
                "'nodeAffinity':{'required':{'nodeSelectorTerms':[{'matchExpressions':[{'key':'kubernetes.io/hostname',"
                        + "'operator':'In','values':['gone']}]}]}}");
        JsonNode found = fixture.untilCause("pv/distant", "Its node affinity matches no existing node");
        fixture.applyReads(found);

        api.create(CLAIMS, claim("away", "distant", "1Gi", "'volumeName':'distant'"));
        api.create(PODS, pod("stranded", "away"));
        JsonNode unscheduled =
                fixture.untilCause("pods/default/stranded", "Its node affinity matches no existing node");
        assertThat(unscheduled.path("root").toString()).contains("volume node affinity conflict");
        api.delete(PODS, "stranded");
    }

    @Test
    void volume_reservedForMissingClaim_isBoundAfterItsCreation() throws IOException {
        createVolume("reserved", "1Gi", "'claimRef':{'namespace':'default','name':'awaited'}");
        JsonNode found = fixture.until(
                "pv/reserved", "reserved", each -> each.path("root").toString().contains("which does not exist"));
        assertThat(step(found, "mooring release")).isEqualTo("mooring release pv/reserved");
        api.create(CLAIMS, claim("awaited", "reserved", "1Gi"));
        fixture.until(
                "pv/reserved", "bound", each -> each.path("state").asText().equals("Bound"));
    }

    @Test
    void namespace_terminating_namesRemainingContent() {
        api.create("/api/v1/namespaces", ApiUnderTest.namespace("closing"));
        api.create(
                "/api/v1/namespaces/closing/configmaps",
                ApiUnderTest.configMap("stuck")
                        .replace("{'name':'stuck'}", "{'name':'stuck','finalizers':['example.com/audit']}"));
        api.delete("/api/v1/namespaces", "closing");
        JsonNode found = fixture.untilCause("ns/closing", "example.com/audit");
        fixture.applyReads(found);
        api.http().mergePatch("/api/v1/namespaces/closing/configmaps/stuck", "{'metadata':{'finalizers':null}}");
        api.untilGone("/api/v1/namespaces", "closing");
    }
}
