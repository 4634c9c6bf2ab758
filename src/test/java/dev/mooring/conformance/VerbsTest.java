package dev.mooring.conformance;

import static dev.mooring.conformance.ApiUnderTest.DEFAULT;
import static dev.mooring.conformance.ApiUnderTest.configMap;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests verbs that change objects, over HTTPS. */
@Timeout(180)
class VerbsTest {
    private static final String MAPS = DEFAULT + "/configmaps";
    private static final String STRATEGIC = "application/strategic-merge-patch+json";
    private static final String JSON_PATCH = "application/json-patch+json";
    private static final String APPLY = "application/apply-patch+yaml";

    @TempDir
    private static Path data;

    private static ApiUnderTest api;

    @BeforeAll
    static void start() {
        // Only requests may raise the revision.
        api = ApiUnderTest.start(data, Map.of("without", "control,node"));
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    private static Reply create(String body) {
        Reply created = api.post(MAPS, body);
        assertThat(created.code()).as(created.text()).isEqualTo(201);
        return created;
    }

    private static Reply patch(String path, String type, String body) {
        return api.send("PATCH", path, body, "Content-Type", type);
    }

    @Test
    void object_createdUpdatedDeleted_isReturnedAndThenNotFound() {
        Reply created = create(configMap("crud"));
        assertThat(created.revision()).isEqualTo(api.revision());
        assertThat(created.body().at("/metadata/uid").asText()).hasSize(36);
        assertThat(created.body().at("/metadata/creationTimestamp").asText()).endsWith("Z");
        assertThat(api.post(MAPS, configMap("crud")).reason()).isEqualTo("AlreadyExists");

        Reply changed = api.put(MAPS + "/crud", configMap("crud", "a", "2"));
        assertThat(changed.code()).isEqualTo(200);
        assertThat(changed.revision()).isGreaterThan(created.revision());
        assertThat(changed.body().at("/metadata/uid")).isEqualTo(created.body().at("/metadata/uid"));
        assertThat(api.get(MAPS + "/crud").body()).isEqualTo(changed.body());

        Reply deleted = api.delete(MAPS + "/crud");
        assertThat(deleted.code()).isEqualTo(200);
        assertThat(deleted.body().path("status").asText()).isEqualTo("Success");
        assertThat(deleted.body().at("/details/uid")).isEqualTo(created.body().at("/metadata/uid"));
        for (Reply missing : List.of(
                api.get(MAPS + "/crud"),
                api.delete(MAPS + "/crud"),
                api.put(MAPS + "/crud", configMap("crud")),
                api.mergePatch(MAPS + "/crud", "{}"))) {
            assertThat(missing.code()).isEqualTo(404);
            assertThat(missing.message()).isEqualTo("configmaps \"crud\" not found");
            assertThat(missing.body().at("/details/kind").asText()).isEqualTo("configmaps");
        }
    }

    @Test
    void update_withOldResourceVersion_isConflict() {
        ObjectNode first = (ObjectNode) create(configMap("locked")).body();
        assertThat(api.mergePatch(MAPS + "/locked", "{'data':{'a':'2'}}").code())
                .isEqualTo(200);

        Reply refused = api.put(MAPS + "/locked", first.toString());
        assertThat(refused.code()).isEqualTo(409);
        assertThat(refused.reason()).isEqualTo("Conflict");
        assertThat(refused.message())
                .isEqualTo(
                        "Operation cannot be fulfilled on configmaps \"locked\": the object has been modified; please"
                                + " apply your changes to the latest version and try again");
        String old = first.at("/metadata/resourceVersion").asText();
        assertThat(api.mergePatch(MAPS + "/locked", "{'metadata':{'resourceVersion':'" + old + "'},'data':{'a':'3'}}")
                        .code())
                .isEqualTo(409);
        first.withObject("/metadata").remove("resourceVersion");
        assertThat(api.put(MAPS + "/locked", first.toString()).code()).isEqualTo(200);
        first.withObject("/metadata").put("uid", "00000000-0000-0000-0000-000000000000");
        assertThat(api.put(MAPS + "/locked", first.toString()).code()).isEqualTo(409);
    }

    @Test
    void write_withoutChange_raisesNoRevision() {
        Reply created = create(configMap("same"));
        long before = api.revision();

        assertThat(api.put(MAPS + "/same", created.body().toString()).revision())
                .isEqualTo(created.revision());
        assertThat(api.put(MAPS + "/same", configMap("same")).revision()).isEqualTo(created.revision());
        assertThat(api.mergePatch(MAPS + "/same", "{'data':{'a':'1'}}").revision())
                .isEqualTo(created.revision());
        assertThat(patch(MAPS + "/same", STRATEGIC, "{'data':{'b':null}}").code())
                .isEqualTo(200);
        assertThat(patch(MAPS + "/same", JSON_PATCH, "[{'op':'test','path':'/data/a','value':'1'}]")
                        .code())
                .isEqualTo(200);
        Reply applied = patch(MAPS + "/same?fieldManager=me", APPLY, configMap("same"));
        assertThat(applied.code()).isEqualTo(200);
        long owned = api.revision();
        assertThat(patch(MAPS + "/same?fieldManager=me", APPLY, configMap("same"))
                        .revision())
                .isEqualTo(applied.revision());

        assertThat(owned).isEqualTo(before + 1);
        assertThat(api.revision()).isEqualTo(owned);
    }

    @Test
    void dryRun_ofAnyWrite_changesNothing() {
        Reply created = create(configMap("dry"));
        long before = api.revision();

        Reply dryCreated = api.post(MAPS + "?dryRun=All", configMap("not-there"));
        assertThat(dryCreated.code()).isEqualTo(201);
        assertThat(dryCreated.body().at("/metadata/uid").asText()).isNotEmpty();
        assertThat(dryCreated.body().at("/metadata").has("resourceVersion")).isFalse();
        assertThat(api.post(MAPS + "?dryRun=All", configMap("dry")).code()).isEqualTo(409);
        assertThat(api.put(MAPS + "/dry?dryRun=All", configMap("dry", "a", "2"))
                        .body()
                        .at("/data/a")
                        .asText())
                .isEqualTo("2");
        assertThat(patch(MAPS + "/dry?dryRun=All", STRATEGIC, "{'data':{'a':'2'}}")
                        .code())
                .isEqualTo(200);
        assertThat(patch(MAPS + "/dry?dryRun=All&fieldManager=me&force=true", APPLY, configMap("dry", "a", "2"))
                        .code())
                .isEqualTo(200);
        assertThat(patch(MAPS + "/dry2?dryRun=All&fieldManager=me", APPLY, configMap("dry2"))
                        .code())
                .isEqualTo(201);
        assertThat(api.delete(MAPS + "/dry?dryRun=All").code()).isEqualTo(200);
        assertThat(api.send("DELETE", MAPS + "/dry", "{'dryRun':['All']}", "Content-Type", "application/json")
                        .code())
                .isEqualTo(200);
        assertThat(api.delete(MAPS + "?dryRun=All").code()).isEqualTo(200);
        assertThat(api.post("/api/v1/namespaces?dryRun=All", ApiUnderTest.namespace("dry-ns"))
                        .code())
                .isEqualTo(201);
        assertThat(api.post(DEFAULT + "/serviceaccounts/default/token?dryRun=All", "{'spec':{}}")
                        .code())
                .isEqualTo(201);

        assertThat(api.revision()).isEqualTo(before);
        assertThat(api.get(MAPS + "/dry").body()).isEqualTo(created.body());
        assertThat(api.post(MAPS + "?dryRun=Some", configMap("dry3")).code()).isEqualTo(422);
    }

    @ParameterizedTest
    @CsvSource({"Ignore, 201, 0", "Warn, 201, 1", "'', 201, 1", "Strict, 400, 0", "Never, 422, 0"})
    void unknownField_byFieldValidation_isIgnoredWarnedOrRejected(String validation, int code, int warnings) {
        String body = "{'kind':'ConfigMap','apiVersion':'v1','metadata':{'name':'unknown-"
                + validation.toLowerCase(java.util.Locale.ROOT) + "x'},'dta':{'a':'1'}}";

        Reply answer = api.post(MAPS + "?fieldValidation=" + validation, body);

        assertThat(answer.code()).as(answer.text()).isEqualTo(code);
        assertThat(answer.headers().allValues("warning")).hasSize(warnings);
        if (warnings > 0) {
            assertThat(answer.header("warning")).isEqualTo("299 - \"unknown field \\\"dta\\\"\"");
        }
        if (code == 400) {
            assertThat(answer.message())
                    .isEqualTo("ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error:"
                            + " unknown field \"dta\"");
        }
    }

    @Test
    void duplicateField_byFieldValidation_isWarnedOrRejected() {
        String body = "{'kind':'ConfigMap','apiVersion':'v1','metadata':{'name':'twice'},'data':{'a':'1','a':'2'}}";

        assertThat(api.post(MAPS + "?fieldValidation=Strict", body).message())
                .contains("strict decoding error: duplicate field \"data[\\\"a\\\"]\"".replace("[\\\"a\\\"]", ".a"));
        Reply warned = api.post(MAPS, body);
        assertThat(warned.code()).isEqualTo(201);
        assertThat(warned.header("warning")).contains("duplicate field");
        assertThat(warned.body().at("/data/a").asText()).isEqualTo("2");
    }

    @Test
    void patch_withUnknownField_isWarnedOrRejected() {
        create(configMap("patched"));

        assertThat(patch(MAPS + "/patched?fieldValidation=Strict", STRATEGIC, "{'dta':{'a':'1'}}")
                        .code())
                .isIn(400, 422);
        Reply warned = patch(MAPS + "/patched", STRATEGIC, "{'dta':{'a':'1'}}");
        assertThat(warned.code()).isEqualTo(200);
        assertThat(warned.header("warning")).contains("unknown field \\\"dta\\\"");
        assertThat(patch(MAPS + "/patched?fieldValidation=Ignore", STRATEGIC, "{'dta':{'a':'1'}}")
                        .header("warning"))
                .isEmpty();
    }

    @Test
    void generateName_repeated_createsUniqueNames() {
        Set<String> names = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            Reply created = create("{'metadata':{'generateName':'gen-'}}");
            assertThat(created.name()).matches("gen-[a-z0-9]{5}");
            assertThat(created.body().at("/metadata/generateName").asText()).isEqualTo("gen-");
            names.add(created.name());
        }
        assertThat(names).hasSize(20);
        Reply nameless = api.post(MAPS, "{'metadata':{}}");
        assertThat(nameless.code()).isEqualTo(422);
        assertThat(nameless.message()).contains("name or generateName is required");
    }

