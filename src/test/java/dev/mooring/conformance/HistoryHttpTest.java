package dev.mooring.conformance;

import static dev.mooring.conformance.ApiUnderTest.configMap;
import static dev.mooring.conformance.HistoryTenantsFixture.ENCODED;
import static dev.mooring.conformance.HistoryTenantsFixture.VALUE;
import static dev.mooring.conformance.HistoryTenantsFixture.in;
import static dev.mooring.conformance.HistoryTenantsFixture.secret;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.conformance.ApiUnderTest.TestWatch;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code history} and {@code history/timeline}: content, filters, pages, watches, and what tenants may not see (I11). */
class HistoryHttpTest {
    private static final String HISTORY = "/apis/mooring.dev/v1/history";
    private static final ShiftedClock CLOCK = new ShiftedClock();

    @TempDir
    private static Path data;

    private static ApiUnderTest admin;
    private static HistoryTenantsFixture tenants;

    @BeforeAll
    static void start() {
        admin = ApiUnderTest.start(data, Map.of(), CLOCK);
        tenants = new HistoryTenantsFixture(admin);
    }

    @AfterAll
    static void stop() {
        admin.close();
    }

    private static List<JsonNode> items(Reply reply) {
        assertThat(reply.code()).as(reply.text()).isEqualTo(200);
        List<JsonNode> items = new ArrayList<>();
        reply.body().path("items").forEach(items::add);
        return items;
    }

    private static List<String> summaries(Reply reply) {
        return items(reply).stream()
                .map(item -> item.at("/changes/0/change").asText() + " "
                        + item.at("/changes/0/name").asText() + ": "
                        + item.at("/changes/0/summary").asText())
                .toList();
    }

    private static List<Long> revisions(Reply reply) {
        return items(reply).stream().map(item -> item.path("revision").asLong()).toList();
    }

    private static ApiUnderTest viewer(String token, String spec) {
        return admin.withToken(admin.createToken(token, "'role':'view'" + spec));
    }

    @Test
    void object_allIncarnations_areListedWithDifferences() {
        tenants.createNamespace("lives");
        String maps = in("lives", "configmaps");
        long created = admin.post(maps, configMap("m", "a", "1")).revision();
        long changed =
                admin.mergePatch(maps + "/m", "{'data':{'a':'2','b.c':'x'}}").revision();
        admin.delete(maps + "/m");
        long again = admin.post(maps, configMap("m", "a", "3")).revision();

        Reply reply = admin.get(HISTORY + "?object=configmaps/lives/m");
        assertThat(summaries(reply))
                .containsExactly(
                        "created m: data.a 1",
                        "updated m: data.a 1 → 2, data[b.c] +x",
                        "deleted m: ",
                        "created m: data.a 3");
        assertThat(revisions(reply)).containsExactly(created, changed, again - 1, again);
        assertThat(reply.body().path("kind").asText()).isEqualTo("HistoryList");
        assertThat(reply.body().path("apiVersion").asText()).isEqualTo("mooring.dev/v1");
        assertThat(reply.body().at("/metadata/resourceVersion").asLong()).isGreaterThanOrEqualTo(again);
        assertThat(reply.body().at("/metadata/continue").asText("none")).isEmpty();
        JsonNode update = items(reply).get(1);
        assertThat(update.path("actor").asText()).isEqualTo("admin");
        assertThat(update.path("cause").isObject()).isTrue();
        assertThat(Instant.parse(update.path("time").asText())).isBeforeOrEqualTo(CLOCK.instant());
        assertThat(update.path("folded").asBoolean(true)).isFalse();
        assertThat(update.at("/changes/0/fields").toString())
                .isEqualTo("[{\"path\":\"data.a\",\"from\":\"1\",\"to\":\"2\"},{\"path\":\"data[b.c]\",\"to\":\"x\"}]");
        assertThat(update.at("/changes/0/kind").asText()).isEqualTo("ConfigMap");
        assertThat(update.at("/changes/0/namespace").asText()).isEqualTo("lives");
        assertThat(update.at("/changes/0/uid").asText()).isNotEmpty();
        assertThat(update.at("/changes/0/object").isMissingNode()).isTrue();

        JsonNode full =
                items(admin.get(HISTORY + "?view=full&object=cm/lives/m")).get(1);
        assertThat(full.at("/changes/0/object/data/a").asText()).isEqualTo("2");
        assertThat(full.at("/changes/0/object/metadata/managedFields").isMissingNode())
                .isTrue();

        assertThat(revisions(admin.get(HISTORY + "?object=cm/lives/m&order=desc&limit=2")))
                .containsExactly(again, again - 1);
        assertThat(revisions(admin.get(HISTORY + "?object=cm/lives/m&from=" + changed + "&to=" + (again - 1))))
                .containsExactly(changed, again - 1);
        assertThat(revisions(admin.get(HISTORY + "?object=cm/m&namespace=lives&from=1h")))
                .hasSize(4);
    }

