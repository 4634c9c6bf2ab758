package dev.mooring.cli;

import dev.mooring.server.ExitCode;
import dev.mooring.server.MooringException;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * Server address, certificate authority and token from the current context of a kubeconfig. Not a record, because
 * {@code toString} would show the token. Immutable.
 */
public final class ServerAccess {
    private final Path file;
    private final URI server;
    private final String authorityPem;
    private final String token;

    private ServerAccess(Path file, URI server, String authorityPem, String token) {
        this.file = file;
        this.server = server;
        this.authorityPem = authorityPem;
        this.token = token;
    }

    /**
     * Reads a kubeconfig.
     *
     * @throws MooringException if the file is incomplete
     */
    public static ServerAccess read(Path file) throws IOException {
        Map<?, ?> content = parse(file);
        Map<?, ?> context = named(file, content, "contexts", "context", text(content, "current-context"));
        Map<?, ?> cluster = named(file, content, "clusters", "cluster", text(context, "cluster"));
        Map<?, ?> user = named(file, content, "users", "user", text(context, "user"));
        return new ServerAccess(
                file, address(file, text(cluster, "server")), authority(file, cluster), token(file, user));
    }

    /** Returns the kubeconfig's path. */
    public Path file() {
        return file;
    }

    /** Returns the server URL, always https. */
    public URI server() {
        return server;
    }

    /** Returns the certificate of the only trusted authority. */
    public String authorityPem() {
        return authorityPem;
    }

    public String token() {
        return token;
    }

    @Override
    public String toString() {
        return server + " (" + file + ")";
    }

    private static Map<?, ?> parse(Path file) throws IOException {
        String text;
        try {
            text = Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new MooringException(
                    ExitCode.NOT_FOUND,
                    "No kubeconfig at " + file
                            + "; next: start a server (make run), or specify its kubeconfig with --kubeconfig",
                    e);
        }
        try {
            if (new Yaml(new SafeConstructor(new LoaderOptions())).load(text) instanceof Map<?, ?> map) {
                return map;
            }
        } catch (YAMLException e) {
            // The parser's message is omitted, because it quotes the file, including the token.
            throw unusable(file, "it is not YAML");
        }
        throw unusable(file, "it is not a kubeconfig");
    }

    private static Map<?, ?> named(Path file, Map<?, ?> content, String list, String field, String name) {
        if (content.get(list) instanceof List<?> items) {
            for (Object item : items) {
                if (item instanceof Map<?, ?> map
                        && name.equals(map.get("name"))
                        && map.get(field) instanceof Map<?, ?> found) {
                    return found;
                }
            }
        }
        throw unusable(file, "its " + list + " have no \"" + name + "\"");
    }

    private static URI address(Path file, String server) {
        try {
            URI address = new URI(server);
            if ("https".equals(address.getScheme()) && address.getHost() != null) {
                return address;
            }
        } catch (URISyntaxException e) {
            throw unusable(file, "its server \"" + server + "\" is not an address");
        }
        throw unusable(file, "its server \"" + server + "\" is not an https:// address");
    }

    private static String authority(Path file, Map<?, ?> cluster) throws IOException {
        String inside = text(cluster, "certificate-authority-data");
        String beside = text(cluster, "certificate-authority");
        if (!inside.isEmpty()) {
            try {
                return new String(Base64.getDecoder().decode(inside), StandardCharsets.UTF_8);
            } catch (IllegalArgumentException e) {
                throw unusable(file, "its certificate-authority-data is not base64");
            }
        }
        if (beside.isEmpty()) {
            throw unusable(file, "it has no certificate authority");
        }
        return Files.readString(file.toAbsolutePath().resolveSibling(beside));
    }

    private static String token(Path file, Map<?, ?> user) throws IOException {
        String inside = text(user, "token");
        String beside = text(user, "tokenFile");
        if (inside.isEmpty() && beside.isEmpty()) {
            throw unusable(file, "its user has no token");
        }
        return inside.isEmpty()
                ? Files.readString(file.toAbsolutePath().resolveSibling(beside)).trim()
                : inside;
    }

    private static String text(Map<?, ?> map, String field) {
        return map.get(field) instanceof String text ? text : "";
    }

    private static MooringException unusable(Path file, String finding) {
        return new MooringException(
                ExitCode.FAILED,
                "Cannot use " + file + " as the kubeconfig of a server: " + finding
                        + "; next: specify the one that the server wrote with --kubeconfig");
    }
}
