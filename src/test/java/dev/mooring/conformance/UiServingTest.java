package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.cli.HttpsClient;
import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.testing.ConditionPoller;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how the server serves the web page and its sign-in, without a browser. */
@Timeout(300)
class UiServingTest {
    private static final String CODES = "/apis/mooring.dev/v1/signincodes";
    private static final ShiftedClock CLOCK = new ShiftedClock();

    @TempDir
    private static Path data;

    private static ApiUnderTest admin;
    private static ApiUnderTest anonymous;

    @BeforeAll
    static void start() {
        admin = ApiUnderTest.start(data, Map.of(), CLOCK);
        anonymous = admin.withToken("");
    }

    @AfterAll
    static void stop() {
        admin.close();
    }

    @ParameterizedTest
    @CsvSource({
        "/ui/, text/html; charset=utf-8",
        "/ui/index.html, text/html; charset=utf-8",
        "/ui/lib/preact/dist/preact.module.js, text/javascript; charset=utf-8",
        "/ui/config.json, application/json"
    })
    void files_withoutAToken_areServedWithStrictHeaders(String path, String contentType) {
        Reply reply = anonymous.get(path);

        assertThat(reply.code()).isEqualTo(200);
        assertThat(reply.header("Content-Type")).isEqualTo(contentType);
        assertThat(reply.header("Content-Security-Policy"))
                .startsWith("default-src 'none'; script-src 'self';")
                .contains("frame-ancestors 'none'")
                .doesNotContain("unsafe");
        assertThat(reply.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(reply.header("Referrer-Policy")).isEqualTo("no-referrer");
        assertThat(reply.header("Cross-Origin-Opener-Policy")).isEqualTo("same-origin");
        assertThat(reply.header("Cross-Origin-Resource-Policy")).isEqualTo("same-origin");
        assertThat(reply.header("Cache-Control")).startsWith("no-cache");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/ui/../build.properties",
                "/ui/%2e%2e/build.properties",
                "/ui/..%2fbuild.properties",
                "/ui/lib/../../../META-INF/MANIFEST.MF",
                "/ui//etc/passwd",
                "/ui/lib/",
                "/ui/lib",
                "/ui/js",
                "/ui/nope.js",
                "/ui/index.html%00.js"
            })
    void paths_ofOtherFilesAndDirectories_areNotFound(String path) throws Exception {
        try (Http1Socket socket = Http1Socket.open(admin)) {
            assertThat(socket.request("GET " + path, "Connection: close").code())
                    .as(path)
                    .isIn(400, 404);
        }
    }