    @Test
    void list_filters_matchTypeActorAndNamespace() {
        tenants.createNamespace("filtered");
        ApiUnderTest user = tenants.editor("filterer", "filtered");
        long own = user.post(in("filtered", "configmaps"), configMap("m")).revision();
        admin.post(in("filtered", "configmaps"), configMap("n"));

        assertThat(revisions(admin.get(HISTORY + "?actor=filterer"))).containsExactly(own);
        List<JsonNode> inside = items(admin.get(HISTORY + "?namespace=filtered"));
        assertThat(inside)
                .allSatisfy(item -> assertThat(item.path("changes").toString()).contains("filtered"));
        assertThat(inside.get(0).at("/changes/0/resource").asText()).isEqualTo("namespaces");
        String type = inside.get(0).path("type").asText();
        assertThat(items(admin.get(HISTORY + "?namespace=filtered&type=" + type)))
                .isNotEmpty()
                .allSatisfy(item -> assertThat(item.path("type").asText()).isEqualTo(type));
        assertThat(items(admin.get(HISTORY + "?type=Nothing"))).isEmpty();
    }

    @Test
    void list_pages_haveEachEventOnceInBothOrders() {
        long newest = admin.revision();
        for (String order : List.of("asc", "desc")) {
            List<Long> all = new ArrayList<>();
            String next = "";
            do {
                Reply page = admin.get(HISTORY + "?limit=7&order=" + order + "&to=" + newest
                        + (next.isEmpty() ? "" : "&continue=" + next));
                assertThat(items(page)).hasSizeLessThanOrEqualTo(7);
                all.addAll(revisions(page));
                next = page.body().at("/metadata/continue").asText();
            } while (!next.isEmpty());
            List<Long> expected = new ArrayList<>();
            for (long i = 1; i <= newest; i++) {
                expected.add(order.equals("asc") ? expected.size() : 0, i);
            }
            assertThat(all).isEqualTo(expected);
        }
    }

    @Test
    void kubernetesEventsAndLeases_areFolded() {
        List<JsonNode> all = items(admin.get(HISTORY + "?limit=5000"));
        assertThat(all).anySatisfy(item -> {
            assertThat(item.at("/changes/0/resource").asText()).isEqualTo("events");
            assertThat(item.path("folded").asBoolean()).isTrue();
            assertThat(item.path("reason").asText()).isNotEmpty();
        });
        assertThat(all)
                .filteredOn(item -> item.path("type").asText().equals("MooringInstalled"))
                .allSatisfy(item -> assertThat(item.path("folded").asBoolean()).isFalse());
    }

