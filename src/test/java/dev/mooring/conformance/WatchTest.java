package dev.mooring.conformance;

import static dev.mooring.conformance.ApiUnderTest.configMap;
import static dev.mooring.conformance.ApiUnderTest.labelled;
import static dev.mooring.conformance.ApiUnderTest.namespace;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.conformance.ApiUnderTest.Watching;
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

/** Watches over HTTPS. Each test has a namespace of its own; that nothing comes is seen by what comes next. */
@Timeout(60)
class WatchTest {
    private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

    @TempDir
    private static Path data;

    private static ApiUnderTest api;

    @BeforeAll
    static void start() {
        // What is older than 16 events comes from the log.
        api = ApiUnderTest.start(data, Map.of("watch.bufferEvents", "16"));
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    private static String home(String name) {
        assertThat(api.post("/api/v1/namespaces", namespace(name)).code()).isEqualTo(201);
        return "/api/v1/namespaces/" + name + "/configmaps";
    }

    private static long create(String path, String name) {
        Reply made = api.post(path, configMap(name));
        assertThat(made.code()).isEqualTo(201);
        return made.revision();
    }

    private static long change(String path, String name, String value) {
        Reply changed = api.merge(path + "/" + name, "{'data':{'a':'" + value + "'}}");
        assertThat(changed.code()).isEqualTo(200);
        return changed.revision();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "?resourceVersion=0", "?resourceVersion="})
    void withoutARevisionAWatchBeginsWithWhatIsThere(String query) {
        String path = home("initial" + query.length());
        long a = create(path, "a");
        long b = create(path, "b");
        try (Watching watch = api.watch(path + query)) {
            assertThat(watch.code()).isEqualTo(200);
            assertThat(watch.header("content-type")).startsWith("application/json");
            assertThat(watch.nextInShort()).isEqualTo("ADDED a@" + a);
            assertThat(watch.nextInShort()).isEqualTo("ADDED b@" + b);
            long changed = change(path, "a", "2");
            assertThat(watch.nextInShort()).isEqualTo("MODIFIED a@" + changed);
        }
    }

    @Test
    void aWatchGoesOnAfterAnyRevision() {
        String path = home("any");
        long a = create(path, "a");
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            all.add("MODIFIED a@" + change(path, "a", "v" + i));
        }
        api.delete(path + "/a");
        all.add("DELETED a@" + api.revision());

