package dev.mooring.conformance;

import static dev.mooring.conformance.ApiUnderTest.configMap;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.conformance.ApiUnderTest.Reply;
import dev.mooring.conformance.ApiUnderTest.TestWatch;
import dev.mooring.model.Event;
import dev.mooring.model.Scope;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Tests that secret values stay hidden, events name the user, and watches of revoked users end. */
@Timeout(180)
class RolesSecretsTest {
    private static final String SECRETS = "/api/v1/namespaces/default/secrets";
    private static final String MAPS = "/api/v1/namespaces/default/configmaps";
    private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
    private static final String VALUE = "xyzzy-plugh-never-to-be-seen";
    private static final String ENCODED = Base64.getEncoder().encodeToString(VALUE.getBytes(StandardCharsets.UTF_8));

    @TempDir
    private static Path data;

    private static ApiUnderTest admin;

    @BeforeAll
    static void start() {
        // Only requests may add events: some tests expect that the newest event is theirs.
        admin = ApiUnderTest.start(data, Map.of("api.watchTick", "1s", "without", "control,node"));
    }

    @AfterAll
    static void stop() {
        admin.close();
    }

    private static String secret(String name) {
        return "{'kind':'Secret','apiVersion':'v1','metadata':{'name':'" + name + "'},'stringData':{'password':'"
                + VALUE + "'}}";
    }

    /** Captures all log lines as text. */
    private static final class LogCapture extends AppenderBase<ILoggingEvent> {
        private final Queue<String> capturedLines = new ConcurrentLinkedQueue<>();

        @Override
        protected void append(ILoggingEvent event) {
            capturedLines.add(event.getLoggerName() + " " + event.getFormattedMessage() + " " + event.getKeyValuePairs()
                    + (event.getThrowableProxy() == null
                            ? ""
                            : ThrowableProxyUtil.asString(event.getThrowableProxy())));
        }
    }

    @Test
    void logAndMetrics_afterRequestsWithSecrets_containNoSecretOrToken() {
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        Logger mooring = (Logger) LoggerFactory.getLogger("dev.mooring");
        Level rootBefore = root.getLevel();
        Level before = mooring.getLevel();
        LogCapture capture = new LogCapture();
        capture.start();
        root.addAppender(capture);
        mooring.addAppender(capture);
        root.setLevel(Level.DEBUG);
        mooring.setLevel(Level.TRACE);
        String token = admin.createToken("listened", "'role':'edit','namespaces':['default']");
        ApiUnderTest editor = admin.withToken(token);
        try (TestWatch watch = editor.watch(SECRETS + "?resourceVersion=" + admin.revision())) {
            assertThat(editor.post(SECRETS, secret("logged")).code()).isEqualTo(201);
            assertThat(watch.nextName()).isEqualTo("ADDED logged");
            editor.get(SECRETS);
            editor.get(SECRETS + "/logged", "Accept", TABLE);
            editor.put(SECRETS + "/logged", secret("logged").replace("password", "other"));
            editor.mergePatch(SECRETS + "/logged", "{'stringData':{'more':'" + VALUE + "'}}");
            editor.mergePatch(SECRETS + "/logged", "{'data':{'more':'!" + VALUE + "'}}");
            editor.mergePatch(SECRETS + "/logged", "{'nope':'" + VALUE + "'}");
            editor.send(
                    "PATCH",
                    SECRETS + "/logged",
                    "[{'op':'test','path':'/data/password','value':'" + VALUE + "'}]",
                    "Content-Type",
                    "application/json-patch+json");
            editor.send(
                    "PATCH",
                    SECRETS + "/logged?fieldManager=me",
                    secret("logged"),
                    "Content-Type",
                    "application/apply-patch+yaml");
            editor.post(SECRETS, "{'metadata':{'name':'broken'},'data':{'a':'" + VALUE);
            editor.post(SECRETS, "{'metadata':{'name':'wrong'},'data':{'a':{'b':'" + VALUE + "'}}}");
            editor.post(SECRETS, "{'metadata':{'name':'UPPER'},'stringData':{'!!':'" + VALUE + "'}}");
            editor.post(SECRETS + "/logged", secret("logged"));
            editor.get(SECRETS + "?labelSelector=" + VALUE + "%3D%3D%3D");
            editor.delete(SECRETS + "/logged");
            editor.get(SECRETS + "/logged?at=" + (admin.revision() - 1));
            Reply issued = admin.post("/api/v1/namespaces/default/serviceaccounts/default/token", "{}");
            String accountToken = issued.body().at("/status/token").asText();
            assertThat(accountToken).isNotEmpty();
            admin.withToken(accountToken).get(SECRETS);
            admin.withToken(token + "x").get(SECRETS);
            String metrics = admin.get("/metrics").text();

            assertThat(capture.capturedLines)
                    .anyMatch(line -> line.contains("dev.mooring.api.access") && line.contains(SECRETS));
            for (String hidden : List.of(VALUE, ENCODED, token, accountToken, admin.token())) {
                assertThat(capture.capturedLines).noneMatch(line -> line.contains(hidden));
                assertThat(metrics).doesNotContain(hidden);
            }
        } finally {
            root.detachAppender(capture);
            mooring.detachAppender(capture);
            root.setLevel(rootBefore);
            mooring.setLevel(before);
        }
    }