    @Test
    void causesAndEffects_followTheChain() {
        long claim = admin.post(
                        in("default", "persistentvolumeclaims"),
                        "{'metadata':{'name':'chain'},'spec':{'accessModes':['ReadWriteOnce'],'storageClassName':'none',"
                            + "'resources':{'requests':{'storage':'1Gi'}}}}")
                .revision();
        long volume = admin.post(
                        "/api/v1/persistentvolumes",
                        "{'metadata':{'name':'chain'},'spec':{'accessModes':['ReadWriteOnce'],'storageClassName':'none',"
                            + "'capacity':{'storage':'1Gi'},'hostPath':{'path':'/srv/mooring/chain'}}}")
                .revision();
        long bound;
        try (TestWatch watch = admin.watch(HISTORY + "?type=VolumeBound&from=" + volume)) {
            bound = watch.next().at("/object/revision").asLong();
        }
        Reply causes = admin.get(HISTORY + "?causes=" + bound);
        assertThat(revisions(causes)).first().isEqualTo(bound);
        assertThat(revisions(causes)).last().isIn(claim, volume);
        assertThat(items(causes).get(0).at("/changes")).hasSize(2);
        long root = revisions(causes).get(revisions(causes).size() - 1);
        Reply effects = admin.get(HISTORY + "?effects=" + root);
        assertThat(revisions(effects)).startsWith(root).contains(bound).isSorted();
        assertThat(items(admin.get(HISTORY + "?object=pvc/default/chain&type=VolumeBound"))
                        .get(0)
                        .path("changes"))
                .anySatisfy(
                        change -> assertThat(change.path("summary").asText()).startsWith("phase Pending → Bound"));
    }

    @Test
    void watch_fromThePast_continuesWithNewEvents() {
        tenants.createNamespace("watched");
        String maps = in("watched", "configmaps");
        long first = admin.post(maps, configMap("w", "a", "1")).revision();
        try (TestWatch watch = admin.watch(HISTORY + "?object=cm/watched/w&from=" + first)) {
            JsonNode created = watch.next();
            assertThat(created.path("type").asText()).isEqualTo("ADDED");
            assertThat(created.at("/object/revision").asLong()).isEqualTo(first);
            long second = admin.mergePatch(maps + "/w", "{'data':{'a':'2'}}").revision();
            JsonNode changed = watch.next();
            assertThat(changed.at("/object/revision").asLong()).isEqualTo(second);
            assertThat(changed.at("/object/changes/0/summary").asText()).isEqualTo("data.a 1 → 2");
        }
        assertThat(admin.get(HISTORY + "?watch=true&from=999999999").code()).isEqualTo(400);
    }

    @Test
    void invalidRequests_areRefusedWithTheReason() {
        assertThat(admin.get(HISTORY + "?object=pvcs/default/x").message()).contains("did you mean \"pvc\"");
        tenants.createNamespace("near");
        admin.post(in("near", "configmaps"), configMap("settings"));
        Reply unknown = admin.get(HISTORY + "?object=cm/near/setings");
        assertThat(unknown.code()).isEqualTo(404);
        assertThat(unknown.message()).contains("did you mean \"settings\"?");
        assertThat(admin.get(HISTORY + "?object=cm/x").code()).isEqualTo(400);
        assertThat(admin.get(HISTORY + "?object=pv/a/b").code()).isEqualTo(400);
        assertThat(admin.get(HISTORY + "?from=yesterday").message()).contains("RFC 3339");
        assertThat(admin.get(HISTORY + "?order=up").code()).isEqualTo(400);
        assertThat(admin.get(HISTORY + "?view=half").code()).isEqualTo(400);
        assertThat(admin.get(HISTORY + "?continue=x").code()).isEqualTo(400);
        assertThat(admin.get(HISTORY + "?causes=1&effects=1").code()).isEqualTo(400);
        assertThat(admin.post(HISTORY, "{}").code()).isEqualTo(405);
        assertThat(admin.get(HISTORY + "/timeline?buckets=0").code()).isEqualTo(400);
        assertThat(admin.withToken("").get(HISTORY).code()).isEqualTo(401);
    }

    @Test
    void timeline_countsAllEventsInEqualSpans() {
        CLOCK.advance(Duration.ofMinutes(1));
        admin.post(in("default", "configmaps"), configMap("later"));
        long newest = admin.revision();
        JsonNode timeline =
                admin.get(HISTORY + "/timeline?buckets=10&to=" + newest).body();
        assertThat(timeline.path("kind").asText()).isEqualTo("Timeline");
        assertThat(timeline.at("/first/revision").asLong()).isEqualTo(1);
        assertThat(timeline.at("/last/revision").asLong()).isEqualTo(newest);
        long next = 1;
        for (JsonNode bucket : timeline.path("buckets")) {
            assertThat(bucket.path("revision").asLong()).isEqualTo(next);
            assertThat(bucket.path("events").asLong()).isPositive();
            next += bucket.path("events").asLong();
        }
        assertThat(next).isEqualTo(newest + 1);
        assertThat(timeline.path("buckets")).hasSizeBetween(2, 10);
        assertThat(timeline.path("starts")).isNotEmpty();
    }

