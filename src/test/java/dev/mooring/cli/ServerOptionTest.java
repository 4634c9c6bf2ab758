package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Tests of the order in which a client command looks for its kubeconfig. */
class ServerOptionTest {
    @TempDir
    private Path directory;

    private final Map<String, String> environment = new HashMap<>();

    @Command
    static final class Client {
        @Mixin
        private ServerOption server;
    }

    @BeforeEach
    void writeFiles() throws IOException {
        Files.createDirectory(directory.resolve("data"));
        for (String name : new String[] {"flag", "mooring", "shared", "data/kubeconfig"}) {
            Files.writeString(directory.resolve(name), """
                clusters: [{name: c, cluster: {server: "https://%s.example", certificate-authority-data: ""}}]
                users: [{name: u, user: {token: t}}]
                contexts: [{name: x, context: {cluster: c, user: u}}]
                current-context: x
                """.formatted(name.replace("data/", ""))
                    .replace("authority-data: \"\"", "authority-data: QQ=="));
        }
    }

    @Test
    void kubeconfig_isTakenFromFlagThenMooringKubeconfigThenKubeconfigThenData() throws IOException {
        environment.put("MOORING_DATA", directory.resolve("data").toString());
        assertThat(server()).isEqualTo("kubeconfig.example");

        environment.put("KUBECONFIG", directory.resolve("missing") + ":" + directory.resolve("shared"));
        assertThat(server()).isEqualTo("shared.example");

        environment.put("MOORING_KUBECONFIG", directory.resolve("mooring").toString());
        assertThat(server()).isEqualTo("mooring.example");

        assertThat(server("--kubeconfig", directory.resolve("flag").toString())).isEqualTo("flag.example");
    }

    private String server(String... args) throws IOException {
        Client client = new Client();
        new CommandLine(client).parseArgs(args);
        return client.server.access(environment).server().getHost();
    }
}
