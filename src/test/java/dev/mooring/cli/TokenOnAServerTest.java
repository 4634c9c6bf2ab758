package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code mooring token} and a real server: what it makes opens doors, and what it revokes no longer does. */
class TokenOnAServerTest {
    @TempDir
    private Path data;

    @Test
    void shouldLetInWhoGotATokenUntilItIsRevoked() throws Exception {
        Server server = TestServers.start(data);
        try {
            HttpsClient client = HttpsClient.trusting(data.resolve("pki/ca.crt"), HttpClient.Version.HTTP_1_1);
            String mine = server.url() + "/api/v1/namespaces/default/persistentvolumeclaims";

            String token = mooring(server, "token", "create", "ci", "--role", "edit", "--namespace", "default")
                    .trim();

            assertThat(client.get(mine, token).statusCode()).isEqualTo(200);
            assertThat(client.get(server.url() + "/apis/mooring.dev/v1/tokens", token)
                            .statusCode())
                    .isEqualTo(403);
            assertThat(mooring(server, "token", "list"))
                    .contains("ci")
                    .contains("edit")
                    .doesNotContain(token);
            mooring(server, "token", "revoke", "ci");
            assertThat(client.get(mine, token).statusCode()).isEqualTo(401);
        } finally {
            server.close();
        }
    }

    private static String mooring(Server server, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Ambient ambient = TestServers.ambient(
                Map.of("MOORING_KUBECONFIG", server.kubeconfig().toString()), out, err);
        assertThat(new Cli(ambient).run(args))
                .as(err.toString(StandardCharsets.UTF_8))
                .isZero();
        return out.toString(StandardCharsets.UTF_8);
    }
}