    @Test
    void at_timeOrDuration_readsTheNewestRevisionUpToIt() {
        tenants.createNamespace("timed");
        String maps = in("timed", "configmaps");
        admin.post(maps, configMap("t", "a", "1"));
        Instant before = CLOCK.instant();
        CLOCK.advance(Duration.ofMinutes(10));
        admin.mergePatch(maps + "/t", "{'data':{'a':'2'}}");
        assertThat(admin.get(maps + "/t?at=" + before).body().at("/data/a").asText())
                .isEqualTo("1");
        assertThat(admin.get(maps + "/t?at=5m").body().at("/data/a").asText()).isEqualTo("1");
        assertThat(admin.get(maps + "?at=5m").body().at("/items").toString()).contains("\"a\":\"1\"");
        assertThat(admin.get(maps + "/t?at=0s").body().at("/data/a").asText()).isEqualTo("2");
        Reply early = admin.get(maps + "/t?at=2001-01-01T00:00:00Z");
        assertThat(early.code()).isEqualTo(400);
        assertThat(early.message()).contains("before the first event").contains("revision 1");
        Reply future = admin.get(maps + "/t?at=2100-01-01T00:00:00Z");
        assertThat(future.code()).isEqualTo(400);
        assertThat(future.message()).contains("in the future");
        assertThat(admin.get(maps + "/t?at=soon").message()).contains("at must be a revision such as 812");
        ApiUnderTest node = admin.withToken(admin.createToken("timed-node", "'role':'node'"));
        assertThat(node.get("/api/v1/nodes/x?at=5m").code()).isEqualTo(403);
    }

    @Test
    void tenant_seesOnlyItsNamespaceAndNoSecrets() {
        tenants.createNamespace("mine");
        tenants.createNamespace("other");
        ApiUnderTest user = tenants.editor("mine1", "mine");
        long own =
                user.post(in("mine", "configmaps"), configMap("m", "a", "own")).revision();
        long hidden = admin.post(in("other", "configmaps"), configMap("m", "a", VALUE))
                .revision();
        long secret = user.post(in("mine", "secrets"), secret("s")).revision();
        long foreign = admin.post(in("other", "secrets"), secret("s")).revision();
        ApiUnderTest viewer = viewer("mine2", ",'namespaces':['mine']");

        for (ApiUnderTest each : List.of(user, viewer)) {
            for (String path : everyRead(own, hidden, secret, foreign)) {
                Reply reply = each.get(path);
                assertThat(reply.text()).as(path).doesNotContain(VALUE).doesNotContain(ENCODED);
                assertThat(reply.body().findValuesAsText("namespace")).as(path).doesNotContain("other");
            }
            assertThat(revisions(each.get(HISTORY + "?limit=5000")))
                    .contains(own)
                    .doesNotContain(hidden, secret, foreign);
            assertThat(each.get(HISTORY + "?object=cm/other/m").code()).isEqualTo(403);
            assertThat(each.get(HISTORY + "?object=secrets/mine/s").code()).isEqualTo(403);
            assertThat(items(each.get(HISTORY + "?namespace=other"))).isEmpty();
            long count = 0;
            for (JsonNode bucket : each.get(HISTORY + "/timeline").body().path("buckets")) {
                count += bucket.path("events").asLong();
            }
            assertThat(count).isPositive().isLessThan(admin.revision() / 2);
            try (TestWatch watch = each.watch(HISTORY + "?view=full&from=" + own)) {
                assertThat(watch.next().at("/object/revision").asLong()).isEqualTo(own);
                admin.mergePatch(in("other", "configmaps") + "/m", "{'data':{'a':'still-" + VALUE + "'}}");
                long last = admin.mergePatch(
                                in("mine", "configmaps") + "/m", "{'data':{'b':'" + admin.revision() + "'}}")
                        .revision();
                JsonNode event = watch.next();
                while (event.at("/object/revision").asLong() < last) {
                    assertThat(event.toString()).doesNotContain(VALUE).doesNotContain("\"other\"");
                    event = watch.next();
                }
                assertThat(event.at("/object/revision").asLong()).isEqualTo(last);
            }
        }
        assertThat(admin.get(HISTORY + "?limit=5000&view=full").text())
                .contains(VALUE)
                .doesNotContain(ENCODED);
    }