        for (int skipped : new int[] {0, 1, 13, 30, 39, 41}) {
            long after = skipped == 0 ? a : Long.parseLong(all.get(skipped - 1).split("@", 2)[1]);
            try (Watching watch = api.watch(path + "?resourceVersion=" + after)) {
                for (String expected : all.subList(skipped, all.size())) {
                    assertThat(watch.nextInShort()).isEqualTo(expected);
                }
                String marker = "m" + skipped;
                long made = create(path, marker);
                all.add("ADDED " + marker + "@" + made);
                assertThat(watch.nextInShort()).isEqualTo("ADDED " + marker + "@" + made);
            }
        }
        try (Watching watch = api.watch(path + "?resourceVersion=1")) {
            assertThat(watch.nextInShort()).isEqualTo("ADDED a@" + a);
            for (String expected : all) {
                assertThat(watch.nextInShort()).isEqualTo(expected);
            }
        }
    }

    @Test
    void aDeletedObjectIsShownAsItWasAtTheRevisionOfItsEnd() {
        String path = home("deleted");
        create(path, "a");
        change(path, "a", "last");
        try (Watching watch = api.watch(path + "?resourceVersion=" + api.revision())) {
            api.delete(path + "/a");
            JsonNode event = watch.next();
            assertThat(event.path("type").asText()).isEqualTo("DELETED");
            assertThat(event.at("/object/data/a").asText()).isEqualTo("last");
            assertThat(event.at("/object/metadata/resourceVersion").asLong()).isEqualTo(api.revision());
        }
    }

    @ParameterizedTest
    @CsvSource({"selector-live, 0", "selector-log, 40"})
    void objectsEnterAndLeaveASelection(String name, int later) {
        String path = home(name);
        long start = api.revision();
        List<String> expected = new ArrayList<>();
        expected.add("ADDED in@" + api.post(path, labelled("in", "{'app':'x'}")).revision());
        api.post(path, labelled("out", "{'app':'y'}"));
        expected.add("MODIFIED in@" + change(path, "in", "2"));
        change(path, "out", "2");
        expected.add("ADDED out@"
                + api.merge(path + "/out", "{'metadata':{'labels':{'app':'x'}}}")
                        .revision());
        expected.add("DELETED in@"
                + api.merge(path + "/in", "{'metadata':{'labels':{'app':null}}}")
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

        try (Watching watch = api.watch(path + "?labelSelector=app%3Dx&resourceVersion=" + start)) {
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
    void oneObjectCanBeWatchedByItsName() {
        String path = home("by-name");
        create(path, "a");
        create(path, "b");
        for (String scope : List.of(path, "/api/v1/configmaps")) {
            try (Watching watch = api.watch(scope + "?fieldSelector=metadata.name%3Db,metadata.namespace%3Dby-name")) {
                assertThat(watch.nextName()).isEqualTo("ADDED b");
                change(path, "a", scope);
                change(path, "b", scope);
                assertThat(watch.nextName()).isEqualTo("MODIFIED b");
            }
        }
        try (Watching watch = api.watch(path + "?fieldSelector=metadata.name%3Dlater")) {
            create(path, "later");
            assertThat(watch.nextName()).isEqualTo("ADDED later");
            api.delete(path + "/later");
            assertThat(watch.nextName()).isEqualTo("DELETED later");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&resourceVersion=", "&resourceVersion=0"})
    void initialEventsEndWithABookmark(String version) {
        String path = home("list" + version.length());
        long a = create(path, "a");
        long b = create(path, "b");
        try (Watching watch = api.watch(path
                + "?sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan" + version)) {
            assertThat(watch.nextInShort()).isEqualTo("ADDED a@" + a);
            assertThat(watch.nextInShort()).isEqualTo("ADDED b@" + b);
            JsonNode end = watch.next();
            assertThat(end.path("type").asText()).isEqualTo("BOOKMARK");
            assertThat(end.at("/object/metadata/annotations/k8s.io~1initial-events-end")
                            .asText())
                    .isEqualTo("true");
            assertThat(end.at("/object/kind").asText()).isEqualTo("ConfigMap");
            assertThat(end.at("/object/metadata/resourceVersion").asLong()).isGreaterThanOrEqualTo(b);
            long c = create(path, "c");
            assertThat(watch.nextInShort()).isEqualTo("ADDED c@" + c);
        }
    }

    @Test
    void initialEventsOfASelectionAreThoseSelected() {
        String path = home("list-selected");
        api.post(path, labelled("x", "{'app':'x'}"));
        api.post(path, labelled("y", "{'app':'y'}"));
        try (Watching watch = api.watch(path + "?labelSelector=app%3Dy&sendInitialEvents=true&allowWatchBookmarks=true"
                + "&resourceVersionMatch=NotOlderThan&resourceVersion=1")) {
            assertThat(watch.nextName()).isEqualTo("ADDED y");
            assertThat(watch.nextName()).startsWith("BOOKMARK");
        }
        try (Watching watch = api.watch(
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
    void refusesInitialEventsThatMakeNoSense(String query) {
        try (Watching watch = api.watch("/api/v1/namespaces/default/configmaps?timeoutSeconds=5&" + query)) {
            assertThat(watch.code()).isEqualTo(422);
        }
    }

    @Test
    void refusesARevisionMatchWithoutInitialEvents() {
        String query = "?timeoutSeconds=5&resourceVersionMatch=NotOlderThan&resourceVersion=1";
        try (Watching watch = api.watch("/api/v1/namespaces/default/configmaps" + query)) {
            assertThat(watch.code()).isEqualTo(422);
        }
    }

    @Test
    void initialEventsNeedNoBookmarks() {
        String path = home("list-unmarked");
        create(path, "a");
        try (Watching watch = api.watch(path + "?sendInitialEvents=true&resourceVersionMatch=NotOlderThan")) {
            assertThat(watch.code()).isEqualTo(200);
            assertThat(watch.nextName()).isEqualTo("ADDED a");
            create(path, "b");
            assertThat(watch.nextName()).isEqualTo("ADDED b");
        }
    }

    @Test
    void tablesComeWithColumnsOnce() {
        String path = home("table");
        create(path, "a");
        try (Watching watch = api.watch(path + "?resourceVersion=0", "Accept", TABLE)) {
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
    void aWatchEndsAfterItsTime() {
        String path = home("timeout");
        create(path, "a");
        try (Watching watch = api.watch(path + "?timeoutSeconds=1")) {
            assertThat(watch.nextName()).isEqualTo("ADDED a");
            assertThat(watch.next().isMissingNode()).isTrue();
        }
    }

    @Test
    void aRevisionThatHasNotHappenedIsGone() {
        try (Watching watch =
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
    void allNamespacesAreWatchedInTheOrderOfTheirEvents() {
        String one = home("order-one");
        String two = home("order-two");
        try (Watching watch = api.watch("/api/v1/configmaps?resourceVersion=" + api.revision())) {
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                expected.add("ADDED n" + i + "@" + create(i % 3 == 0 ? one : two, "n" + i));
            }
            for (String each : expected) {
                assertThat(watch.nextInShort()).isEqualTo(each);
            }
        }
    }

    @Test
    void watchersOfManyKindsOnOneConnectionSeeTheirOwnEvents() {
        String path = home("many");
        List<Watching> watches = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            watches.add(api.watch(path + "?resourceVersion=" + api.revision()));
        }
        long made = create(path, "seen");
        for (Watching watch : watches) {
            assertThat(watch.nextInShort()).isEqualTo("ADDED seen@" + made);
            watch.close();
        }
    }

    @Test
    void whatIsTriedDryOrChangesNothingIsNotSeen() {
        String path = home("quiet");
        create(path, "a");
        try (Watching watch = api.watch(path + "?resourceVersion=" + api.revision())) {
            api.merge(path + "/a?dryRun=All", "{'data':{'a':'2'}}");
            api.merge(path + "/a", "{'data':{'a':'1'}}");
            api.delete(path + "/a?dryRun=All");
            api.post(path + "?dryRun=All", configMap("b"));
            long end = create(path, "end");
            assertThat(watch.nextInShort()).isEqualTo("ADDED end@" + end);
        }
    }
}
