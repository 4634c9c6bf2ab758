package dev.mooring.chaos.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.api.auth.TokenMint;
import dev.mooring.chaos.process.ServerApi.ApiReply;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests a server with a heap of 256 MiB whose tenants write, read history and watch as much as they may. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
@Tag("chaos")
class TenantMemoryTest {
    private static final String VALUE = "x".repeat(1_000_000);
    private static final int MAX_WRITES = 300;
    private static final int HISTORY_READERS = 40;
    private static final int UNREAD_WATCHES = 60;
    private static final int UNREAD_LISTS = 20;

    /** Frequent snapshots: a read of history then begins with a snapshot whose objects differ from the current ones. */
    private static final Map<String, String> SETTINGS =
            Map.of("log.segmentBytes", "8Mi", "log.snapshot.everyBytes", "8Mi");

    @TempDir
    private Path directory;

    private TestReporter reporter;
    private final List<RawHttp> unread = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @BeforeEach
    void reportTo(TestReporter testReporter) {
        reporter = testReporter;
    }

    @AfterEach
    void close() throws IOException {
        threads.shutdownNow();
        for (RawHttp each : unread) {
            each.close();
        }
    }

    @Test
    void server_tenantsExhaustMemory_refusesWritesStaysUpAndRecovers() throws Exception {
        Path data = directory.resolve("data");
        ServerProcess.Setup setup = ServerProcess.Setup.of(data, SETTINGS).withJvm("-Xmx256m");
        try (ServerProcess server = new ServerProcess(setup, directory)) {
            ServerApi admin = server.start();
            for (String namespace : List.of("a", "b")) {
                assertCreated(admin.post(
                        "/api/v1/namespaces",
                        "{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" + namespace
                                + "\"}}"));
            }
            String tokenOfA = token(admin, "anna", "edit", "a");
            String tokenOfB = token(admin, "bert", "edit", "b");
            String tokenOfViewer = token(admin, "vera", "view", "a");
            ServerApi anna = admin.as(tokenOfA);
            ServerApi bert = admin.as(tokenOfB);

            Future<ApiReply> full = threads.submit(() -> writeUntilRefused(anna, "a"));
            ApiReply quota = writeUntilRefused(bert, "b");
            for (ApiReply each : List.of(quota, full.get())) {
                assertThat(each.code()).as(each.text()).isIn(403, 507);
            }
            assertThat(quota.message() + full.get().message())
                    .contains("exceeded quota: quota.namespaceBytes, requested: bytes=");
            ApiReply refused = writeUntilRefused(admin, "default");
            assertThat(refused.code()).as(refused.text()).isEqualTo(507);
            assertThat(refused.message()).contains("memory for objects is full").contains("-Xmx");
            assertReportsFullMemory(admin);

            applyPressure(server, admin, List.of(anna, bert, admin.as(tokenOfViewer)));
            assertThat(server.isAlive()).as(server.errors()).isTrue();
            assertThat(server.errors()).doesNotContain("OutOfMemory");

            server.kill();
            ServerApi restarted = server.start();
            assertReportsFullMemory(restarted);
            assertThat(writeUntilRefused(restarted, "default").code()).isEqualTo(507);
            assertRecovers(restarted, restarted.as(tokenOfA), restarted.as(tokenOfB));
            assertThat(server.stop()).as(server.errors()).isZero();
        }
        ServerProcess.mooring(0, "log", "verify", "--data", data.toString());
    }

    /** With a quarter of the heap the objects do not fit. */
    @Test
    void server_heapTooSmallForObjects_exitsWithRequiredSize() throws Exception {
        Path data = directory.resolve("data");
        try (ServerProcess server =
                new ServerProcess(ServerProcess.Setup.of(data, SETTINGS).withJvm("-Xmx256m"), directory)) {
            ServerApi admin = server.start();
            for (int i = 0; i < 32; i++) {
                assertCreated(admin.post(maps("default"), ServerApi.configMap("m" + i, VALUE)));
            }
            assertThat(server.stop()).as(server.errors()).isZero();
        }
        try (ServerProcess small =
                new ServerProcess(ServerProcess.Setup.of(data, SETTINGS).withJvm("-Xmx64m"), directory)) {
            small.launch();
            assertThat(small.awaitReadyOrEnd()).isEmpty();
            assertThat(small.exitCode()).as(small.errors()).isEqualTo(1);
            assertThat(small.errors()).contains("fit into the heap").contains("MOORING_OPTS=-Xmx");
        }
        try (ServerProcess medium =
                new ServerProcess(ServerProcess.Setup.of(data, SETTINGS).withJvm("-Xmx112m"), directory)) {
            ServerApi admin = medium.start();
            assertReportsFullMemory(admin);
            assertThat(admin.post(maps("default"), ServerApi.configMap("more", VALUE))
                            .code())
                    .isIn(403, 507);
            for (int i = 0; i < 32; i++) {
                ApiReply deleted = admin.delete(maps("default") + "/m" + i, "");
                assertThat(deleted.code()).as(deleted.text()).isEqualTo(200);
            }
            assertCreated(admin.post(maps("default"), ServerApi.configMap("more", VALUE)));
            assertThat(medium.stop()).as(medium.errors()).isZero();
        }
    }

    private static String maps(String namespace) {
        return "/api/v1/namespaces/" + namespace + "/configmaps";
    }

    private static void assertCreated(ApiReply reply) {
        assertThat(reply.code()).as(reply.text()).isEqualTo(201);
    }

