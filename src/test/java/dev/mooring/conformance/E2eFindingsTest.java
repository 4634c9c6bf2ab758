package dev.mooring.conformance;

import static dev.mooring.conformance.ApiUnderTest.DEFAULT;
import static dev.mooring.conformance.ApiUnderTest.configMap;
import static dev.mooring.conformance.ApiUnderTest.namespace;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.conformance.ApiUnderTest.TestWatch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests requests of Kubernetes' e2e suite that this API once answered differently from kube-apiserver. */
@Timeout(180)
class E2eFindingsTest {
    private static final String MAPS = DEFAULT + "/configmaps";

    @TempDir
    private static Path data;

    private static ApiUnderTest api;

    @BeforeAll
    static void start() {
        api = ApiUnderTest.start(data, Map.of("without", "control,node"));
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    private static Reply apply(String path, String body) {
        return api.send("PATCH", path + "?fieldManager=e2e", body, "Content-Type", "application/apply-patch+yaml");
    }

    @Test
    void applyPatch_inBracesWithCommaAfterLastItem_isReadAsYaml() {
        Reply applied = apply(
                MAPS + "/comma",
                "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'comma'},'data':{'a':'b'},}");
        assertThat(applied.code()).as(applied.text()).isEqualTo(201);
        assertThat(applied.body().at("/data/a").asText()).isEqualTo("b");

        Reply broken = apply(MAPS + "/comma", "{'apiVersion':'v1','kind':'ConfigMap',]");
        assertThat(broken.code()).isEqualTo(400);
        assertThat(broken.message()).contains("error converting YAML to JSON");
    }

    @Test
    void requestLine_longerThan16KiB_isServed() throws IOException {
        try (Http1Socket socket = Http1Socket.open(api)) {
            String names = "in(" + "x".repeat(60) + (",y" + "x".repeat(60)).repeat(320) + ")";
            Http1Socket.Http1Response found =
                    socket.request("GET " + MAPS + "?labelSelector=app+" + names.replace("in(", "in+("));
            assertThat(found.code()).as(found.body()).isEqualTo(200);
            Http1Socket.Http1Response exec =
                    socket.request("GET " + DEFAULT + "/pods/none/exec?command=" + "x".repeat(1_000_000));
            assertThat(exec.code()).as(exec.body()).isEqualTo(404);
        }
    }

    @Test
    void requestLine_longerThan1MiB_isAnsweredWithStatus() throws IOException {
        try (Http1Socket socket = Http1Socket.open(api)) {
            Http1Socket.Http1Response answer =
                    socket.request("GET " + MAPS + "?labelSelector=" + "x".repeat(2 * 1024 * 1024));
            assertThat(answer.code()).isEqualTo(414);
            JsonNode status = ApiUnderTest.JSON.readTree(answer.body());
            assertThat(status.path("kind").asText()).isEqualTo("Status");
            assertThat(status.path("code").asInt()).isEqualTo(414);
            assertThat(status.path("message").asText()).contains("1048576 bytes");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "Table, /rows/0/object/metadata",
        "PartialObjectMetadata, /metadata",
    })
    void watch_withInitialEvents_endsThemWithBookmarkInRequestedForm(String form, String metadata) {
        String ns = "bookmarks-" + form.toLowerCase(java.util.Locale.ROOT);
        api.post("/api/v1/namespaces", namespace(ns));
        String path = "/api/v1/namespaces/" + ns + "/configmaps";
        api.post(path, configMap("a"));
        try (TestWatch watch = api.watch(
                path + "?sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan",
                "Accept",
                "application/json;as=" + form + ";v=v1;g=meta.k8s.io")) {
            assertThat(watch.next().at("/object" + metadata + "/name").asText()).isEqualTo("a");
            JsonNode bookmark = watch.next();
            assertThat(bookmark.path("type").asText()).isEqualTo("BOOKMARK");
            assertThat(bookmark.at("/object/kind").asText()).isEqualTo(form);
            assertThat(bookmark.at("/object/apiVersion").asText()).isEqualTo("meta.k8s.io/v1");
            assertThat(bookmark.at("/object/metadata/resourceVersion").asLong()).isPositive();
            assertThat(bookmark.at("/object" + metadata)
                            .path("annotations")
                            .path("k8s.io/initial-events-end")
                            .asText())
                    .isEqualTo("true");
        }
    }

    @Test
    void listItems_haveNeitherKindNorApiVersion() {
        api.post("/api/v1/namespaces", namespace("items"));
        String path = "/api/v1/namespaces/items/configmaps";
        api.post(path, configMap("a"));
        Reply list = api.get(path);
        assertThat(list.body().path("kind").asText()).isEqualTo("ConfigMapList");
        JsonNode item = list.body().at("/items/0");
        assertThat(item.has("kind") || item.has("apiVersion")).as(list.text()).isFalse();
        assertThat(item.at("/data/a").asText()).isEqualTo("1");
        assertThat(api.get(path + "/a").body().path("kind").asText()).isEqualTo("ConfigMap");
        String yaml = api.get(path, "Accept", "application/yaml").text();
        assertThat(yaml).startsWith("kind: \"ConfigMapList\"").doesNotContain("\"ConfigMap\"\n");
        JsonNode partial = api.get(path, "Accept", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io")
                .body();
        assertThat(partial.at("/items/0/kind").asText()).isEqualTo("PartialObjectMetadata");
    }

    @Test
    void terminationGracePeriod_negative_isStoredAsOne() {
        Reply pod = api.post(
                DEFAULT + "/pods",
                "{'metadata':{'name':'grace'},'spec':{'terminationGracePeriodSeconds':-1,"
                        + "'containers':[{'name':'c','image':'busybox'}]}}");
        assertThat(pod.code()).as(pod.text()).isEqualTo(201);
        assertThat(pod.body().at("/spec/terminationGracePeriodSeconds").asInt()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "invalid, 400",
        "5, 400",
        "1x, 400",
        "'', 200",
        "0, 200",
        "1s, 200",
        "1h5m0.5s, 200",
        ".5s, 200",
        "-1s, 200"
    })
    void timeoutParameter_notADuration_isRefused(String timeout, int code) {
        for (String path : new String[] {"/version", MAPS}) {
            Reply answer = api.get(path + "?timeout=" + timeout);
            assertThat(answer.code()).as(path).isEqualTo(code);
            if (code == 400) {
                assertThat(answer.message()).startsWith("invalid timeout specified in the request URL");
            }
        }
    }

    @Test
    void selfSubjectAccessReview_asTable_isNotAcceptable() {
        String path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
        String review = "{'spec':{'resourceAttributes':{'verb':'list','resource':'pods'}}}";
        Reply table = api.send(
                "POST",
                path,
                review,
                "Content-Type",
                "application/json",
                "Accept",
                "application/json;as=Table;v=v1;g=meta.k8s.io");
        assertThat(table.code()).as(table.text()).isEqualTo(406);
        assertThat(table.message()).contains("only the following media types are accepted");
        assertThat(api.post(path, review).code()).isEqualTo(201);
    }

    @Test
    void storageClass_withFsTypeAsCsiDriversNameIt_isAccepted() {
        String path = "/apis/storage.k8s.io/v1/storageclasses";
        String start = "{'metadata':{'generateName':'e2e-'},'provisioner':'mooring.dev/block','parameters':{";
        assertThat(api.post(path, start + "'csi.storage.k8s.io/fstype':'xfs'}}").code())
                .isEqualTo(201);
        Reply unknown = api.post(path, start + "'csi.storage.k8s.io/fstype':'ntfs'}}");
        assertThat(unknown.code()).isEqualTo(422);
        Reply both = api.post(path, start + "'csi.storage.k8s.io/fstype':'xfs','fsType':'ext4'}}");
        assertThat(both.code()).isEqualTo(422);
        assertThat(both.message()).contains("means the same as fsType");
    }

    @Test
    void serviceAccountToken_isSignedAndReviewed() {
        String accounts = DEFAULT + "/serviceaccounts";
        assertThat(api.post(accounts, "{'metadata':{'name':'robot'}}").code()).isEqualTo(201);
        Reply issued = api.post(accounts + "/robot/token", "{'spec':{'audiences':[],'expirationSeconds':600}}");
        assertThat(issued.code()).as(issued.text()).isEqualTo(201);
        String token = issued.body().at("/status/token").asText();
        ApiUnderTest robot = api.withToken(token);
        Reply self = robot.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}");
        assertThat(self.body().at("/status/userInfo/username").asText())
                .isEqualTo("system:serviceaccount:default:robot");
        assertThat(robot.get(MAPS).code()).as("no role").isEqualTo(403);

        String reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
        Reply review = api.post(reviews, "{'spec':{'token':'" + token + "'}}");
        assertThat(review.code()).as(review.text()).isEqualTo(201);
        assertThat(review.body().at("/status/authenticated").asBoolean()).isTrue();
        assertThat(review.body().at("/status/user/groups").toString())
                .contains("system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated");
        assertThat(review.text()).doesNotContain(token);
        Reply wrong = api.post(reviews, "{'spec':{'token':'" + token + "x'}}");
        assertThat(wrong.body().at("/status/authenticated").asBoolean()).isFalse();
        assertThat(wrong.body().at("/status/error").asText()).isEqualTo("invalid bearer token");
        Reply other = api.post(reviews, "{'spec':{'token':'" + token + "','audiences':['vault']}}");
        assertThat(other.body().at("/status/authenticated").asBoolean()).isFalse();
        assertThat(robot.post(reviews, "{'spec':{'token':'" + token + "'}}").code())
                .isEqualTo(403);

        assertThat(robot.get("/.well-known/openid-configuration")
                        .body()
                        .path("issuer")
                        .asText())
                .isEqualTo("https://kubernetes.default.svc.cluster.local");
        assertThat(robot.get("/openid/v1/jwks").body().at("/keys/0/alg").asText())
                .isEqualTo("ES256");
        assertThat(api.withToken("").get("/openid/v1/jwks").code()).isEqualTo(401);

        api.mergePatch(accounts + "/robot", "{'metadata':{'annotations':{'mooring.dev/role':'view'}}}");
        assertThat(robot.get(MAPS).code()).isEqualTo(200);
        api.delete(accounts + "/robot");
        assertThat(robot.get(MAPS).code()).isEqualTo(401);
    }
}
