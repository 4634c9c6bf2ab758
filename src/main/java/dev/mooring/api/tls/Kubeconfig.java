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
 * The kubeconfig file with the server's address, authority and token. Mooring only replaces files that contain nothing
 * but its own cluster; it refuses to overwrite, for example, a user's {@code ~/.kube/config}.
 */
public final class Kubeconfig {
    private static final String CLUSTER = "mooring";
    private static final String USER = "mooring-admin";

    private final Path file;

    public Kubeconfig(Path file) {
        this.file = file;
    }

    /**
     * Returns the token in the file, if there is one.
     *
     * @throws IOException if the file is not Mooring's to replace
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

    /**
     * Refuses a file that another server wrote, because its users would lose access to that server.
     *
     * @throws IOException if the file has another authority
     */
    public void requireAuthority(String authorityPem) throws IOException {
        if (!Files.exists(file) || Files.size(file) == 0) {
            return;
        }
        String authority = Base64.getEncoder().encodeToString(authorityPem.getBytes(StandardCharsets.UTF_8));
        for (Map<?, ?> item : items(parse(PrivateFiles.read(file)), "clusters")) {
            if (item.get("cluster") instanceof Map<?, ?> cluster
                    && !authority.equals(cluster.get("certificate-authority-data"))) {
                throw notOurs("it belongs to the server at " + cluster.get("server"), null);
            }
        }
    }

    /**
     * Writes the file unless it already has this content; additions by the user (such as a namespace) are kept then.
     */
    public void ensure(String server, String authorityPem, String token) throws IOException {
        String authority = Base64.getEncoder().encodeToString(authorityPem.getBytes(StandardCharsets.UTF_8));
        if (Files.exists(file) && matches(server, authority, token)) {
            return;
        }
        Path directory = file.toAbsolutePath().getParent();
        if (!Files.exists(directory)) {
            PrivateFiles.makeDirectory(directory);
        }
        PrivateFiles.write(file, yaml(server, authority, token));
    }

    private boolean matches(String server, String authority, String token) throws IOException {
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
            throw notOurs("it is not a kubeconfig", null);
        } catch (YAMLException e) {
            throw notOurs("it is not YAML", e);
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
                "Cannot replace " + file + " by the kubeconfig of this server: " + finding
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
