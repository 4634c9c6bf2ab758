package dev.mooring.conformance;

import static dev.mooring.conformance.ApiUnderTest.configMap;
import static dev.mooring.conformance.ApiUnderTest.labelled;
import static dev.mooring.conformance.ApiUnderTest.namespace;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.conformance.ApiUnderTest.TestWatch;
import java.nio.file.Path;
import java.util.ArrayList;
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

/** Tests watches over HTTPS. Each test has its own namespace; a missing event is shown by the one that follows. */
@Timeout(180)
class WatchTest {
    private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

    @TempDir
    private static Path data;

    private static ApiUnderTest api;

    @BeforeAll
    static void start() {
        // Events before the last 16 are read from the log; only requests raise the revision.
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

    private static long create(String path, String name) {
        Reply created = api.post(path, configMap(name));
        assertThat(created.code()).isEqualTo(201);
        return created.revision();
    }

    private static long change(String path, String name, String value) {
        Reply changed = api.mergePatch(path + "/" + name, "{'data':{'a':'" + value + "'}}");
        assertThat(changed.code()).isEqualTo(200);
        return changed.revision();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "?resourceVersion=0", "?resourceVersion="})
    void watch_withoutRevision_startsWithExistingObjects(String query) {
        String path = namespacePath("initial" + query.length());
        long a = create(path, "a");
        long b = create(path, "b");
        try (TestWatch watch = api.watch(path + query)) {
            assertThat(watch.code()).isEqualTo(200);
            assertThat(watch.header("content-type")).startsWith("application/json");
            assertThat(watch.nextSummary()).isEqualTo("ADDED a@" + a);
            assertThat(watch.nextSummary()).isEqualTo("ADDED b@" + b);
            long changed = change(path, "a", "2");
            assertThat(watch.nextSummary()).isEqualTo("MODIFIED a@" + changed);
        }
    }

    @Test
    void watch_fromAnyRevision_continuesAfterIt() {
        String path = namespacePath("any");
        long a = create(path, "a");
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            all.add("MODIFIED a@" + change(path, "a", "v" + i));
        }
        api.delete(path + "/a");
        all.add("DELETED a@" + api.revision());

