package dev.mooring.cli.client;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import picocli.CommandLine.Option;

/** {@code --kubeconfig}: the option of every command that talks to a server. */
public final class ServerOption {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description =
                    "The kubeconfig of the server to talk to (MOORING_KUBECONFIG, else kubeconfig in MOORING_DATA, else"
                            + " var/kubeconfig).")
    private Path kubeconfig;

    public ServerAccess access(Map<String, String> environment) throws IOException {
        return ServerAccess.read(file(environment));
    }

    public static ApiClient client(ServerAccess access) {
        return new ApiClient(access, TIMEOUT);
    }

    private Path file(Map<String, String> environment) {
        if (kubeconfig != null) {
            return kubeconfig;
        }
        String named = environment.getOrDefault("MOORING_KUBECONFIG", "");
        return named.isEmpty()
                ? Path.of(environment.getOrDefault("MOORING_DATA", "var"), "kubeconfig")
                : Path.of(named);
    }
}
