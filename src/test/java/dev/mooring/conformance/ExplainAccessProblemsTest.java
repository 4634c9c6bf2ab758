package dev.mooring.conformance;

import static dev.mooring.conformance.ExplainFixture.EXPLAIN;
import static dev.mooring.conformance.ExplainFixture.NODE;
import static dev.mooring.conformance.StorageProvisionFixture.VOLUMES;
import static dev.mooring.conformance.StorageProvisionFixture.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests problems with permissions, which are explained by the refusal itself, with explanations for users who may not
 * read everything, and with nodes whose agent is silent.
 */
@Timeout(180)
class ExplainAccessProblemsTest {
    private static final String TEAM_PODS = "/api/v1/namespaces/team/pods";
    private static final String NODES = "/api/v1/nodes";

    @TempDir
    private static Path directory;

    private static ExplainFixture fixture;
    private static StorageProvisionFixture api;
    private static ApiUnderTest editor;
    private static ApiUnderTest viewer;

    @BeforeAll
    static void start() throws IOException {
        fixture = ExplainFixture.start(directory, Map.of());
        api = fixture.api();
        ApiUnderTest admin = api.http();
        api.create("/api/v1/namespaces", ApiUnderTest.namespace("team"));
        api.create("/api/v1/namespaces", ApiUnderTest.namespace("other"));
        editor = admin.withToken(admin.createToken("ed", "'role':'edit','namespaces':['team']"));
        viewer = admin.withToken(admin.createToken("vi", "'role':'view','namespaces':['team']"));
    }

    @AfterAll
    static void stop() {
        if (fixture != null) {
            fixture.close();
        }
    }

    private static String podWith(String name, String source) {
        return pod(name, "-").replace("'persistentVolumeClaim':{'claimName':'-'}", source);
    }

    @Test
    void editor_createsPodWithHostPath_refusalNamesSetting() {
        Reply refused = editor.post(TEAM_PODS, podWith("host", "'hostPath':{'path':'/srv/data'}"));
        assertThat(refused.code()).isEqualTo(403);
        assertThat(refused.message()).contains("/srv/data").contains("policy.hostPath");
    }

    @Test
    void editor_createsVolume_refusalNamesRole() {
        Reply refused = editor.post(
                VOLUMES,
                "{'kind':'PersistentVolume','apiVersion':'v1','metadata':{'name':'mine'},'spec':{'capacity':{'storage':"
                        + "'1Gi'},'accessModes':['ReadWriteOnce'],'hostPath':{'path':'/srv/mine'}}}");
        assertThat(refused.code()).isEqualTo(403);
        assertThat(refused.message())
                .contains("cannot create resource \"persistentvolumes\"")
                .contains("role \"edit\" in the namespaces [team]")
                .contains("kubectl auth can-i --list")
                .contains("mooring token create");
    }

    @Test
    void editor_createsPodInRestrictedNamespace_refusalNamesFields() {
        fixture.run("kubectl create namespace strict");
        fixture.run("kubectl label namespace strict pod-security.kubernetes.io/enforce=restricted");
        Reply refused = api.http().post("/api/v1/namespaces/strict/pods", podWith("root", "'emptyDir':{}"));
        assertThat(refused.code()).isEqualTo(403);
        assertThat(refused.message())
                .contains("violates PodSecurity \"restricted:latest\"")
                .contains("runAsNonRoot != true");
        fixture.run("kubectl label namespace strict pod-security.kubernetes.io/enforce-");
        assertThat(api.http()
                        .post("/api/v1/namespaces/strict/pods", podWith("root", "'emptyDir':{}"))
                        .code())
                .isEqualTo(201);
    }

    @Test
    void explain_unreadableObject_isForbidden() {
        for (String each : new String[] {"pods/other/any", "secrets/team/any", "av/any"}) {
            Reply refused = viewer.get(EXPLAIN + each);
            assertThat(refused.code()).as(each).isEqualTo(403);
            assertThat(refused.message()).as(each).contains("cannot get resource");
        }
        assertThat(viewer.get(EXPLAIN + "pods/team/absent").code()).isEqualTo(404);
    }

    @Test
    void explain_volumeFailsForEditor_namesErrorWithoutActualVolume() {
        api.create(TEAM_PODS, podWith("broken", "'hostPath':{'path':'" + directory + "/none','type':'Directory'}"));
        fixture.untilCause("pods/team/broken", "/none is not a directory");
        JsonNode full = fixture.explain("pods/team/broken");
        assertThat(full.toString()).contains("ActualVolume");

        JsonNode seen = editor.get(EXPLAIN + "pods/team/broken").body();
        assertThat(seen.path("summary").asText()).contains("/none is not a directory");
        assertThat(seen.toString()).doesNotContain("ActualVolume").doesNotContain("attempt");
        assertThat(seen.path("next").toString()).doesNotContain("kubectl get av");
    }

    @Test
    void explain_secretMissingForViewer_doesNotRevealWhetherItExists() {
        api.create(TEAM_PODS, podWith("secretive", "'secret':{'secretName':'hidden'}"));
        fixture.untilCause("pods/team/secretive", "Secret team/hidden does not exist.");
        JsonNode seen = viewer.get(EXPLAIN + "pods/team/secretive").body();
        // Only what the Pod's own Events say.
        assertThat(seen.toString()).doesNotContain("Secret team/hidden").contains("ecret \\\"hidden\\\" not found");
    }

    @Test
    void node_reportsPressureAndNotReady_isExplainedWithItsPods() {
        api.create(NODES, "{'kind':'Node','apiVersion':'v1','metadata':{'name':'n2'}}");
        Reply patched = api.http()
                .mergePatch(
                        NODES + "/n2/status",
                        "{'status':{'conditions':[{'type':'Ready','status':'False','reason':'ContainerRuntimeNotReady',"
                                + "'message':'container runtime is down: connection refused'}]}}");
        assertThat(patched.code()).as(patched.text()).isEqualTo(200);
        JsonNode found = fixture.untilCause("nodes/n2", "ontainer runtime is down: connection refused");
        assertThat(ExplainFixture.step(found, "systemctl")).isEqualTo("systemctl start docker");
        api.create(TEAM_PODS, podWith("remote", "'emptyDir':{}").replace("'spec':{", "'spec':{'nodeName':'n2',"));
        fixture.until(
                "pods/team/remote",
                "explained by its node",
                each -> each.path("root").toString().contains("ontainer runtime is down"));

        api.http()
                .mergePatch(
                        NODES + "/n2/status",
                        "{'status':{'conditions':[{'type':'Ready','status':'True'},{'type':'DiskPressure','status':"
                                + "'True','message':'The node is low on disk space'}]}}");
        JsonNode full = fixture.untilCause("nodes/n2", "low on disk space");
        assertThat(ExplainFixture.step(full, "df")).isEqualTo("df -h");
        api.http().mergePatch(NODES + "/n2/status", "{'status':{'conditions':[{'type':'Ready','status':'True'}]}}");
        fixture.untilFine("nodes/n2");
        fixture.untilFine("nodes/" + NODE);
    }
}