    @Test
    void post_toItemPath_createsObjectOfThatName() {
        Reply created = api.post(MAPS + "/posted", "{'data':{'a':'1'}}");
        assertThat(created.code()).isEqualTo(201);
        assertThat(created.name()).isEqualTo("posted");
        assertThat(api.post(MAPS + "/posted2", configMap("other")).code()).isEqualTo(400);
        assertThat(api.post(MAPS + "/posted", configMap("posted")).code()).isEqualTo(409);
    }

    @ParameterizedTest
    @ValueSource(strings = {"merge", "strategic", "json", "put", "apply"})
    void deletedObject_withFinalizer_isRemovedWithLastFinalizer(String method) {
        String name = "held-" + method;
        String path = MAPS + "/" + name;
        String held = "{'kind':'ConfigMap','apiVersion':'v1','metadata':{'name':'" + name
                + "','finalizers':['example.com/hold']}}";
        String free = "{'kind':'ConfigMap','apiVersion':'v1','metadata':{'name':'" + name + "','finalizers':[]}}";
        Reply created = method.equals("apply") ? patch(path + "?fieldManager=me", APPLY, held) : create(held);
        assertThat(created.code()).isEqualTo(201);

        Reply marked = api.delete(path);
        assertThat(marked.code()).isEqualTo(200);
        assertThat(marked.body().path("kind").asText()).isEqualTo("ConfigMap");
        assertThat(marked.body().at("/metadata/deletionTimestamp").asText()).endsWith("Z");
        assertThat(marked.revision()).isGreaterThan(created.revision());
        Reply deletedAgain = api.delete(path);
        assertThat(deletedAgain.revision()).isEqualTo(marked.revision());
        assertThat(api.post(MAPS, configMap(name)).code()).isEqualTo(409);
        assertThat(api.mergePatch(path, "{'metadata':{'finalizers':['example.com/hold','example.com/more']}}")
                        .code())
                .isEqualTo(422);
        assertThat(api.mergePatch(path, "{'metadata':{'deletionTimestamp':null}}")
                        .body()
                        .at("/metadata/deletionTimestamp")
                        .asText())
                .isNotEmpty();

        Reply freed = switch (method) {
            case "merge" -> api.mergePatch(path, "{'metadata':{'finalizers':null}}");
            case "strategic" ->
                patch(path, STRATEGIC, "{'metadata':{'$deleteFromPrimitiveList/finalizers':['example.com/hold']}}");
            case "json" -> patch(path, JSON_PATCH, "[{'op':'remove','path':'/metadata/finalizers'}]");
            case "put" -> api.put(path, free);
            default -> patch(path + "?fieldManager=me", APPLY, free);
        };
        assertThat(freed.code()).as(freed.text()).isEqualTo(200);
        assertThat(freed.revision()).isEqualTo(api.revision());
        assertThat(api.get(path).code()).isEqualTo(404);
    }