        for (int skipped : new int[] {0, 1, 13, 30, 39, 41}) {
            long after = skipped == 0 ? a : Long.parseLong(all.get(skipped - 1).split("@", 2)[1]);
            try (TestWatch watch = api.watch(path + "?resourceVersion=" + after)) {
                for (String expected : all.subList(skipped, all.size())) {
                    assertThat(watch.nextSummary()).isEqualTo(expected);
                }
                String marker = "m" + skipped;
                long created = create(path, marker);
                all.add("ADDED " + marker + "@" + created);
                assertThat(watch.nextSummary()).isEqualTo("ADDED " + marker + "@" + created);
            }
        }
        try (TestWatch watch = api.watch(path + "?resourceVersion=1")) {
            assertThat(watch.nextSummary()).isEqualTo("ADDED a@" + a);
            for (String expected : all) {
                assertThat(watch.nextSummary()).isEqualTo(expected);
            }
        }
    }

    @Test
    void watch_objectDeleted_showsLastStateWithRevisionOfDeletion() {
        String path = namespacePath("deleted");
        create(path, "a");
        change(path, "a", "last");
        try (TestWatch watch = api.watch(path + "?resourceVersion=" + api.revision())) {
            api.delete(path + "/a");
            JsonNode event = watch.next();
            assertThat(event.path("type").asText()).isEqualTo("DELETED");
            assertThat(event.at("/object/data/a").asText()).isEqualTo("last");
            assertThat(event.at("/object/metadata/resourceVersion").asLong()).isEqualTo(api.revision());
        }
    }

    @ParameterizedTest
    @CsvSource({"selector-live, 0", "selector-log, 40"})
    void watch_withLabelSelector_showsObjectsThatEnterAndLeave(String name, int later) {
        String path = namespacePath(name);
        long start = api.revision();
        List<String> expected = new ArrayList<>();
        expected.add("ADDED in@" + api.post(path, labelled("in", "{'app':'x'}")).revision());
        api.post(path, labelled("out", "{'app':'y'}"));
        expected.add("MODIFIED in@" + change(path, "in", "2"));
        change(path, "out", "2");
        expected.add("ADDED out@"
                + api.mergePatch(path + "/out", "{'metadata':{'labels':{'app':'x'}}}")
                        .revision());
        expected.add("DELETED in@"
                + api.mergePatch(path + "/in", "{'metadata':{'labels':{'app':null}}}")
                        .revision());
        api.delete(path + "/in");
        api.delete(path + "/out");
        expected.add("DELETED out@" + api.revision());
        for (int i = 0; i < later; i++) {
            if (i == 0) {
                create(path, "other");
            }
            change(path, "other", "v" + i);
        }
        expected.add(
                "ADDED end@" + api.post(path, labelled("end", "{'app':'x'}")).revision());

        try (TestWatch watch = api.watch(path + "?labelSelector=app%3Dx&resourceVersion=" + start)) {
            for (String each : expected) {
                JsonNode event = watch.next();
                JsonNode metadata = event.at("/object/metadata");
                assertThat(event.path("type").asText() + " "
                                + metadata.path("name").asText() + "@"
                                + metadata.path("resourceVersion").asText())
                        .isEqualTo(each);
                assertThat(metadata.at("/labels/app").asText()).as(each).isEqualTo("x");
            }
        }
    }

    @Test
    void watch_byName_showsOnlyThatObject() {
        String path = namespacePath("by-name");
        create(path, "a");
        create(path, "b");
        for (String scope : List.of(path, "/api/v1/configmaps")) {
            try (TestWatch watch = api.watch(scope + "?fieldSelector=metadata.name%3Db,metadata.namespace%3Dby-name")) {
                assertThat(watch.nextName()).isEqualTo("ADDED b");
                change(path, "a", scope);
                change(path, "b", scope);
                assertThat(watch.nextName()).isEqualTo("MODIFIED b");
            }
        }
        try (TestWatch watch = api.watch(path + "?fieldSelector=metadata.name%3Dlater")) {
            create(path, "later");
            assertThat(watch.nextName()).isEqualTo("ADDED later");
            api.delete(path + "/later");
            assertThat(watch.nextName()).isEqualTo("DELETED later");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&resourceVersion=", "&resourceVersion=0"})
    void initialEvents_withBookmarks_endWithBookmark(String version) {
        String path = namespacePath("list" + version.length());
        long a = create(path, "a");
        long b = create(path, "b");
        try (TestWatch watch = api.watch(path
                + "?sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan" + version)) {
            assertThat(watch.nextSummary()).isEqualTo("ADDED a@" + a);
            assertThat(watch.nextSummary()).isEqualTo("ADDED b@" + b);
            JsonNode end = watch.next();
            assertThat(end.path("type").asText()).isEqualTo("BOOKMARK");
            assertThat(end.at("/object/metadata/annotations/k8s.io~1initial-events-end")
                            .asText())
                    .isEqualTo("true");
            assertThat(end.at("/object/kind").asText()).isEqualTo("ConfigMap");
            assertThat(end.at("/object/metadata/resourceVersion").asLong()).isGreaterThanOrEqualTo(b);
            long c = create(path, "c");
            assertThat(watch.nextSummary()).isEqualTo("ADDED c@" + c);
        }
    }

    @Test
    void initialEvents_withSelector_areOnlyThoseSelected() {
        String path = namespacePath("list-selected");
        api.post(path, labelled("x", "{'app':'x'}"));
        api.post(path, labelled("y", "{'app':'y'}"));
        try (TestWatch watch = api.watch(path + "?labelSelector=app%3Dy&sendInitialEvents=true&allowWatchBookmarks=true"
                + "&resourceVersionMatch=NotOlderThan&resourceVersion=1")) {
            assertThat(watch.nextName()).isEqualTo("ADDED y");
            assertThat(watch.nextName()).startsWith("BOOKMARK");
        }
        try (TestWatch watch = api.watch(
                path + "?sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true")) {
            create(path, "z");
            assertThat(watch.nextName()).isEqualTo("ADDED z");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sendInitialEvents=true&allowWatchBookmarks=true",
                "sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=Exact&resourceVersion=1"
            })
    void initialEvents_wrongResourceVersionMatch_isInvalid(String query) {
        try (TestWatch watch = api.watch("/api/v1/namespaces/default/configmaps?timeoutSeconds=5&" + query)) {
            assertThat(watch.code()).isEqualTo(422);
        }
    }

    @Test
    void resourceVersionMatch_withoutInitialEvents_isInvalid() {
        String query = "?timeoutSeconds=5&resourceVersionMatch=NotOlderThan&resourceVersion=1";
        try (TestWatch watch = api.watch("/api/v1/namespaces/default/configmaps" + query)) {
            assertThat(watch.code()).isEqualTo(422);
        }
    }

    @Test
    void initialEvents_withoutBookmarks_areSent() {
        String path = namespacePath("list-unmarked");
        create(path, "a");
        try (TestWatch watch = api.watch(path + "?sendInitialEvents=true&resourceVersionMatch=NotOlderThan")) {
            assertThat(watch.code()).isEqualTo(200);
            assertThat(watch.nextName()).isEqualTo("ADDED a");
            create(path, "b");
            assertThat(watch.nextName()).isEqualTo("ADDED b");
        }
    }

    @Test
    void watch_asTable_sendsColumnsOnce() {
        String path = namespacePath("table");
        create(path, "a");
        try (TestWatch watch = api.watch(path + "?resourceVersion=0", "Accept", TABLE)) {
            JsonNode first = watch.next();
            assertThat(first.path("type").asText()).isEqualTo("ADDED");
            assertThat(first.at("/object/kind").asText()).isEqualTo("Table");
            assertThat(first.at("/object/columnDefinitions/0/name").asText()).isEqualTo("Name");
            assertThat(first.at("/object/rows/0/cells/0").asText()).isEqualTo("a");
            create(path, "b");
            JsonNode second = watch.next();
            assertThat(second.at("/object/rows/0/cells/0").asText()).isEqualTo("b");
            assertThat(second.at("/object/columnDefinitions")).isEmpty();
            api.delete(path + "/a");
            JsonNode third = watch.next();
            assertThat(third.path("type").asText()).isEqualTo("DELETED");
            assertThat(third.at("/object/rows/0/object/metadata/name").asText()).isEqualTo("a");
        }
    }

    @Test
    void watch_afterItsTimeout_ends() {
        String path = namespacePath("timeout");
        create(path, "a");
        try (TestWatch watch = api.watch(path + "?timeoutSeconds=1")) {
            assertThat(watch.nextName()).isEqualTo("ADDED a");
            assertThat(watch.next().isMissingNode()).isTrue();
        }
    }

    @Test
    void watch_fromFutureRevision_isExpired() {
        try (TestWatch watch =
                api.watch("/api/v1/configmaps?timeoutSeconds=5&resourceVersion=" + (api.revision() + 1000))) {
            if (watch.code() == 200) {
                JsonNode error = watch.next();
                assertThat(error.path("type").asText()).isEqualTo("ERROR");
                assertThat(error.at("/object/code").asInt()).isEqualTo(410);
            } else {
                assertThat(watch.code()).isEqualTo(410);
            }
        }
    }

    @Test
    void watch_ofAllNamespaces_showsEventsInOrder() {
        String one = namespacePath("order-one");
        String two = namespacePath("order-two");
        try (TestWatch watch = api.watch("/api/v1/configmaps?resourceVersion=" + api.revision())) {
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                expected.add("ADDED n" + i + "@" + create(i % 3 == 0 ? one : two, "n" + i));
            }
            for (String each : expected) {
                assertThat(watch.nextSummary()).isEqualTo(each);
            }
        }
    }

    @Test
    void watches_manyOnOneConnection_allReceiveEvents() {
        String path = namespacePath("many");
        List<TestWatch> watches = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            watches.add(api.watch(path + "?resourceVersion=" + api.revision()));
        }
        long created = create(path, "seen");
        for (TestWatch watch : watches) {
            assertThat(watch.nextSummary()).isEqualTo("ADDED seen@" + created);
            watch.close();
        }
    }

    @Test
    void watch_dryRunOrNoChange_showsNoEvent() {
        String path = namespacePath("quiet");
        create(path, "a");
        try (TestWatch watch = api.watch(path + "?resourceVersion=" + api.revision())) {
            api.mergePatch(path + "/a?dryRun=All", "{'data':{'a':'2'}}");
            api.mergePatch(path + "/a", "{'data':{'a':'1'}}");
            api.delete(path + "/a?dryRun=All");
            api.post(path + "?dryRun=All", configMap("b"));
            long end = create(path, "end");
            assertThat(watch.nextSummary()).isEqualTo("ADDED end@" + end);
        }
    }
}
