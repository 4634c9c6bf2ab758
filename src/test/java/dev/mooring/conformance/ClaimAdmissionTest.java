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

/** What a server adds to claims and volumes, and which claims it lets grow, over HTTPS. No controller has its hands in it. */
@Timeout(60)
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

    private static void isComplete(JsonNode claim) {
        assertThat(claim.at("/spec/storageClassName").asText()).isEqualTo("hostPath");
        assertThat(claim.at("/metadata/finalizers").toString()).isEqualTo("[\"kubernetes.io/pvc-protection\"]");
        assertThat(claim.at("/metadata/managedFields").toString())
                .doesNotContain("finalizers", "storageClassName")
                .contains("f:accessModes");
    }

    @Test
    void completesANewClaim() {
        Reply tried = api.post(CLAIMS + "?dryRun=All", claim("plain", ""));
        assertThat(tried.code()).isEqualTo(201);
        isComplete(tried.body());
        Reply made = api.post(CLAIMS, claim("plain", ""));
        assertThat(made.code()).isEqualTo(201);
        isComplete(made.body());
        isComplete(api.get(CLAIMS + "/plain").body());
    }

    @Test
    void completesAClaimThatIsAppliedAndLeavesItSo() {
        for (int expected : new int[] {201, 200}) {
            Reply applied = api.send(
                    "PATCH",
                    CLAIMS + "/applied?fieldManager=me",
                    claim("applied", ""),
                    "Content-Type",
                    "application/apply-patch+yaml");
            assertThat(applied.code()).as(applied.text()).isEqualTo(expected);
            isComplete(applied.body());
        }
        assertThat(api.get(CLAIMS + "/applied").revision()).isPositive();
    }

    /** {@code kubectl replace} with the manifest it was made of. */
    @Test
    void takesTheManifestAgain() {
        long made = api.post(CLAIMS, claim("again", "")).revision();
        Reply replaced = api.put(
                CLAIMS + "/again",
                claim("again", "").replace("'again'", "'again','finalizers':['kubernetes.io/pvc-protection']"));

        assertThat(replaced.code()).as(replaced.text()).isEqualTo(200);
        assertThat(replaced.body().at("/spec/storageClassName").asText()).isEqualTo("hostPath");
        assertThat(made).isPositive();
    }

    @Test
    void protectsANewVolume() {
        Reply made = api.post(
                "/api/v1/persistentvolumes",
                "{'metadata':{'name':'v'},'spec':{'capacity':{'storage':'1Gi'},'accessModes':['ReadWriteOnce'],"
                        + "'hostPath':{'path':'/a'}}}");

        assertThat(made.body().at("/metadata/finalizers").toString()).isEqualTo("[\"kubernetes.io/pv-protection\"]");
        assertThat(api.delete("/api/v1/persistentvolumes/v").code()).isEqualTo(200);
        assertThat(api.get("/api/v1/persistentvolumes/v").body().at("/metadata").has("deletionTimestamp"))
                .isTrue();
    }

    private static Reply grow(String name, String query) {
        return api.merge(CLAIMS + "/" + name + query, "{'spec':{'resources':{'requests':{'storage':'20Gi'}}}}");
    }

    private static void bound(String name, String className) {
        assertThat(api.post(CLAIMS, claim(name, ",'storageClassName':'" + className + "'"))
                        .code())
                .isEqualTo(201);
        assertThat(api.merge(
                                CLAIMS + "/" + name + "/status",
                                "{'status':{'phase':'Bound','capacity':{'storage':'1Gi'}}}")
                        .code())
                .isEqualTo(200);
    }

    @Test
    void letsABoundClaimGrowIfItsClassAllowsIt() {
        bound("grows", "block");
        Reply tried = grow("grows", "?dryRun=All");
        assertThat(tried.code()).isEqualTo(200);
        Reply grown = grow("grows", "");
        assertThat(grown.body().at("/spec/resources/requests/storage").asText()).isEqualTo("20Gi");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "?dryRun=All"})
    void refusesToLetAClaimGrowInWordsOfKubernetes(String query) {
        String name = "fixed-" + (query.isEmpty() ? "really" : "dry");
        bound(name, "fixed");
        Reply refused = grow(name, query);

        assertThat(refused.code()).isEqualTo(403);
        assertThat(refused.reason()).isEqualTo("Forbidden");
        assertThat(refused.message())
                .isEqualTo("persistentvolumeclaims \"" + name + "\" is forbidden: only dynamically provisioned pvc can"
                        + " be resized and the storageclass that provisions the pvc must support resize");
    }

    @Test
    void findsItInvalidThatAClaimGrowsBeforeItIsBound() {
        api.post(CLAIMS, claim("early", ",'storageClassName':'block'"));

        assertThat(grow("early", "").code()).isEqualTo(422);
    }

    @Test
    void showsAClaimThatFailedInTheStyleOfMinik8s() {
        api.post(CLAIMS, claim("failed", ",'storageClassName':'hostPath','volumeName':'other'"));
        Reply written = api.merge(
                CLAIMS + "/failed/status?fieldValidation=Strict", "{'status':{'phase':'Failed','volumeName':'other'}}");
        assertThat(written.code()).as(written.text()).isEqualTo(200);

        Reply table = api.get(CLAIMS + "/failed", "Accept", "application/json;as=Table;v=v1;g=meta.k8s.io");
        assertThat(table.body().at("/rows/0/cells/1").asText()).isEqualTo("Failed");
    }

    @Test
    void refusesAClassThatCannotWork() {
        Reply refused = api.post(
                CLASSES,
                "{'metadata':{'name':'wrong'},'provisioner':'mooring.dev/hostpath','parameters':{'mod':'777'}}");

        assertThat(refused.code()).isEqualTo(422);
        assertThat(refused.message()).contains("parameters[mod]: Invalid value: \"777\"", "\"mode\"");
    }

    @Test
    void servesOperations() {
        Reply made = api.post(
                OPERATIONS,
                "{'metadata':{'name':'grow-u'},'spec':{'operation':'Grow','node':'elsewhere','provisioner':"
                        + "'mooring.dev/block','persistentVolume':'v','persistentVolumeUID':'u','capacity':'2Gi'}}");
        assertThat(made.code()).as(made.text()).isEqualTo(201);
        Reply refused = api.merge(OPERATIONS + "/grow-u", "{'spec':{'capacity':'3Gi'}}");
        assertThat(refused.code()).isEqualTo(422);
        Reply told = api.merge(OPERATIONS + "/grow-u/status", "{'status':{'state':'Running'}}");
        assertThat(told.code()).isEqualTo(200);

        Reply table = api.get(
                OPERATIONS + "?fieldSelector=spec.node=elsewhere,status.state=Running",
                "Accept",
                "application/json;as=Table;v=v1;g=meta.k8s.io");
        assertThat(table.body().at("/rows/0/cells").toString())
                .startsWith("[\"grow-u\",\"Grow\",\"v\",\"elsewhere\",\"Running\",0,\"\"");
        assertThat(api.delete(OPERATIONS + "/grow-u").code()).isEqualTo(200);
    }
}