    @Test
    void delete_withPreconditions_isConflictUnlessTheyHold() {
        Reply created = create(configMap("expected"));
        String path = MAPS + "/expected";
        String uid = created.body().at("/metadata/uid").asText();

        Reply wrongUid =
                api.send("DELETE", path, "{'preconditions':{'uid':'other'}}", "Content-Type", "application/json");
        assertThat(wrongUid.code()).isEqualTo(409);
        assertThat(wrongUid.message())
                .contains("Precondition failed: UID in precondition: other, UID in object meta: " + uid);
        assertThat(api.send(
                                "DELETE",
                                path,
                                "{'preconditions':{'resourceVersion':'1'}}",
                                "Content-Type",
                                "application/json")
                        .code())
                .isEqualTo(409);
        assertThat(api.delete(path + "?propagationPolicy=Sometimes").code()).isEqualTo(422);
        assertThat(api.delete(path + "?gracePeriodSeconds=x").code()).isEqualTo(400);
        assertThat(api.send(
                                "DELETE",
                                path,
                                "{'kind':'DeleteOptions','apiVersion':'v1','preconditions':{'uid':'" + uid + "'}}",
                                "Content-Type",
                                "application/json")
                        .code())
                .isEqualTo(200);
    }

    @Test
    void deleteCollection_withSelector_deletesOnlySelected() {
        api.post("/api/v1/namespaces", ApiUnderTest.namespace("collection"));
        String path = "/api/v1/namespaces/collection/configmaps";
        for (String name : List.of("a", "b", "c")) {
            api.post(path, ApiUnderTest.labelled(name, "{'app':'" + (name.equals("a") ? "x" : "y") + "'}"));
        }
        Reply deleted = api.delete(path + "?labelSelector=app%3Dy");
        assertThat(deleted.code()).isEqualTo(200);
        assertThat(deleted.body().path("kind").asText()).isEqualTo("ConfigMapList");
        assertThat(deleted.body().path("items")).hasSize(2);
        assertThat(api.get(path).body().at("/items/0/metadata/name").asText()).isEqualTo("a");
        assertThat(api.delete(path + "?fieldSelector=metadata.name%3Da").body().path("items"))
                .hasSize(1);
        assertThat(api.delete(path + "?fieldSelector=metadata.name%21%3Dkube-root-ca.crt")
                        .body()
                        .path("items"))
                .isEmpty();
    }

