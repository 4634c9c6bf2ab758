package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests defaulting and validation of claims, volumes and classes over HTTPS, on a server without controllers. */
@Timeout(180)
class ClaimAdmissionTest {
    private static final String CLAIMS = ApiUnderTest.DEFAULT + "/persistentvolumeclaims";
    private static final String CLASSES = "/apis/storage.k8s.io/v1/storageclasses";
    private static final String OPERATIONS = "/apis/mooring.dev/v1/volumeoperations";

    @TempDir
    private static Path data;

    private static ApiUnderTest api;

    @BeforeAll
    static void start() {
        api = ApiUnderTest.start(data, Map.of("without", "control"));
        assertThat(api.post(CLASSES, "{'metadata':{'name':'fixed'},'provisioner':'vendor.example/disk'}")
                        .code())
                .isEqualTo(201);
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    private static String claim(String name, String more) {
        return "{'kind':'PersistentVolumeClaim','apiVersion':'v1','metadata':{'name':'" + name
                + "'},'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}" + more + "}}";
    }

    private static void assertHasDefaults(JsonNode claim) {
        assertThat(claim.at("/spec/storageClassName").asText()).isEqualTo("hostPath");
        assertThat(claim.at("/metadata/finalizers").toString()).isEqualTo("[\"kubernetes.io/pvc-protection\"]");
        assertThat(claim.at("/metadata/managedFields").toString())
                .doesNotContain("finalizers", "storageClassName")
                .contains("f:accessModes");
    }

    @Test
    void newClaim_withoutClass_getsDefaultClassAndFinalizer() {
        Reply dryRun = api.post(CLAIMS + "?dryRun=All", claim("plain", ""));
        assertThat(dryRun.code()).isEqualTo(201);
        assertHasDefaults(dryRun.body());
        Reply created = api.post(CLAIMS, claim("plain", ""));
        assertThat(created.code()).isEqualTo(201);
        assertHasDefaults(created.body());
        assertHasDefaults(api.get(CLAIMS + "/plain").body());
    }

    @Test
    void claim_appliedTwice_getsAndKeepsDefaults() {
        for (int expected : new int[] {201, 200}) {
            Reply applied = api.send(
                    "PATCH",
                    CLAIMS + "/applied?fieldManager=me",
                    claim("applied", ""),
                    "Content-Type",
                    "application/apply-patch+yaml");
            assertThat(applied.code()).as(applied.text()).isEqualTo(expected);
            assertHasDefaults(applied.body());
        }
        assertThat(api.get(CLAIMS + "/applied").revision()).isPositive();
    }

    /** Does what {@code kubectl replace} does with the original manifest. */
    @Test
    void claim_replacedWithItsManifest_keepsDefaultClass() {
        long created = api.post(CLAIMS, claim("again", "")).revision();
        Reply replaced = api.put(
                CLAIMS + "/again",
                claim("again", "").replace("'again'", "'again','finalizers':['kubernetes.io/pvc-protection']"));

        assertThat(replaced.code()).as(replaced.text()).isEqualTo(200);
        assertThat(replaced.body().at("/spec/storageClassName").asText()).isEqualTo("hostPath");
        assertThat(created).isPositive();
    }

    @Test
    void newVolume_getsProtectionFinalizer() {
        Reply created = api.post(
                "/api/v1/persistentvolumes",
                "{'metadata':{'name':'v'},'spec':{'capacity':{'storage':'1Gi'},'accessModes':['ReadWriteOnce'],"
                        + "'hostPath':{'path':'/a'}}}");

        assertThat(created.body().at("/metadata/finalizers").toString()).isEqualTo("[\"kubernetes.io/pv-protection\"]");
        assertThat(api.delete("/api/v1/persistentvolumes/v").code()).isEqualTo(200);
        assertThat(api.get("/api/v1/persistentvolumes/v").body().at("/metadata").has("deletionTimestamp"))
                .isTrue();
    }

    private static Reply expand(String name, String query) {
        return api.mergePatch(CLAIMS + "/" + name + query, "{'spec':{'resources':{'requests':{'storage':'20Gi'}}}}");
    }

    private static void createBoundClaim(String name, String className) {
        assertThat(api.post(CLAIMS, claim(name, ",'storageClassName':'" + className + "'"))
                        .code())
                .isEqualTo(201);
        assertThat(api.mergePatch(
                                CLAIMS + "/" + name + "/status",
                                "{'status':{'phase':'Bound','capacity':{'storage':'1Gi'}}}")
                        .code())
                .isEqualTo(200);
    }

    @Test
    void boundClaim_classAllowsExpansion_isExpanded() {
        createBoundClaim("grows", "block");
        Reply dryRun = expand("grows", "?dryRun=All");
        assertThat(dryRun.code()).isEqualTo(200);
        Reply grown = expand("grows", "");
        assertThat(grown.body().at("/spec/resources/requests/storage").asText()).isEqualTo("20Gi");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "?dryRun=All"})
    void boundClaim_classForbidsExpansion_isRejectedWithKubernetesMessage(String query) {
        String name = "fixed-" + (query.isEmpty() ? "really" : "dry");
        createBoundClaim(name, "fixed");
        Reply refused = expand(name, query);

        assertThat(refused.code()).isEqualTo(403);
        assertThat(refused.reason()).isEqualTo("Forbidden");
        assertThat(refused.message())
                .isEqualTo("persistentvolumeclaims \"" + name + "\" is forbidden: only dynamically provisioned pvc can"
                        + " be resized and the storageclass that provisions the pvc must support resize");
    }