    /** Returns requests for all events, single ones, and what led to or followed from each. */
    private static List<String> everyRead(long... revisions) {
        List<String> paths = new ArrayList<>(List.of(
                HISTORY + "?limit=5000&view=full",
                HISTORY + "?limit=5000&view=full&order=desc",
                HISTORY + "?view=full&namespace=other",
                HISTORY + "?view=full&actor=admin&limit=5000",
                HISTORY + "?view=full&object=cm/other/m",
                HISTORY + "?view=full&object=secrets/mine/s",
                HISTORY + "/timeline"));
        for (long revision : revisions) {
            paths.add(HISTORY + "?view=full&from=" + revision + "&to=" + revision);
            paths.add(HISTORY + "?view=full&causes=" + revision);
            paths.add(HISTORY + "?view=full&effects=" + revision);
        }
        return paths;
    }

    @Test
    void nextTenantOfNamespace_seesNothingOfTheFormerOne() {
        tenants.createNamespace("reused");
        ApiUnderTest first = tenants.editor("reused1", "reused");
        long map = first.post(in("reused", "configmaps"), configMap("m", "a", VALUE))
                .revision();
        tenants.removeNamespace("reused");
        ApiUnderTest second = tenants.editor("reused2", "reused");
        assertHidden(second, map);
        tenants.createNamespace("reused");
        assertHidden(second, map);
        admin.mergePatch("/api/v1/namespaces/reused", "{'metadata':{'labels':{'a':'b'}}}");
        assertHidden(second, map);
        long own = second.post(in("reused", "configmaps"), configMap("m", "a", "new"))
                .revision();
        assertHidden(second, map);
        assertThat(revisions(second.get(HISTORY + "?object=cm/reused/m"))).containsExactly(own);
        try (TestWatch watch = second.watch(HISTORY + "?view=full&object=cm/reused/m&from=1")) {
            assertThat(watch.next().at("/object/revision").asLong()).isEqualTo(own);
        }
        ApiUnderTest viewer = viewer("reused3", "");
        assertHidden(viewer, map);
        assertThat(revisions(admin.get(HISTORY + "?object=cm/reused/m"))).contains(map, own);
    }

    private static void assertHidden(ApiUnderTest user, long revision) {
        for (String path : everyRead(revision)) {
            assertThat(user.get(path).text()).as(path).doesNotContain(VALUE);
        }
        assertThat(user.get(HISTORY + "?view=full&object=cm/reused/m").text()).doesNotContain(VALUE);
        assertThat(revisions(user.get(HISTORY + "?from=" + revision + "&to=" + revision)))
                .isEmpty();
    }

    @Test
    void accountWithoutRole_isRefused() {
        admin.post(in("default", "serviceaccounts"), "{'metadata':{'name':'norole'}}");
        String token = admin.post(in("default", "serviceaccounts") + "/norole/token", "{}")
                .body()
                .at("/status/token")
                .asText();
        assertThat(token).isNotEmpty();
        assertThat(admin.withToken(token).get(HISTORY).code()).isEqualTo(403);
    }

    @Test
    void node_isRefused() {
        ApiUnderTest node = admin.withToken(admin.createToken("n7", "'role':'node'"));
        assertThat(node.get(HISTORY).code()).isEqualTo(403);
        assertThat(node.get(HISTORY + "?watch=true").code()).isEqualTo(403);
        assertThat(node.get(HISTORY + "/timeline").code()).isEqualTo(403);
    }
}
