package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.mooring.api.auth.Authenticator;
import dev.mooring.server.ProcessEnvironment;
import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Tests of {@code mooring token} with a real server: created tokens are accepted, revoked ones are not. */
class TokenOnAServerTest {
    @TempDir
    private Path data;

    @Test
    void token_isAcceptedUntilRevoked() throws Exception {
        Server server = ServerFixture.start(data);
        try {
            HttpsClient client = HttpsClient.trusting(data.resolve("pki/ca.crt"), HttpClient.Version.HTTP_1_1);
            String claims = server.url() + "/api/v1/namespaces/default/persistentvolumeclaims";

            String token = mooring(server, "token", "create", "ci", "--role", "edit", "--namespace", "default")
                    .trim();

            assertThat(client.get(claims, token).statusCode()).isEqualTo(200);
            assertThat(client.get(server.url() + "/apis/mooring.dev/v1/tokens", token)
                            .statusCode())
                    .isEqualTo(403);
            assertThat(mooring(server, "token", "list"))
                    .contains("ci")
                    .contains("edit")
                    .doesNotContain(token);
            mooring(server, "token", "revoke", "ci");
            assertThat(client.get(claims, token).statusCode()).isEqualTo(401);
        } finally {
            server.close();
        }
    }

    @Test
    void page_printsALinkThatSignsInOnce() throws Exception {
        Server server = ServerFixture.start(data);
        try {
            HttpsClient client = HttpsClient.trusting(data.resolve("pki/ca.crt"), HttpClient.Version.HTTP_1_1);

            String link = mooring(server, "token", "page").trim();

            assertThat(link).startsWith(server.url() + "/ui/#code=");
            HttpRequest.Builder login = HttpRequest.newBuilder(URI.create(server.url() + "/ui/login"))
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(
                            "{\"code\":\"" + link.substring(link.indexOf('=') + 1) + "\"}"));
            assertThat(client.send(login).statusCode()).isEqualTo(201);
            assertThat(client.send(login).statusCode()).isEqualTo(401);
            assertThat(mooring(server, "token", "list")).contains("page-", "view", "sign-in to the web page");
        } finally {
            server.close();
        }
    }

    @Test
    void serverStart_tokensWithoutExpiry_areNamedInAWarning() {
        Server server = ServerFixture.start(data);
        mooring(server, "token", "create", "good", "--role", "view");
        mooring(server, "token", "create", "eternal", "--role", "view", "--expires", "never");
        server.close();

        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        Logger log = (Logger) LoggerFactory.getLogger(Authenticator.class);
        logged.start();
        log.addAppender(logged);
        try {
            ServerFixture.start(data).close();
        } finally {
            log.detachAppender(logged);
        }
        assertThat(logged.list)
                .filteredOn(event -> event.getLevel() == Level.WARN)
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.getMessage()).contains("Tokens without expiry exist");
                    assertThat(event.getKeyValuePairs())
                            .extracting(Object::toString)
                            .containsExactly("count=\"1\"", "tokens=\"eternal\"");
                });
    }

    private static String mooring(Server server, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        ProcessEnvironment environment = ServerFixture.ambient(
                Map.of("MOORING_KUBECONFIG", server.kubeconfig().toString()), out, err);
        assertThat(new Cli(environment).run(args))
                .as(err.toString(StandardCharsets.UTF_8))
                .isZero();
        return out.toString(StandardCharsets.UTF_8);
    }
}
