package dev.mooring.conformance;

import static dev.mooring.conformance.ApiUnderTest.configMap;
import static dev.mooring.conformance.ApiUnderTest.namespace;
import static dev.mooring.conformance.HistoryTenantsFixture.ENCODED;
import static dev.mooring.conformance.HistoryTenantsFixture.VALUE;
import static dev.mooring.conformance.HistoryTenantsFixture.assertSeesNothing;
import static dev.mooring.conformance.HistoryTenantsFixture.forged;
import static dev.mooring.conformance.HistoryTenantsFixture.in;
import static dev.mooring.conformance.HistoryTenantsFixture.names;
import static dev.mooring.conformance.HistoryTenantsFixture.reads;
import static dev.mooring.conformance.HistoryTenantsFixture.secret;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.conformance.ApiUnderTest.TestWatch;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests which users may read history, over HTTPS with real tokens: only admins see a namespace's former incarnation or
 * old states of Secrets; clients that list and then watch are not affected.
 */
@Timeout(300)
class HistoryAccessTest {

    @TempDir
    private static Path data;

    private static final ShiftedClock CLOCK = new ShiftedClock();
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

    @Test
    void nextTenantOfNamespace_seesNoHistoryOfFormerTenant() {
        tenants.createNamespace("t");
        ApiUnderTest first = tenants.editor("t1", "t");
        long secret = first.post(in("t", "secrets"), secret("s")).revision();
        long map = first.post(in("t", "configmaps"), configMap("m", "a", VALUE)).revision();
        assertThat(first.delete(in("t", "secrets") + "/s").code()).isEqualTo(200);
        tenants.removeNamespace("t");
        assertThat(admin.delete("/apis/mooring.dev/v1/tokens/t1").code()).isEqualTo(200);

        ApiUnderTest second = tenants.editor("t2", "t");
        assertSeesNothing(second, "t", "secrets", "s", secret);
        assertSeesNothing(second, "t", "configmaps", "m", map);
        tenants.createNamespace("t");
        assertSeesNothing(second, "t", "secrets", "s", secret);
        assertSeesNothing(second, "t", "configmaps", "m", map);
        // Nor after a change of the namespace, which is newer than the former tenant's objects.
        assertThat(admin.mergePatch("/api/v1/namespaces/t", "{'metadata':{'labels':{'a':'b'}}}")
                        .code())
                .isEqualTo(200);
        assertSeesNothing(second, "t", "configmaps", "m", map);

        assertThat(admin.get(in("t", "secrets") + "/s?at=" + secret).text()).contains(ENCODED);
        try (TestWatch watch = admin.watch(in("t", "secrets") + "?resourceVersion=1")) {
            assertThat(watch.nextName()).isEqualTo("ADDED s");
        }
    }

    @Test
    void tenant_seesHistoryOfItsNamespaceExceptSecrets() {
        tenants.createNamespace("own");
        ApiUnderTest user = tenants.editor("own1", "own");
        ApiUnderTest account = account("own");
        long map = user.post(in("own", "configmaps"), configMap("m", "a", "1")).revision();
        long secret = user.post(in("own", "secrets"), secret("s")).revision();
        assertThat(user.delete(in("own", "configmaps") + "/m").code()).isEqualTo(200);
        assertThat(user.delete(in("own", "secrets") + "/s").code()).isEqualTo(200);
        admin.mergePatch("/api/v1/namespaces/own", "{'metadata':{'labels':{'a':'b'}}}");
        CLOCK.advance(Duration.ofMinutes(6));

        for (ApiUnderTest each : List.of(user, account, tenants.editor("own2", "own"))) {
            assertSeesNothing(each, "own", "secrets", "s", secret);
            for (String path : reads("own", "configmaps", "m", map)) {
                assertThat(each.get(path).code()).as(path).isEqualTo(200);
            }
            try (TestWatch watch = each.watch(in("own", "configmaps") + "?resourceVersion=" + (map - 1))) {
                assertThat(watch.nextSummary()).isEqualTo("ADDED m@" + map);
                assertThat(watch.nextName()).isEqualTo("DELETED m");
            }
        }
        assertThat(user.get(in("own", "secrets") + "?at=" + admin.revision()).code())
                .isEqualTo(403);
        assertThat(user.get(in("own", "secrets")).code()).isEqualTo(200);
    }

    @Test
    void newUser_secretDeletedBeforeItsToken_isHidden() {
        tenants.createNamespace("shared");
        ApiUnderTest before = tenants.editor("shared1", "shared");
        long secret = before.post(in("shared", "secrets"), secret("s")).revision();
        before.delete(in("shared", "secrets") + "/s");
        ApiUnderTest after = tenants.editor("shared2", "shared");

        assertSeesNothing(after, "shared", "secrets", "s", secret);
        // A user whose token existed at that time may catch up, as informers do.
        try (TestWatch watch = before.watch(in("shared", "secrets") + "?resourceVersion=" + (secret - 1))) {
            assertThat(watch.nextName()).isEqualTo("ADDED s");
            assertThat(watch.nextName()).isEqualTo("DELETED s");
        }
    }

    private static ApiUnderTest account(String namespace) {
        String accounts = in(namespace, "serviceaccounts");
        assertThat(admin.post(accounts, "{'metadata':{'name':'robot','annotations':{'mooring.dev/role':'edit'}}}")
                        .code())
                .isEqualTo(201);
        return admin.withToken(admin.post(accounts + "/robot/token", "{}")
                .body()
                .at("/status/token")
                .asText());
    }

