package dev.mooring.cli;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** {@code --kubeconfig}: the option of every command that connects to a server. */
public final class ServerOption {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "Kubeconfig of the server (MOORING_KUBECONFIG, else KUBECONFIG, else kubeconfig in"
                    + " MOORING_DATA, else var/kubeconfig).")
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
        if (!named.isEmpty()) {
            return Path.of(named);
        }
        // Like kubectl: several paths, of which some may be missing.
        List<Path> shared = Stream.of(environment.getOrDefault("KUBECONFIG", "").split(File.pathSeparator))
                .filter(each -> !each.isBlank())
                .map(Path::of)
                .toList();
        return shared.stream()
                .filter(Files::exists)
                .findFirst()
                .or(() -> shared.stream().findFirst())
                .orElse(Path.of(environment.getOrDefault("MOORING_DATA", "var"), "kubeconfig"));
    }
}