    @Test
    void file_isCompressedAndRevalidatedByEtag() {
        Reply packed = anonymous.get("/ui/lib/preact/dist/preact.module.js", "Accept-Encoding", "gzip");
        Reply plain = anonymous.get("/ui/lib/preact/dist/preact.module.js");
        Reply again = anonymous.get("/ui/lib/preact/dist/preact.module.js", "If-None-Match", plain.header("ETag"));

        assertThat(packed.header("Content-Encoding")).isEqualTo("gzip");
        assertThat(Integer.parseInt(packed.header("Content-Length")))
                .isLessThan(Integer.parseInt(plain.header("Content-Length")));
        assertThat(plain.header("Content-Encoding")).isEmpty();
        assertThat(again.code()).isEqualTo(304);
        assertThat(again.text()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP_1_1", "HTTP_2"})
    void head_hasTheHeadersAndNoBody(HttpClient.Version version) {
        ApiUnderTest client = anonymous.withVersion(version);

        Reply head = client.send("HEAD", "/ui/lib/preact/dist/preact.module.js", "");

        assertThat(head.code()).isEqualTo(200);
        assertThat(head.text()).isEmpty();
        assertThat(head.header("Content-Length"))
                .isEqualTo(client.get("/ui/lib/preact/dist/preact.module.js").header("Content-Length"));
    }

    @Test
    void config_hasVersionHostAndChaos() {
        JsonNode config = anonymous.get("/ui/config.json").body();

        assertThat(config.path("version").asText()).isNotEmpty();
        assertThat(config.path("host").asText()).isEqualTo("testhost");
        assertThat(config.path("chaos").asBoolean(true)).isFalse();
    }

    @Test
    void redirects_leadBrowsersToThePage() {
        assertThat(anonymous.get("/ui").header("Location")).isEqualTo("/ui/");
        assertThat(anonymous.get("/", "Accept", "text/html,*/*").header("Location"))
                .isEqualTo("/ui/");
        assertThat(anonymous.get("/", "Accept", "application/json").code()).isEqualTo(404);
    }

    @Test
    void requests_ofOtherHostsAndOrigins_areRefused() throws Exception {
        String rebound = HttpsClient.trusting(data.resolve("pki/ca.crt"), HttpClient.Version.HTTP_1_1)
                .raw("127.0.0.1", admin.port(), "GET /ui/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
        assertThat(rebound).startsWith("HTTP/1.1 403 ");
        assertThat(anonymous.get("/ui/", "Origin", "https://evil.example").code())
                .isEqualTo(403);
        assertThat(anonymous
                        .send("POST", "/ui/login", "{'code':'" + code() + "'}", "Origin", "https://evil.example")
                        .code())
                .isEqualTo(403);
    }

    @Test
    void methods_otherThanReads_areNotAllowed() {
        assertThat(anonymous.delete("/ui/index.html").code()).isEqualTo(405);
        assertThat(anonymous.get("/ui/login").code()).isEqualTo(405);
    }

    @Test
    void login_withTheCode_givesATokenOfRoleViewThatExpires() throws Exception {
        Reply signedIn = login(code());

        assertThat(signedIn.code()).isEqualTo(201);
        String user = signedIn.body().path("user").asText();
        ApiUnderTest page = admin.withToken(signedIn.body().path("token").asText());
        assertThat(page.get("/api/v1/persistentvolumes").code()).isEqualTo(200);
        assertThat(page.get("/api/v1/namespaces/default/secrets").code()).isEqualTo(403);
        assertThat(page.post("/api/v1/namespaces", ApiUnderTest.namespace("shop"))
                        .code())
                .isEqualTo(403);
        assertThat(page.post(CODES, "{}").code()).as("code for others").isEqualTo(403);
        JsonNode token = admin.get("/apis/mooring.dev/v1/tokens/" + user).body().path("spec");
        assertThat(token.path("role").asText()).isEqualTo("view");
        assertThat(Duration.between(
                        CLOCK.instant(), Instant.parse(token.path("expires").asText())))
                .isBetween(Duration.ofHours(11), Duration.ofHours(12));
        ConditionPoller.until(
                () -> Files.readString(data.resolve("audit/audit.log")).contains(user));
    }

    @Test
    void login_withTheSameCodeAgain_isRefusedWithTheWayOut() {
        String code = code();
        login(code);

        Reply again = login(code);

        assertThat(again.code()).isEqualTo(401);
        assertThat(again.message()).contains("mooring token page");
    }

    @Test
    void login_afterTheCodeExpired_isRefused() {
        String code = code();
        CLOCK.advance(Duration.ofMinutes(10));

        assertThat(login(code).code()).isEqualTo(401);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{'code':''}", "{'code':{'a':1}}", "[]", "x"})
    void login_withoutACode_isRefused(String body) {
        assertThat(anonymous.post("/ui/login", body).code()).isIn(400, 401);
    }

    @Test
    void login_withALargeBody_isRefused() {
        assertThat(anonymous
                        .post("/ui/login", "{'code':'" + "x".repeat(5000) + "'}")
                        .code())
                .isEqualTo(413);
    }

    @Test
    void login_triedOften_isLimitedWithoutLimitingTheFiles(@TempDir Path other) {
        try (ApiUnderTest limited = ApiUnderTest.start(other).withToken("")) {
            int refused = 0;
            for (int i = 0; i < 60 && refused == 0; i++) {
                refused = limited.post("/ui/login", "{'code':'x'}").code() == 429 ? 1 : 0;
            }

            assertThat(refused).isOne();
            assertThat(limited.get("/ui/").code()).isEqualTo(200);
        }
    }

    @Test
    void page_disabled_doesNotExist(@TempDir Path other) {
        try (ApiUnderTest without = ApiUnderTest.start(other, Map.of("ui.enabled", "false"))) {
            assertThat(without.get("/ui/").code()).isEqualTo(404);
            assertThat(without.get("/ui/config.json").code()).isEqualTo(404);
            assertThat(without.post("/ui/login", "{'code':'x'}").code()).isEqualTo(404);
            assertThat(without.post(CODES, "{}").code()).isEqualTo(404);
            assertThat(without.server().pageLink()).isEmpty();
        }
    }

    private static String code() {
        String path = admin.post(CODES, "{}").body().path("path").asText();
        assertThat(path).matches("/ui/#code=[A-Za-z0-9_-]{27}");
        return path.substring(path.indexOf('=') + 1);
    }

    private static Reply login(String code) {
        return anonymous.post("/ui/login", "{'code':'" + code + "'}");
    }
}
