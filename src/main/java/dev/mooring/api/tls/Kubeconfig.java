package dev.mooring.api.tls;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * The file that tells {@code kubectl} where the server is, whom to trust and which token to send. Mooring only ever replaces
 * files that hold nothing but its own cluster: pointed at somebody's {@code ~/.kube/config}, it refuses.
 */
public final class Kubeconfig {
    private static final String CLUSTER = "mooring";
    private static final String USER = "mooring-admin";

    private final Path file;

    public Kubeconfig(Path file) {
        this.file = file;
    }

    /**
     * The token in the file, if there is one.
     *
     * @throws IOException if the file is not ours to replace
     */
    public Optional<String> token() throws IOException {
        if (!Files.exists(file) || Files.size(file) == 0) {
            return Optional.empty();
        }
        Map<?, ?> content = parse(PrivateFiles.read(file));
        requireOnly(content, "clusters", CLUSTER);
        requireOnly(content, "contexts", CLUSTER);
        requireOnly(content, "users", USER);
        return items(content, "users").stream()
                .map(user -> user.get("user"))
                .filter(Map.class::isInstance)
                .map(user -> ((Map<?, ?>) user).get("token"))
                .filter(String.class::isInstance)
                .map(String.class::cast)
                .findFirst();
    }

    /** Writes the file unless it says all of this already; what a user added beside it (a namespace, say) then stays. */
    public void ensure(String server, String authorityPem, String token) throws IOException {
        String authority = Base64.getEncoder().encodeToString(authorityPem.getBytes(StandardCharsets.UTF_8));
        if (Files.exists(file) && says(server, authority, token)) {
            return;
        }
        Path directory = file.toAbsolutePath().getParent();
        if (!Files.exists(directory)) {
            PrivateFiles.makeDirectory(directory);
        }
        PrivateFiles.write(file, yaml(server, authority, token));
    }

    private boolean says(String server, String authority, String token) throws IOException {
        if (!token().equals(Optional.of(token))) {
            return false;
        }
        return items(parse(PrivateFiles.read(file)), "clusters").stream()
                .map(item -> item.get("cluster"))
                .filter(Map.class::isInstance)
                .map(cluster -> (Map<?, ?>) cluster)
                .anyMatch(cluster -> server.equals(cluster.get("server"))
                        && authority.equals(cluster.get("certificate-authority-data")));
    }

    private static String yaml(String server, String authority, String token) {
        return """
            # Written by mooring, and again whenever the server's address, authority or token change.
            apiVersion: v1
            kind: Config
            clusters:
            - name: %1$s
              cluster:
                server: %3$s
                certificate-authority-data: %4$s
            users:
            - name: %2$s
              user:
                token: %5$s
            contexts:
            - name: %1$s
              context:
                cluster: %1$s
                user: %2$s
            current-context: %1$s
            """.formatted(CLUSTER, USER, server, authority, '"' + token + '"');
    }

    private Map<?, ?> parse(String text) throws IOException {
        try {
            if (new Yaml(new SafeConstructor(new LoaderOptions())).load(text) instanceof Map<?, ?> map) {
                return map;
            }
            throw notOurs("it is no kubeconfig", null);
        } catch (YAMLException e) {
            throw notOurs("it is no YAML", e);
        }
    }

    private void requireOnly(Map<?, ?> content, String list, String name) throws IOException {
        for (Map<?, ?> item : items(content, list)) {
            if (!name.equals(item.get("name"))) {
                throw notOurs("its " + list + " include \"" + item.get("name") + "\"", null);
            }
        }
    }

    private IOException notOurs(String finding, YAMLException cause) {
        return new IOException(
                "Expected to replace a kubeconfig that mooring wrote at " + file + ", but " + finding
                        + "; next: choose another path with --kubeconfig, or move that file away",
                cause);
    }

    private static List<Map<?, ?>> items(Map<?, ?> content, String list) {
        if (!(content.get(list) instanceof List<?> items)) {
            return List.of();
        }
        return items.stream()
                .filter(Map.class::isInstance)
                .<Map<?, ?>>map(item -> (Map<?, ?>) item)
                .toList();
    }
}