    @Test
    void patches_concurrentOnOneObject_areAllApplied() {
        create(configMap("contended"));
        List<CompletableFuture<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            var request = api.request(
                    "PATCH",
                    MAPS + "/contended",
                    "{'data':{'k" + i + "':'1'}}",
                    "Content-Type",
                    "application/merge-patch+json");
            all.add(api.client()
                    .sendAsync(request, java.net.http.HttpResponse.BodyHandlers.ofString())
                    .thenApply(answer -> answer.statusCode()));
        }
        assertThat(all).allSatisfy(each -> assertThat(each.join()).isEqualTo(200));
        assertThat(api.get(MAPS + "/contended").body().path("data")).hasSize(41);
    }

    @Test
    void namespace_missing_isNotFoundOnCreateAndEmptyOnList() {
        Reply refused = api.post("/api/v1/namespaces/nowhere/configmaps", configMap("a"));
        assertThat(refused.code()).isEqualTo(404);
        assertThat(refused.message()).isEqualTo("namespaces \"nowhere\" not found");
        assertThat(api.get("/api/v1/namespaces/nowhere/configmaps").body().path("items"))
                .isEmpty();
        Reply mismatch = api.post(MAPS, "{'metadata':{'name':'a','namespace':'other'}}");
        assertThat(mismatch.code()).isEqualTo(400);
        assertThat(mismatch.message())
                .isEqualTo("the namespace of the provided object does not match the namespace sent on the request");
    }
}
