package dev.mooring.conformance;

import static dev.mooring.conformance.ApiUnderTest.configMap;
import static dev.mooring.conformance.ApiUnderTest.labelled;
import static dev.mooring.conformance.ApiUnderTest.namespace;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests lists over HTTPS: pages, selectors, revisions. Each test has its own namespace. */
@Timeout(180)
class VerbsListTest {
    @TempDir
    private static Path data;

    private static ApiUnderTest api;

    @BeforeAll
    static void start() {
        // Keeps few events in memory, so that older revisions are read from the log; only requests raise the revision.
        api = ApiUnderTest.start(data, Map.of("watch.bufferEvents", "16", "without", "control,node"));
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    private static String namespacePath(String name) {
        assertThat(api.post("/api/v1/namespaces", namespace(name)).code()).isEqualTo(201);
        return "/api/v1/namespaces/" + name + "/configmaps";
    }

    private static void create(String path, String... names) {
        for (String name : names) {
            assertThat(api.post(path, configMap(name)).code()).isEqualTo(201);
        }
    }

    private static List<String> names(Reply list) {
        assertThat(list.code()).as(list.text()).isEqualTo(200);
        List<String> names = new ArrayList<>();
        for (JsonNode item : list.body().path("items")) {
            names.add(item.path("metadata").path("name").asText());
        }
        return names;
    }

    private static String token(Reply list) {
        return list.body().path("metadata").path("continue").asText();
    }

    @ParameterizedTest
    @CsvSource({"few, 0", "many, 40"})
    void pages_objectsChangeMeanwhile_showOneRevision(String name, int changes) {
        String path = namespacePath("pages-" + name);
        create(path, "a", "b", "c", "d", "e");
        Reply first = api.get(path + "?limit=2");
        assertThat(names(first)).containsExactly("a", "b");
        assertThat(first.body().path("metadata").path("remainingItemCount").asInt())
                .isEqualTo(3);

        api.delete(path + "/c");
        create(path, "aa", "dd");
        api.mergePatch(path + "/d", "{'data':{'a':'2'}}");
        for (int i = 0; i < changes; i++) {
            api.mergePatch(path + "/e", "{'data':{'a':'" + i + "x'}}");
        }
        Reply second = api.get(path + "?limit=2&continue=" + token(first));
        assertThat(names(second)).containsExactly("c", "d");
        assertThat(second.revision()).isEqualTo(first.revision());
        assertThat(second.body().at("/items/1/data/a").asText()).isEqualTo("1");
        Reply third = api.get(path + "?limit=2&continue=" + token(second));
        assertThat(names(third)).containsExactly("e");
        assertThat(token(third)).isEmpty();
        assertThat(third.body().path("metadata").has("remainingItemCount")).isFalse();

        assertThat(names(api.get(path))).containsExactly("a", "aa", "b", "d", "dd", "e");
    }

    @Test
    void pages_withSelector_haveOnlySelectedItemsAndNoRemainingCount() {
        String path = namespacePath("selected");
        for (String name : List.of("a", "b", "c", "d", "e")) {
            String app = name.compareTo("c") < 0 ? "x" : "y";
            assertThat(api.post(path, labelled(name, "{'app':'" + app + "'}")).code())
                    .isEqualTo(201);
        }
        Reply first = api.get(path + "?limit=2&labelSelector=app%3Dy");
        assertThat(names(first)).containsExactly("c", "d");
        assertThat(first.body().path("metadata").has("remainingItemCount")).isFalse();
        Reply second = api.get(path + "?limit=2&labelSelector=app%3Dy&continue=" + token(first));
        assertThat(names(second)).containsExactly("e");

        assertThat(names(api.get(path + "?labelSelector=app%20in%20(x,z)"))).containsExactly("a", "b");
        assertThat(names(api.get(path + "?labelSelector=!app"))).isEmpty();
        assertThat(names(api.get(path + "?labelSelector=app!%3Dx"))).containsExactly("c", "d", "e");
        assertThat(names(api.get(path + "?fieldSelector=metadata.name%3Db"))).containsExactly("b");
        assertThat(names(api.get(path + "?fieldSelector=metadata.name!%3Db"))).containsExactly("a", "c", "d", "e");
        assertThat(names(api.get("/api/v1/configmaps?fieldSelector=metadata.namespace%3Dselected,metadata.name%3Dd")))
                .containsExactly("d");
        assertThat(names(api.get("/api/v1/configmaps?labelSelector=app%3Dx"))).containsExactly("a", "b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"A_B", "..", "a/b", "a%00b"})
    void fieldSelector_impossibleName_findsNothing(String name) {
        String encoded = java.net.URLEncoder.encode(name, StandardCharsets.UTF_8);

        Reply list = api.get("/api/v1/namespaces/default/configmaps?fieldSelector=metadata.name%3D" + encoded);

        assertThat(names(list)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "labelSelector=a%3D%3D%3Db",
                "labelSelector=a%20in%20(",
                "fieldSelector=spec.nope%3D1",
                "fieldSelector=metadata.name",
                "limit=-1",
                "limit=x",
                "limit=99999999999999999999",
                "resourceVersion=x",
                "resourceVersion=-1",
                "at=x",
                "at=-1",
                "continue=x",
                "continue=%20%20",
                "continue=MSBjb25maWdtYXBz"
            })
    void list_malformedQuery_isBadRequest(String query) {
        Reply answer = api.get("/api/v1/namespaces/default/configmaps?" + query);

        assertThat(answer.code()).as(answer.text()).isEqualTo(400);
        assertThat(answer.reason()).isEqualTo("BadRequest");
    }

    @Test
    void continueToken_forged_reachesNoOtherObjects() {
        String path = namespacePath("made-up");
        create(path, "a");
        api.post("/api/v1/namespaces/made-up/secrets", "{'metadata':{'name':'s'},'stringData':{'a':'hidden'}}");
        create("/api/v1/namespaces/default/configmaps", "z");
        long now = api.revision();
        for (String plain : List.of(
                now + " secrets/made-up/a",
                now + " configmaps/default/zz",
                now + " configmaps/zzz/zz",
                now + " pods/made-up/a",
                now + " aaa/a",
                now + " zzz/a",
                now + " namespaces/a",
                "0 configmaps/made-up/0",
                "99999999 configmaps/made-up/0",
                "1 configmaps/made-up/0")) {
            String token = Base64.getUrlEncoder().encodeToString(plain.getBytes(StandardCharsets.UTF_8));
            Reply answer = api.get(path + "?continue=" + token.replace("=", ""));
            if (answer.code() == 200) {
                assertThat(names(answer)).as(plain).isSubsetOf("a");
            } else {
                assertThat(answer.code()).as(plain + ": " + answer.text()).isIn(400, 410, 504);
            }
            assertThat(answer.text()).doesNotContain("aGlkZGVu");
        }
    }

    @Test
    void list_withResourceVersion_returnsExactOrNewerRevision() {
        String path = namespacePath("revisions");
        create(path, "a");
        long early = api.revision();
        create(path, "b");
        long now = api.revision();
        long future = now + 1000;

        assertThat(names(api.get(path + "?resourceVersion=0"))).containsExactly("a", "b");
        assertThat(names(api.get(path + "?resourceVersion=" + early))).containsExactly("a", "b");
        assertThat(names(api.get(path + "?resourceVersionMatch=NotOlderThan&resourceVersion=" + early)))
                .containsExactly("a", "b");
        assertThat(names(api.get(path + "?resourceVersionMatch=NotOlderThan&resourceVersion=0")))
                .containsExactly("a", "b");
        Reply exact = api.get(path + "?resourceVersionMatch=Exact&resourceVersion=" + early);
        assertThat(names(exact)).containsExactly("a");
        assertThat(exact.revision()).isEqualTo(early);

        for (String query : List.of("", "&resourceVersionMatch=Exact", "&resourceVersionMatch=NotOlderThan")) {
            Reply tooLarge = api.get(path + "?resourceVersion=" + future + query);
            assertThat(tooLarge.code()).as(query).isEqualTo(504);
            assertThat(tooLarge.body().at("/details/causes/0/reason").asText()).isEqualTo("ResourceVersionTooLarge");
        }
        assertThat(api.get(path + "/a?resourceVersion=" + future).code()).isEqualTo(504);
        assertThat(api.get(path + "/a?resourceVersion=0").code()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "resourceVersionMatch=Exact",
                "resourceVersionMatch=NotOlderThan",
                "resourceVersionMatch=Exact&resourceVersion=0",
                "resourceVersionMatch=Newest&resourceVersion=1"
            })
    void list_wrongResourceVersionMatch_isInvalid(String query) {
        Reply answer = api.get("/api/v1/namespaces/default/configmaps?" + query);

        assertThat(answer.code()).as(answer.text()).isEqualTo(422);
        assertThat(answer.reason()).isEqualTo("Invalid");
    }

    @Test
    void continueToken_withResourceVersion_isRejected() {
        String path = "/api/v1/namespaces/default/configmaps?continue=MSBjb25maWdtYXBzL2RlZmF1bHQvYQ&resourceVersion=1";
        assertThat(api.get(path + "&resourceVersionMatch=NotOlderThan").code()).isEqualTo(422);
        Reply refused = api.get(path);
        assertThat(refused.code()).isEqualTo(400);
        assertThat(refused.message()).isEqualTo("specifying resource version is not allowed when using continue");
    }

    @Test
    void continueToken_withNegativeRevision_isBadRequest() {
        String token = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString("-1 configmaps/default/0".getBytes(StandardCharsets.UTF_8));
        assertThat(api.get("/api/v1/namespaces/default/configmaps?continue=" + token)
                        .code())
                .isEqualTo(400);
    }

    @Test
    void read_atEarlierRevision_returnsThatState() {
        String path = namespacePath("at");
        create(path, "a");
        long first = api.revision();
        List<Long> revisions = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            revisions.add(
                    api.mergePatch(path + "/a", "{'data':{'a':'v" + i + "'}}").revision());
        }
        api.delete(path + "/a");

        for (int i = 0; i < 40; i += 7) {
            Reply past = api.get(path + "/a?at=" + revisions.get(i));
            assertThat(past.code()).isEqualTo(200);
            assertThat(past.body().at("/data/a").asText()).isEqualTo("v" + i);
            assertThat(past.revision()).isEqualTo(revisions.get(i));
            Reply list = api.get(path + "?at=" + revisions.get(i));
            assertThat(list.body().at("/items/0/data/a").asText()).isEqualTo("v" + i);
            assertThat(list.revision()).isEqualTo(revisions.get(i));
        }
        assertThat(api.get(path + "/a?at=" + (first - 1)).code()).isEqualTo(404);
        assertThat(api.get(path + "/a?at=" + api.revision()).code()).isEqualTo(404);
        assertThat(names(api.get(path + "?at=1"))).isEmpty();
        assertThat(names(api.get(path + "?at=0"))).isEmpty();
        assertThat(api.get(path + "?at=" + (api.revision() + 1)).code()).isEqualTo(400);
        Reply table = api.get(path + "?at=" + first, "Accept", "application/json;as=Table;g=meta.k8s.io;v=v1");
        assertThat(table.body().path("kind").asText()).isEqualTo("Table");
        assertThat(table.body().at("/rows/0/cells/0").asText()).isEqualTo("a");
    }

    @Test
    void pages_atEarlierRevision_continueAtThatRevision() {
        String path = namespacePath("pages-at");
        create(path, "a", "b", "c");
        long past = api.revision();
        api.delete(path + "/c");

        Reply first = api.get(path + "?limit=1&at=" + past);
        assertThat(first.revision()).isEqualTo(past);
        assertThat(names(first)).containsExactly("a");
        Reply second = api.get(path + "?limit=5&continue=" + token(first));
        assertThat(names(second)).containsExactly("b", "c");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "application/json|ConfigMapList|application/json",
                "application/json;as=Table;v=v1;g=meta.k8s.io|Table|application/json",
                "application/json;as=Table;v=v1;g=meta.k8s.io,application/json|Table|application/json",
                "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io|PartialObjectMetadataList|application/json",
                "*/*|ConfigMapList|application/json",
                "application/vnd.kubernetes.protobuf,application/json|ConfigMapList|application/json"
            })
    void list_withAcceptHeader_hasRequestedForm(String accept, String kind, String contentType) {
        Reply list = api.get("/api/v1/namespaces/default/configmaps?limit=1", "Accept", accept);

        assertThat(list.code()).isEqualTo(200);
        assertThat(list.header("content-type")).isEqualTo(contentType);
        assertThat(list.body().path("kind").asText()).isEqualTo(kind);
    }

    @Test
    void list_acceptYaml_isYaml() {
        Reply list = api.get("/api/v1/namespaces?limit=1", "Accept", "application/yaml");

        assertThat(list.header("content-type")).isEqualTo("application/yaml");
        assertThat(list.text()).contains("kind: \"NamespaceList\"");
    }
}