    private static String token(ServerApi admin, String user, String role, String namespace) throws IOException {
        TokenMint.MintedToken minted = new TokenMint(new SecureRandom()).mint(user);
        assertCreated(admin.post(
                "/apis/mooring.dev/v1/tokens",
                "{\"kind\":\"Token\",\"apiVersion\":\"mooring.dev/v1\",\"metadata\":{\"name\":\"" + user
                        + "\"},\"spec\":{\"user\":\"" + user + "\",\"role\":\"" + role + "\",\"namespaces\":[\""
                        + namespace + "\"],\"sha256\":\"" + minted.sha256() + "\"}}"));
        return minted.text();
    }

    /** Writes until a refusal and returns it. Ignores rate limiting. */
    private static ApiReply writeUntilRefused(ServerApi api, String namespace) throws IOException {
        for (int i = 0; i < MAX_WRITES; i++) {
            ApiReply reply = api.post(maps(namespace), ServerApi.configMap("m" + i, VALUE));
            if (reply.code() != 201 && reply.code() != 409 && reply.code() != 429) {
                return reply;
            }
        }
        throw new AssertionError("No refusal within " + MAX_WRITES + " writes to " + namespace);
    }

    private static void assertReportsFullMemory(ServerApi api) throws IOException {
        ApiReply ready = api.get("/readyz?verbose");
        assertThat(ready.code()).as(ready.text()).isEqualTo(200);
        assertThat(ready.text()).contains("[-]memory degraded: objects use ");
        assertThat(api.get("/healthz").code()).isEqualTo(500);
        assertThat(api.metric("mooring_world_bytes")).isGreaterThan(0.9 * api.metric("mooring_world_limit_bytes"));
    }

    /** Rewrites all objects, reads history, and opens lists and watches without reading them, all concurrently. */
    private void applyPressure(ServerProcess server, ServerApi admin, List<ServerApi> users) throws Exception {
        List<Callable<Integer>> work = new ArrayList<>();
        work.add(() -> rewrite(server, users.get(0), "a"));
        work.add(() -> rewrite(server, users.get(1), "b"));
        for (int i = 0; i < HISTORY_READERS; i++) {
            ServerApi user = users.get(i % users.size());
            String namespace = user == users.get(1) ? "b" : "a";
            int revision = 20 + i;
            String past = maps(namespace) + "?limit=3&at=" + revision;
            String pods = "/api/v1/namespaces/" + namespace + "/pods?at=" + revision;
            work.add(() -> server.untilServed(() -> user.get(past).code()));
            work.add(() -> server.untilServed(() -> user.get(pods).code()));
        }
        for (int i = 0; i < UNREAD_WATCHES; i++) {
            ServerApi user = users.get(i % users.size());
            String namespace = user == users.get(1) ? "b" : "a";
            String from = i % 2 == 0 ? "&resourceVersion=1" : "";
            unread(user).head("GET " + maps(namespace) + "?watch=true" + from);
        }
        for (int i = 0; i < UNREAD_LISTS; i++) {
            ServerApi user = users.get(i % 2);
            unread(user)
                    .head("GET " + maps(i % 2 == 0 ? "a" : "b"), "Accept: application/" + (i < 10 ? "json" : "yaml"));
        }
        Map<Integer, Integer> codes = new TreeMap<>();
        for (Future<Integer> each : threads.invokeAll(work, 8, TimeUnit.MINUTES)) {
            assertThat(each).as(server.errors()).isNotCancelled();
            codes.merge(each.get(), 1, Integer::sum);
        }
        reporter.publishEntry(MeasurementText.text(
                "{} requests under pressure were answered with {}; the server held {} bytes of history",
                work.size(),
                codes,
                admin.metric("mooring_history_bytes")));
        assertThat(codes.keySet()).isSubsetOf(Set.of(200, 410, 429, 507));
        assertThat(codes).containsKey(200);
    }

    private RawHttp unread(ServerApi user) throws IOException {
        RawHttp connection = RawHttp.plain(user);
        unread.add(connection);
        return connection;
    }

    private static int rewrite(ServerProcess server, ServerApi api, String namespace) throws IOException {
        String value = "y".repeat(VALUE.length());
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < MAX_WRITES; i++) {
                String path = maps(namespace) + "/m" + i;
                String object = ServerApi.configMap("m" + i, value);
                ApiReply reply = server.untilServed(() -> api.put(path, object));
                if (reply.code() == 404) {
                    break;
                }
                assertThat(reply.code()).as(reply.text()).isIn(200, 429, 507);
            }
        }
        return 200;
    }

    private static void assertRecovers(ServerApi admin, ServerApi anna, ServerApi bert) throws IOException {
        for (int i = 0; i < MAX_WRITES; i++) {
            ApiReply deleted = anna.delete(maps("a") + "/m" + i, "");
            assertThat(deleted.code()).as(deleted.text()).isIn(200, 404, 429);
            if (deleted.code() == 404) {
                break;
            }
        }
        ApiReply all = bert.delete(maps("b"), "");
        assertThat(all.code()).as(all.reason()).isEqualTo(200);
        String written = maps("b") + "?fieldSelector=metadata.name%21%3Dkube-root-ca.crt";
        assertThat(bert.get(written).body().path("items")).isEmpty();
        ApiReply ready = admin.get("/readyz?verbose");
        assertThat(ready.text()).contains("[+]memory ok");
        assertCreated(anna.post(maps("a"), ServerApi.configMap("after", VALUE)));
        assertCreated(bert.post(maps("b"), ServerApi.configMap("after", VALUE)));
    }
}