    @Test
    void node_historyOfSecrets_isRefused() {
        tenants.createNamespace("noded");
        ApiUnderTest node = admin.withToken(admin.createToken("n9", "'role':'node'"));
        long secret = admin.post(in("noded", "secrets"), secret("s")).revision();
        admin.delete(in("noded", "secrets") + "/s");
        CLOCK.advance(Duration.ofMinutes(6));
        admin.post(in("noded", "configmaps"), configMap("m"));

        for (String path : List.of("/api/v1/secrets", in("noded", "secrets"))) {
            for (String query : List.of(
                    "?at=" + secret,
                    "?watch=1&timeoutSeconds=1&resourceVersion=" + (secret - 1),
                    "?resourceVersionMatch=Exact&resourceVersion=" + secret)) {
                Reply answer = node.get(path + query);
                assertThat(answer.code()).as(path + query + answer.text()).isIn(403, 410);
                assertThat(answer.text()).doesNotContain(ENCODED);
            }
        }
    }

    @Test
    void viewerOfAllNamespaces_history_hasOnlyExistingNamespaces() {
        tenants.createNamespace("stays");
        tenants.createNamespace("goes");
        tenants.createNamespace("returns");
        long earlyRevision = admin.revision();
        for (String each : List.of("stays", "goes", "returns")) {
            admin.post(in(each, "configmaps"), configMap("everywhere", "in", each));
        }
        long pastRevision = admin.revision();
        ApiUnderTest viewer = admin.withToken(admin.createToken("everywhere", "'role':'view'"));
        assertThat(namespaces(viewer.get("/api/v1/configmaps?at=" + pastRevision)))
                .contains("stays", "goes", "returns");
        tenants.removeNamespace("goes");
        tenants.removeNamespace("returns");
        tenants.createNamespace("returns");
        long now = admin.revision();

        for (String query : List.of(
                "?at=" + pastRevision,
                "?resourceVersionMatch=Exact&resourceVersion=" + pastRevision,
                "?limit=1000&resourceVersion=" + pastRevision,
                "?limit=1000&continue=" + forged(pastRevision, "configmaps", "0"))) {
            Reply list = viewer.get("/api/v1/configmaps" + query);
            assertThat(list.code()).as(list.text()).isEqualTo(200);
            assertThat(namespaces(list)).contains("stays").doesNotContain("goes", "returns");
        }
        assertThat(namespacesInPages(viewer, "/api/v1/configmaps", pastRevision))
                .contains("stays")
                .doesNotContain("goes", "returns");
        Reply past = viewer.get("/api/v1/namespaces?at=" + pastRevision);
        assertThat(names(past)).contains("stays", "default").doesNotContain("goes", "returns");
        for (String removed : List.of("goes", "returns")) {
            assertThat(viewer.get("/api/v1/namespaces/" + removed + "?at=" + pastRevision)
                            .code())
                    .isEqualTo(403);
        }
        for (String path : List.of("/api/v1/configmaps", "/api/v1/namespaces", "/api/v1/events")) {
            try (TestWatch watch = viewer.watch(path + "?resourceVersion=" + earlyRevision)) {
                assertThat(watch.code()).as(path).isEqualTo(410);
            }
            try (TestWatch watch = viewer.watch(path + "?resourceVersion=" + now)) {
                assertThat(watch.code()).as(path).isEqualTo(200);
            }
        }
        assertThat(namespaces(admin.get("/api/v1/configmaps?at=" + pastRevision)))
                .contains("stays", "goes", "returns");
    }

    private static List<String> namespaces(Reply list) {
        List<String> found = new ArrayList<>();
        list.body()
                .path("items")
                .forEach(each -> found.add(each.at("/metadata/namespace").asText()));
        return found;
    }

    /** Reads a list in pages of one object and returns the objects' namespaces. */
    private static List<String> namespacesInPages(ApiUnderTest user, String path, long revision) {
        List<String> found = new ArrayList<>();
        Reply page = user.get(path + "?limit=1&at=" + revision);
        while (true) {
            assertThat(page.code()).as(page.text()).isEqualTo(200);
            found.addAll(namespaces(page));
            String next = page.body().at("/metadata/continue").asText();
            if (next.isEmpty()) {
                return found;
            }
            page = user.get(path + "?limit=1&continue=" + next);
        }
    }

    @Test
    void listThenWatch_secretsOfOwnNamespace_works() {
        tenants.createNamespace("informed");
        ApiUnderTest user = tenants.editor("informed1", "informed");
        String secrets = in("informed", "secrets");
        user.post(secrets, secret("a"));
        user.post(secrets, secret("b"));
        Reply page = user.get(secrets + "?limit=1");
        admin.post(in("default", "configmaps"), configMap("between"));
        user.post(secrets, secret("c"));
        Reply rest = user.get(secrets + "?limit=1&continue="
                + page.body().at("/metadata/continue").asText());
        assertThat(rest.code()).as(rest.text()).isEqualTo(200);
        assertThat(names(rest)).containsExactly("b");

        try (TestWatch watch = user.watch(secrets + "?allowWatchBookmarks=true&resourceVersion=" + rest.revision())) {
            assertThat(watch.nextName()).isEqualTo("ADDED c");
            user.delete(secrets + "/c");
            assertThat(watch.nextName()).isEqualTo("DELETED c");
        }
    }

    @Test
    void watch_namespaceCreatedAfterList_continuesFromList() {
        ApiUnderTest user = tenants.editor("early1", "early");
        String maps = in("early", "configmaps");
        long listed = user.get(maps).revision();
        admin.post(in("default", "configmaps"), configMap("meanwhile"));
        tenants.createNamespace("early");
        user.post(maps, configMap("m"));
        try (TestWatch watch = user.watch(maps + "?fieldSelector=metadata.name%3Dm&resourceVersion=" + listed)) {
            assertThat(watch.code()).isEqualTo(200);
            assertThat(watch.nextName()).isEqualTo("ADDED m");
        }
    }
}
