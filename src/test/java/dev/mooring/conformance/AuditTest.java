package dev.mooring.conformance;

import static dev.mooring.conformance.ApiUnderTest.configMap;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.testing.ConditionPoller;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the audit log that requests over HTTPS produce. Each test reads the lines of its own requests. */
@Timeout(300)
class AuditTest {
    private static final String MAPS = "/api/v1/namespaces/default/configmaps";
    private static final String SECRETS = "/api/v1/namespaces/default/secrets";
    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final String TOKENS = "/apis/mooring.dev/v1/tokens";
    private static final String VALUE = "xyzzy-plugh-never-to-be-seen";

    @TempDir
    private static Path data;

    private static final ShiftedClock CLOCK = new ShiftedClock();
    private static ApiUnderTest admin;
    private static int markers;

    @BeforeAll
    static void start() {
        admin = ApiUnderTest.start(
                data, Map.of("audit.level", "request", "api.requestsPerSecond", "1", "api.requestBurst", "200"), CLOCK);
    }

    @AfterAll
    static void stop() {
        admin.close();
    }

    private static Path file() {
        return data.resolve("audit/audit.log");
    }

    /** Runs the requests and returns the lines that were added for the user. */
    private static List<JsonNode> lines(String user, Runnable requests) throws Exception {
        String begin = mark();
        requests.run();
        String end = mark();
        List<JsonNode> lines = new ArrayList<>();
        boolean between = false;
        for (String text : Files.readAllLines(file())) {
            JsonNode line = ApiUnderTest.JSON.readTree(text);
            String name = line.at("/objectRef/name").asText();
            between = name.equals(begin) || (between && !name.equals(end));
            if (between
                    && !name.equals(begin)
                    && line.at("/user/username").asText().equals(user)) {
                lines.add(line);
            }
        }
        return lines;
    }

    /** Adds a marker line and waits until it is in the file: then all earlier lines are in it, too. */
    private static String mark() throws Exception {
        String name = "marker-" + markers++;
        assertThat(admin.post(MAPS, configMap(name)).code()).isEqualTo(201);
        ConditionPoller.until(
                () -> Files.exists(file()) && Files.readString(file()).contains("\"" + name + "\""));
        return name;
    }

    private static String summary(JsonNode line) {
        JsonNode objectRef = line.path("objectRef");
        return line.path("verb").asText() + " " + objectRef.path("resource").asText()
                + (objectRef.has("subresource")
                        ? "/" + objectRef.path("subresource").asText()
                        : "")
                + " " + objectRef.path("namespace").asText() + "/"
                + objectRef.path("name").asText() + " "
                + line.at("/responseStatus/code").asText() + " "
                + line.at("/annotations/authorization.k8s.io~1decision").asText();
    }

    private static List<String> summaries(List<JsonNode> lines) {
        return lines.stream().map(AuditTest::summary).toList();
    }

    private static ApiUnderTest editor(String name) {
        return admin.withToken(admin.createToken(name, "'role':'edit','namespaces':['default']"));
    }

    private static String secret(String name) {
        return "{'kind':'Secret','apiVersion':'v1','metadata':{'name':'" + name + "'},'stringData':{'password':'"
                + VALUE + "'}}";
    }

