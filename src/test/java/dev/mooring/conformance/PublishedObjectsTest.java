package dev.mooring.conformance;

import static dev.mooring.conformance.ApiUnderTest.DEFAULT;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.testing.ConditionPoller;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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
                .contains("may not change once set");
        assertThat(api.delete(SERVICE).code()).isEqualTo(200);
        assertThat(awaitObject(SERVICE).body().at("/spec/clusterIP").asText()).isEqualTo(url.getHost());
    }

    @Test
    void service_rolesOfUsers_editCreatesViewReads() throws Exception {
        ApiUnderTest editor =
                api.withToken(api.createToken("service-editor", "'role':'edit','namespaces':['default']"));
        ApiUnderTest viewer =
                api.withToken(api.createToken("service-viewer", "'role':'view','namespaces':['default']"));

        Reply created = editor.post(DEFAULT + "/services", SERVICE_BODY);
        assertThat(created.code()).isEqualTo(201);
        assertThat(created.body().at("/spec/clusterIP").asText()).startsWith("10.96.");
        assertThat(created.body().at("/spec/ports/0/targetPort").asInt()).isEqualTo(80);
        assertThat(viewer.post(DEFAULT + "/services", SERVICE_BODY).code()).isEqualTo(403);
        assertThat(viewer.get(DEFAULT + "/services/web").code()).isEqualTo(200);
        String slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
        assertThat(viewer.get(slices).code()).isEqualTo(200);
        assertThat(editor.post(slices, "{'metadata':{'name':'x'},'addressType':'IPv4','endpoints':[]}")
                        .code())
                .isEqualTo(403);
    }

    @Test
    void service_addressOrNodePortTaken_isInvalid() throws Exception {
        String path = DEFAULT + "/services";
        assertThat(api.post(path, nodePort("first", "'clusterIP':'10.96.1.1',", 31000))
                        .code())
                .isEqualTo(201);

        assertThat(api.post(path, nodePort("second", "'clusterIP':'10.96.1.1',", 31001))
                        .message())
                .contains("spec.clusterIPs: Invalid value: \"[10.96.1.1]\": failed to allocate IP 10.96.1.1:"
                        + " provided IP is already allocated");
        assertThat(api.post(path, nodePort("second", "", 31000)).message())
                .contains("spec.ports[0].nodePort: Invalid value: 31000: provided port is already allocated");
        assertThat(api.post(path, nodePort("second", "", 80)).message())
                .contains("provided port is not in the valid range. The range of valid ports is 30000-32767");
        assertThat(api.post(path, nodePort("second", "'clusterIP':'10.96.0.10',", 31001))
                        .message())
                .contains("is not in the valid range. The range of valid IPs is 10.96.0.0/16");
        assertThat(api.delete(path + "/first").code()).isEqualTo(200);
        assertThat(api.post(path, nodePort("second", "'clusterIP':'10.96.1.1',", 31000))
                        .code())
                .isEqualTo(201);
    }

    private static String nodePort(String name, String more, int port) {
        return "{'metadata':{'name':'" + name + "'},'spec':{'type':'NodePort'," + more
                + "'ports':[{'port':80,'nodePort':" + port + "}]}}";
    }

    @Test
    void services_createdConcurrently_getDifferentAddressesAndPorts() throws Exception {
        int count = 40;
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Callable<Reply>> creations = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                String name = "many-" + i;
                creations.add(() -> api.post(
                        DEFAULT + "/services",
                        "{'metadata':{'name':'" + name + "'},'spec':{'type':'NodePort','ports':[{'port':80}]}}"));
            }
            Set<String> addresses = new HashSet<>();
            Set<Integer> ports = new HashSet<>();
            for (var each : threads.invokeAll(creations)) {
                JsonNode spec = each.get().body().path("spec");
                addresses.add(spec.path("clusterIP").asText());
                ports.add(spec.at("/ports/0/nodePort").asInt());
            }
            assertThat(addresses).hasSize(count);
            assertThat(ports).hasSize(count).allMatch(port -> port >= 30000 && port <= 32767);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void service_appliedAgainWithoutAssignedValues_keepsThem() throws Exception {
        String path = DEFAULT + "/services";
        JsonNode before = api.post(
                        path, "{'metadata':{'name':'kept'},'spec':{'type':'NodePort','ports':[{'port':80}]}}")
                .body();

        Reply replaced = api.put(
                path + "/kept",
                "{'metadata':{'name':'kept'},'spec':{'type':'NodePort','selector':{'a':'b'},'ports':[{'port':80}]}}");
        assertThat(replaced.code()).isEqualTo(200);
        assertThat(replaced.body().at("/spec/clusterIP")).isEqualTo(before.at("/spec/clusterIP"));
        assertThat(replaced.body().at("/spec/ports")).isEqualTo(before.at("/spec/ports"));
        Reply closed = api.mergePatch(path + "/kept", "{'spec':{'type':'ClusterIP'}}");
        assertThat(closed.code()).isEqualTo(200);
        assertThat(closed.body().at("/spec/ports/0").has("nodePort")).isFalse();
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