    @Test
    void viewer_readsSecretInAnyForm_isForbidden() {
        assertThat(admin.post(SECRETS, secret("unseen")).code()).isEqualTo(201);
        assertThat(admin.get(SECRETS + "/unseen").text()).contains(ENCODED);
        for (String spec : List.of("'role':'view'", "'role':'view','namespaces':['default']")) {
            ApiUnderTest viewer = admin.withToken(admin.createToken("viewer" + spec.length(), spec));
            for (String path : List.of(
                    SECRETS,
                    SECRETS + "/unseen",
                    SECRETS + "?watch=true&timeoutSeconds=1",
                    SECRETS + "/unseen?watch=true",
                    SECRETS + "?fieldSelector=metadata.name%3Dunseen",
                    SECRETS + "?at=" + admin.revision(),
                    "/api/v1/secrets",
                    "/api/v1/secrets?watch=1&timeoutSeconds=1",
                    SECRETS + "/unseen/")) {
                for (String accept : List.of("application/json", TABLE, "application/yaml")) {
                    Reply answer = viewer.get(path, "Accept", accept);
                    assertThat(answer.code()).as(path + answer.text()).isEqualTo(403);
                    assertThat(answer.text()).doesNotContain(ENCODED);
                }
            }
            assertThat(viewer.get(MAPS).text()).doesNotContain(ENCODED);
        }
    }

    @Test
    void secretTable_withoutIncludedObject_hasNoValues() {
        assertThat(admin.post(SECRETS, secret("tabled")).code()).isEqualTo(201);

        assertThat(admin.get(SECRETS, "Accept", TABLE).text())
                .contains("tabled")
                .doesNotContain(ENCODED);
        assertThat(admin.get(SECRETS + "?includeObject=None", "Accept", TABLE).text())
                .doesNotContain(ENCODED);
        assertThat(admin.get(SECRETS + "?includeObject=Object", "Accept", TABLE).text())
                .contains(ENCODED);
    }

    @Test
    void watch_userRevokedOrDemoted_ends() {
        ApiUnderTest user = admin.withToken(admin.createToken("leaver", "'role':'view'"));
        assertThat(admin.post(
                                "/api/v1/namespaces/default/serviceaccounts",
                                "{'metadata':{'name':'leaver','annotations':{'mooring.dev/role':'view'}}}")
                        .code())
                .isEqualTo(201);
        ApiUnderTest account =
                admin.withToken(admin.post("/api/v1/namespaces/default/serviceaccounts/leaver/token", "{}")
                        .body()
                        .at("/status/token")
                        .asText());
        long now = admin.revision();
        try (TestWatch revoked = user.watch(MAPS + "?resourceVersion=" + now);
                TestWatch demoted = account.watch(MAPS + "?resourceVersion=" + now);
                TestWatch adminWatch = admin.watch(MAPS + "?resourceVersion=" + now)) {
            assertThat(List.of(revoked.code(), demoted.code())).containsOnly(200);
            admin.delete("/apis/mooring.dev/v1/tokens/leaver");
            admin.mergePatch(
                    "/api/v1/namespaces/default/serviceaccounts/leaver",
                    "{'metadata':{'annotations':{'mooring.dev/role':null}}}");
            for (TestWatch ended : List.of(revoked, demoted)) {
                JsonNode error = ended.next();
                assertThat(error.path("type").asText()).isEqualTo("ERROR");
                assertThat(error.at("/object/code").asInt()).isIn(401, 403);
                assertThat(ended.next().isMissingNode()).isTrue();
            }
            long created = admin.post(MAPS, configMap("after-all")).revision();
            assertThat(adminWatch.nextSummary()).isEqualTo("ADDED after-all@" + created);
        }
        assertThat(user.get(MAPS).code()).isEqualTo(401);
        assertThat(account.get(MAPS).code()).isEqualTo(403);
    }

    @Test
    void event_ofWrite_hasAuthenticatedUserAsActor() {
        ApiUnderTest editor = admin.withToken(admin.createToken("writer", "'role':'edit','namespaces':['default']"));
        assertThat(actorOf(editor.post(MAPS, configMap("by-editor")))).isEqualTo("writer");
        assertThat(actorOf(editor.mergePatch(MAPS + "/by-editor", "{'data':{'a':'2'}}")))
                .isEqualTo("writer");
        assertThat(actorOf(admin.mergePatch(MAPS + "/by-editor", "{'data':{'a':'3'}}")))
                .isEqualTo("admin");
        assertThat(actorOf(editor.send(
                        "POST",
                        MAPS + "?fieldManager=admin",
                        configMap("pretended"),
                        "Content-Type",
                        "application/json",
                        "Impersonate-User",
                        "admin",
                        "X-Remote-User",
                        "admin")))
                .isEqualTo("writer");
        ApiUnderTest node = admin.withToken(admin.createToken("agent", "'role':'node'"));
        Reply own = node.post("/api/v1/nodes", "{'metadata':{'name':'agent'}}");
        assertThat(own.code()).as(own.text()).isEqualTo(201);
        assertThat(actorOf(own)).isEqualTo("system:node:agent");
        editor.delete(MAPS + "/by-editor");
        assertThat(event(admin.revision()).actor()).isEqualTo("writer");
    }

    private static String actorOf(Reply written) {
        assertThat(written.code()).as(written.text()).isIn(200, 201);
        return event(written.revision()).actor();
    }

    private static Event event(long revision) {
        return admin.server()
                .stateStore()
                .hub()
                .events(revision - 1, Scope.all(), Schedulers.io())
                .blockingFirst()
                .event();
    }
}