    @Test
    void auditLog_eachWrite_addsOneLine() throws Exception {
        ApiUnderTest user = editor("writer");
        List<JsonNode> lines = lines("writer", () -> {
            user.post(MAPS, configMap("w"));
            user.put(MAPS + "/w", configMap("w", "a", "2"));
            user.mergePatch(MAPS + "/w", "{'data':{'a':'3'}}");
            user.mergePatch(MAPS + "/w?dryRun=All", "{'data':{'a':'4'}}");
            user.post(MAPS, configMap("w"));
            user.post(MAPS, "{'metadata':{'name':'" + VALUE.toUpperCase(Locale.ROOT) + "'}}");
            user.delete(MAPS + "/w");
            user.delete(MAPS + "?labelSelector=no%3Dthing");
            user.get(MAPS);
            user.get(MAPS + "/w");
            user.get("/api/v1");
            user.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "{'spec':{}}");
        });
        assertThat(summaries(lines))
                .containsExactly(
                        "create configmaps default/w 201 allow",
                        "update configmaps default/w 200 allow",
                        "patch configmaps default/w 200 allow",
                        "patch configmaps default/w 200 allow",
                        "create configmaps default/w 409 allow",
                        "create configmaps default/" + VALUE.toUpperCase(Locale.ROOT) + " 422 allow",
                        "delete configmaps default/w 200 allow",
                        "deletecollection configmaps default/ 200 allow");
        assertThat(lines.get(3).at("/annotations/mooring.dev~1dry-run").asText())
                .isEqualTo("true");
        assertThat(lines.get(2).has("dry-run")).isFalse();
    }

    @Test
    void auditLine_hasFieldsOfKubernetesAuditEvent() throws Exception {
        ApiUnderTest user = editor("fields");
        Instant before = Instant.now().minusSeconds(1);
        JsonNode line = lines(
                        "fields",
                        () -> user.send(
                                "POST",
                                MAPS + "?fieldManager=secret-in-query",
                                configMap("fields"),
                                "Content-Type",
                                "application/json",
                                "User-Agent",
                                "agent/1",
                                "X-Request-Id",
                                "request-7"))
                .get(0);
        assertThat(line.path("kind").asText()).isEqualTo("Event");
        assertThat(line.path("apiVersion").asText()).isEqualTo("audit.k8s.io/v1");
        assertThat(line.path("level").asText()).isEqualTo("Request");
        assertThat(line.path("auditID").asText()).hasSize(36);
        assertThat(line.path("stage").asText()).isEqualTo("ResponseComplete");
        assertThat(line.path("requestURI").asText()).isEqualTo(MAPS);
        assertThat(line.path("user").toString())
                .isEqualTo("{\"username\":\"fields\",\"groups\":[\"system:authenticated\"],"
                        + "\"extra\":{\"mooring.dev/role\":[\"edit\"]}}");
        assertThat(line.path("sourceIPs").toString()).isEqualTo("[\"127.0.0.1\"]");
        assertThat(line.path("userAgent").asText()).isEqualTo("agent/1");
        assertThat(line.path("objectRef").toString())
                .isEqualTo("{\"resource\":\"configmaps\",\"namespace\":\"default\",\"name\":\"fields\","
                        + "\"apiVersion\":\"v1\"}");
        assertThat(line.path("responseStatus").toString()).isEqualTo("{\"metadata\":{},\"code\":201}");
        assertThat(line.path("requestObject").path("data").toString()).isEqualTo("{\"a\":\"1\"}");
        assertThat(line.at("/annotations/authorization.k8s.io~1reason").asText())
                .isEqualTo("role \"edit\"");
        assertThat(line.at("/annotations/mooring.dev~1request-id").asText()).isEqualTo("request-7");
        assertThat(Instant.parse(line.path("requestReceivedTimestamp").asText()))
                .isAfter(before)
                .isBeforeOrEqualTo(Instant.parse(line.path("stageTimestamp").asText()));
        assertThat(line.toString()).doesNotContain("secret-in-query").doesNotContain(user.token());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
    }

    @Test
    void auditLog_readOfSecretTokenOrHistory_addsOneLine() throws Exception {
        ApiUnderTest user = editor("reader");
        long early = admin.revision();
        admin.post(MAPS, configMap("later"));
        CLOCK.advance(Duration.ofMinutes(6));
        long now = admin.revision();
        admin.post(MAPS, configMap("latest"));
        List<JsonNode> lines = lines("reader", () -> {
            user.post(SECRETS, secret("r"));
            user.get(SECRETS + "/r");
            user.get(SECRETS, "Accept", "application/json;as=Table;v=v1;g=meta.k8s.io");
            user.watch(SECRETS).close();
            user.get(SECRETS + "/r?at=" + early);
            user.get(MAPS + "?at=" + early);
            user.watch(MAPS + "?resourceVersion=" + early).close();
            user.watch(MAPS).close();
            user.watch(MAPS + "?resourceVersion=" + now).close();
        });
        assertThat(summaries(lines))
                .containsExactly(
                        "create secrets default/r 201 allow",
                        "get secrets default/r 200 allow",
                        "list secrets default/ 200 allow",
                        "watch secrets default/ 200 allow",
                        "get secrets default/r 403 forbid",
                        "list configmaps default/ 200 allow",
                        "watch configmaps default/ 200 allow");
        assertThat(lines.get(3).path("stage").asText()).isEqualTo("ResponseStarted");
        for (int past : List.of(4, 5, 6)) {
            assertThat(lines.get(past).at("/annotations/mooring.dev~1revision").asLong())
                    .isEqualTo(early);
        }
        List<JsonNode> tokens = lines("admin", () -> {
            admin.createToken("audited", "'role':'view'");
            admin.get(TOKENS + "/audited");
            admin.get(TOKENS);
            admin.post("/api/v1/namespaces/default/serviceaccounts/default/token", "{}");
            admin.delete(TOKENS + "/audited");
        });
        assertThat(summaries(tokens))
                .containsExactly(
                        "create tokens /audited 201 allow",
                        "get tokens /audited 200 allow",
                        "list tokens / 200 allow",
                        "create serviceaccounts/token default/default 201 allow",
                        "delete tokens /audited 200 allow");
        assertThat(tokens.get(0).at("/requestObject/spec/sha256").asText()).isEqualTo("REDACTED");
        assertThat(tokens.get(0).at("/requestObject/spec/role").asText()).isEqualTo("view");
    }

    @Test
    void auditLog_execAndAttach_addOneLineEachWithoutTheCommand() throws Exception {
        ApiUnderTest user = editor("shell").withVersion(HttpClient.Version.HTTP_1_1);
        admin.post(
                PODS,
                "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i'}]}}");
        List<JsonNode> lines = lines("shell", () -> {
            user.get(PODS + "/p/exec?command=" + VALUE);
            user.post(PODS + "/p/attach", "");
            user.get(PODS + "/p/log");
        });
        assertThat(lines).hasSize(2);
        assertThat(summary(lines.get(0))).startsWith("get pods/exec default/p 4");
        assertThat(summary(lines.get(1))).startsWith("create pods/attach default/p 4");
        assertThat(lines.toString()).doesNotContain(VALUE);
    }

    @Test
    void auditLog_refusedRequests_addOneLineEach() throws Exception {
        ApiUnderTest viewer = admin.withToken(admin.createToken("refused", "'role':'view','namespaces':['default']"));
        List<JsonNode> lines = lines("refused", () -> {
            viewer.get(SECRETS);
            viewer.post(MAPS, configMap("x", "a", VALUE));
            viewer.get("/api/v1/namespaces/other/pods");
            viewer.get("/metrics");
            viewer.watch(SECRETS + "?resourceVersion=1").close();
            viewer.get(MAPS);
        });
        assertThat(summaries(lines))
                .containsExactly(
                        "list secrets default/ 403 forbid",
                        "create configmaps default/ 403 forbid",
                        "list pods other/ 403 forbid",
                        "get  / 403 forbid",
                        "watch secrets default/ 403 forbid");
        assertThat(lines.get(0).at("/annotations/authorization.k8s.io~1reason").asText())
                .contains("User \"refused\" cannot list resource \"secrets\"");
        assertThat(lines.get(0).at("/responseStatus/reason").asText()).isEqualTo("Forbidden");
        assertThat(lines.get(3).path("requestURI").asText()).isEqualTo("/metrics");
        assertThat(lines.toString()).doesNotContain(VALUE);

        ApiUnderTest unauthenticated = admin.withToken("wrong-token-" + VALUE);
        List<JsonNode> anonymousLines = lines("system:anonymous", () -> {
            unauthenticated.get(SECRETS + "/s");
            unauthenticated.post(MAPS, configMap("x"));
            admin.withToken("").get("/metrics");
            admin.withToken("").get("/livez");
        });
        assertThat(summaries(anonymousLines))
                .containsExactly("get  / 401 forbid", "post  / 401 forbid", "get  / 401 forbid");
        assertThat(anonymousLines.get(0).at("/user/groups/0").asText()).isEqualTo("system:unauthenticated");
        assertThat(anonymousLines.toString()).doesNotContain(VALUE);
    }

    @Test
    void auditLine_pathWithControlCharacters_staysOneAsciiLine() throws Exception {
        ApiUnderTest viewer = admin.withToken(admin.createToken("hostile", "'role':'view','namespaces':['default']"));
        List<JsonNode> lines = lines("hostile", () -> {
            viewer.get("/api/v1/namespaces/%0A%7B%22kind%22%3A%22Event%22%7D%0A/secrets/%E2%80%A8%1B%5B2J");
            viewer.get("/api/v1/namespaces/" + "n".repeat(9000) + "/secrets");
        });
        assertThat(lines).hasSize(2);
        assertThat(lines.get(0).at("/objectRef/namespace").asText()).isEqualTo("\n{\"kind\":\"Event\"}\n");
        assertThat(lines.get(1).path("requestURI").asText()).hasSizeLessThan(2100);
        assertThat(Files.readString(file()).chars()).allMatch(c -> c == '\n' || (c >= ' ' && c < 0x7f));
    }

    @Test
    void auditLog_rateLimitedRequest_addsLineWithUser() throws Exception {
        ApiUnderTest user = editor("eager");
        List<JsonNode> lines = lines("eager", () -> {
            Reply answer = user.get(MAPS);
            while (answer.code() != 429) {
                answer = user.get(MAPS);
            }
        });
        assertThat(lines).isNotEmpty();
        assertThat(lines.get(0).at("/responseStatus/code").asInt()).isEqualTo(429);
    }

    @Test
    void auditLine_bodyWithSecret_isRedacted() throws Exception {
        ApiUnderTest user = editor("hider");
        String applied = secret("h")
                .replace(
                        "'name':'h'",
                        "'name':'h','annotations':{'kubectl.kubernetes.io/last-applied-configuration':'" + VALUE
                                + "'}");
        List<JsonNode> lines = lines("hider", () -> {
            user.post(SECRETS, applied);
            user.put(SECRETS + "/h", applied);
            user.mergePatch(SECRETS + "/h", "{'stringData':{'more':'" + VALUE + "'},'nope':{'x':['" + VALUE + "']}}");
            user.send(
                    "PATCH",
                    SECRETS + "/h",
                    "[{'op':'add','path':'/data','value':{'a':'" + VALUE + "'}}]",
                    "Content-Type",
                    "application/json-patch+json");
            user.send(
                    "PATCH",
                    SECRETS + "/h?fieldManager=me",
                    "apiVersion: v1\nkind: Secret\nmetadata: {name: h}\nstringData:\n  a: " + VALUE + "\n",
                    "Content-Type",
                    "application/apply-patch+yaml");
            user.post(SECRETS, "{'data':'" + VALUE);
            user.post(SECRETS, "'" + VALUE + "'");
            user.post(MAPS, secret("h"));
        });
        assertThat(lines).hasSize(8);
        assertThat(lines.toString()).doesNotContain(VALUE);
        assertThat(lines.get(0).path("requestObject").toString())
                .isEqualTo("{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"h\","
                        + "\"annotations\":\"REDACTED\"},\"stringData\":{\"password\":\"REDACTED\"}}");
        assertThat(lines.get(3).path("requestObject").toString())
                .isEqualTo("[{\"op\":\"add\",\"path\":\"/data\",\"value\":\"REDACTED\"}]");
        assertThat(lines.get(5).at("/annotations/mooring.dev~1request-body").asText())
                .startsWith("left out: it could not be decoded");
    }

    @Test
    void auditLine_largeBody_hasNoRequestObject() throws Exception {
        ApiUnderTest user = editor("bulky");
        List<JsonNode> lines = lines("bulky", () -> user.post(MAPS, configMap("bulky", "a", "x".repeat(70_000))));
        assertThat(lines).hasSize(1);
        assertThat(lines.get(0).has("requestObject")).isFalse();
        assertThat(lines.get(0).at("/annotations/mooring.dev~1request-body").asText())
                .matches("left out: \\d+ bytes, more than 65536");
    }

    @Test
    void auditLog_clientDisconnectsBeforeResponse_addsLine() throws Exception {
        editor("leaver");
        String token = "mrg_leaver_" + "s".repeat(43);
        String body = configMap("left").replace('\'', '"');
        List<JsonNode> lines = lines("leaver", () -> {
            try (Http1Socket socket = Http1Socket.open(admin)) {
                socket.send("POST " + MAPS + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token
                        + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
                socket.close();
                // Not until the object exists: its line is written later.
                ConditionPoller.until(() -> Files.readString(file()).contains("\"left\""));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(summaries(lines)).containsExactly("create configmaps default/left 201 allow");
    }

    @Test
    void auditLog_leaseOfNode_addsNoLine() throws Exception {
        ApiUnderTest node = admin.withToken(admin.createToken("beating", "'role':'node'"));
        List<JsonNode> lines = lines("system:node:beating", () -> {
            Reply lease = node.post(
                    "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases",
                    "{'metadata':{'name':'beating'},'spec':{'holderIdentity':'beating','leaseDurationSeconds':40}}");
            assertThat(lease.code()).as(lease.text()).isEqualTo(201);
            node.post("/api/v1/nodes", "{'metadata':{'name':'beating'}}");
            node.post("/api/v1/nodes", "{'metadata':{'name':'other'}}");
        });
        assertThat(summaries(lines))
                .containsExactly("create nodes /beating 201 allow", "create nodes /other 403 forbid");
    }
}
