package dev.mooring.conformance;

import static dev.mooring.conformance.ApiUnderTest.DEFAULT;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.testing.ConditionPoller;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the Service {@code default/kubernetes} and the ConfigMaps {@code kube-root-ca.crt} of a running server. */
@Timeout(300)
class PublishedObjectsTest {
    private static final String SERVICE = DEFAULT + "/services/kubernetes";
    private static final String SERVICE_BODY =
            "{'metadata':{'name':'web'},'spec':{'selector':{'app':'web'},'ports':[{'port':80}]}}";

    @TempDir
    private static Path data;

    private static ApiUnderTest api;

    @BeforeAll
    static void start() {
        api = ApiUnderTest.start(data, Map.of("api.requestBurst", "100000"));
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    private static Reply awaitObject(String path) throws Exception {
        ConditionPoller.until(() -> api.get(path).code() == 200);
        return api.get(path);
    }

    private static String rootCa(String namespace) {
        return "/api/v1/namespaces/" + namespace + "/configmaps/kube-root-ca.crt";
    }

    private static void awaitRootCa(String path) throws Exception {
        String authority = Files.readString(data.resolve("pki/ca.crt"));
        ConditionPoller.until(
                () -> api.get(path).body().at("/data/ca.crt").asText().equals(authority));
    }

    @Test
    void kubernetesService_changedOrDeleted_hasAddressOfApi() throws Exception {
        JsonNode spec = awaitObject(SERVICE).body().path("spec");
        URI url = URI.create(api.server().url());

        assertThat(spec.path("clusterIP").asText()).isEqualTo(url.getHost());
        assertThat(spec.at("/ports/0/port").asInt()).isEqualTo(url.getPort());
        assertThat(api.mergePatch(SERVICE, "{'spec':{'clusterIP':'10.0.0.1'}}").message())
                .contains("this Service is the address of the API");
        assertThat(api.delete(SERVICE).code()).isEqualTo(200);
        assertThat(awaitObject(SERVICE).body().at("/spec/clusterIP").asText()).isEqualTo(url.getHost());
    }

    @Test
    void service_createdByUser_isInvalidWithAlternative() throws Exception {
        ApiUnderTest editor =
                api.withToken(api.createToken("service-editor", "'role':'edit','namespaces':['default']"));
        ApiUnderTest viewer =
                api.withToken(api.createToken("service-viewer", "'role':'view','namespaces':['default']"));

        for (ApiUnderTest each : new ApiUnderTest[] {api, editor}) {
            Reply refused = each.post(DEFAULT + "/services", SERVICE_BODY);
            assertThat(refused.code()).isEqualTo(422);
            assertThat(refused.message())
                    .contains("Mooring offers no Services")
                    .endsWith("publish a container's port on the node with hostPort instead");
        }
        awaitObject(SERVICE);
        assertThat(viewer.get(SERVICE).code()).isEqualTo(200);
        assertThat(editor.delete(SERVICE).code()).isEqualTo(403);
    }

    @Test
    void rootCaConfigMap_changedOrDeleted_isRestoredInEachNamespace() throws Exception {
        awaitRootCa(rootCa("default"));
        awaitRootCa(rootCa("kube-system"));
        assertThat(api.post("/api/v1/namespaces", ApiUnderTest.namespace("trusting"))
                        .code())
                .isEqualTo(201);
        awaitRootCa(rootCa("trusting"));
        ApiUnderTest editor =
                api.withToken(api.createToken("trusting-editor", "'role':'edit','namespaces':['trusting']"));

        String uid = editor.get(rootCa("trusting")).body().at("/metadata/uid").asText();
        assertThat(editor.mergePatch(rootCa("trusting"), "{'data':{'ca.crt':'forged'}}")
                        .code())
                .isEqualTo(200);
        awaitRootCa(rootCa("trusting"));
        assertThat(editor.delete(rootCa("trusting")).code()).isEqualTo(200);
        awaitRootCa(rootCa("trusting"));
        assertThat(editor.get(rootCa("trusting")).body().at("/metadata/uid").asText())
                .isNotEqualTo(uid);

        assertThat(api.delete("/api/v1/namespaces/trusting").code()).isEqualTo(200);
        ConditionPoller.until(() -> api.get("/api/v1/namespaces/trusting").code() == 404);
        assertThat(api.get(rootCa("trusting")).code()).isEqualTo(404);
    }
}