    @Test
    void unboundClaim_expanded_isInvalid() {
        api.post(CLAIMS, claim("early", ",'storageClassName':'block'"));

        assertThat(expand("early", "").code()).isEqualTo(422);
    }

    @Test
    void failedClaim_asTable_showsStatusFailed() {
        api.post(CLAIMS, claim("failed", ",'storageClassName':'hostPath','volumeName':'other'"));
        Reply written = api.mergePatch(
                CLAIMS + "/failed/status?fieldValidation=Strict", "{'status':{'phase':'Failed','volumeName':'other'}}");
        assertThat(written.code()).as(written.text()).isEqualTo(200);

        Reply table = api.get(CLAIMS + "/failed", "Accept", "application/json;as=Table;v=v1;g=meta.k8s.io");
        assertThat(table.body().at("/rows/0/cells/1").asText()).isEqualTo("Failed");
    }

    @Test
    void storageClass_unknownParameter_isInvalidWithSuggestion() {
        Reply refused = api.post(
                CLASSES,
                "{'metadata':{'name':'wrong'},'provisioner':'mooring.dev/hostpath','parameters':{'mod':'777'}}");

        assertThat(refused.code()).isEqualTo(422);
        assertThat(refused.message()).contains("parameters[mod]: Invalid value: \"777\"", "\"mode\"");
    }

    @Test
    void volumeOperation_createUpdateListDelete_isServed() {
        Reply created = api.post(
                OPERATIONS,
                "{'metadata':{'name':'grow-u'},'spec':{'operation':'Grow','node':'elsewhere','provisioner':"
                        + "'mooring.dev/block','persistentVolume':'v','persistentVolumeUID':'u','capacity':'2Gi'}}");
        assertThat(created.code()).as(created.text()).isEqualTo(201);
        Reply refused = api.mergePatch(OPERATIONS + "/grow-u", "{'spec':{'capacity':'3Gi'}}");
        assertThat(refused.code()).isEqualTo(422);
        Reply updated = api.mergePatch(OPERATIONS + "/grow-u/status", "{'status':{'state':'Running'}}");
        assertThat(updated.code()).isEqualTo(200);

        Reply table = api.get(
                OPERATIONS + "?fieldSelector=spec.node=elsewhere,status.state=Running",
                "Accept",
                "application/json;as=Table;v=v1;g=meta.k8s.io");
        assertThat(table.body().at("/rows/0/cells").toString())
                .startsWith("[\"grow-u\",\"Grow\",\"v\",\"elsewhere\",\"Running\",0,\"\"");
        assertThat(api.delete(OPERATIONS + "/grow-u").code()).isEqualTo(200);
    }
}
