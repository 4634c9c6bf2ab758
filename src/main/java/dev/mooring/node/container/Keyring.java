package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.Json;
import dev.mooring.runtime.ContainerRuntime.Credentials;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Registry credentials from Docker configuration files. The address of an entry may have a scheme, a port, a path
 * prefix, and wildcards within the labels of its host. Never prints its content. For one thread.
 */
final class Keyring {
    private static final String DOCKER_HUB = "index.docker.io";

    private final List<Entry> entries = new ArrayList<>();

    private record Entry(String host, String path, Credentials credentials) {}

    /**
     * Adds the content of a Secret.
     *
     * @return whether it was valid
     */
    boolean add(JsonNode secret) {
        JsonNode data = secret.path("data");
        Optional<JsonNode> auths = data.has(".dockerconfigjson")
                ? json(data.path(".dockerconfigjson")).map(config -> config.path("auths"))
                : json(data.path(".dockercfg"));
        if (auths.filter(JsonNode::isObject).isEmpty()) {
            return false;
        }
        for (Map.Entry<String, JsonNode> each : auths.get().properties()) {
            credentials(each.getKey(), each.getValue()).ifPresent(found -> addEntry(each.getKey(), found));
        }
        return true;
    }

    /** Returns the credentials that match an image, the most specific first. */
    List<Credentials> of(ImageName image) {
        String host = image.isOfDefaultRegistry() ? DOCKER_HUB : image.registry();
        List<Entry> fitting = new ArrayList<>();
        for (Entry each : entries) {
            boolean hub = image.isOfDefaultRegistry() && each.host().equals("docker.io");
            if ((hub || isHost(each.host(), host)) && isBeginning(each.path(), image.repository())) {
                fitting.add(each);
            }
        }
        fitting.sort(Comparator.comparing((Entry each) -> each.path().length()).reversed());
        return fitting.stream().map(Entry::credentials).distinct().toList();
    }

    private void addEntry(String address, Credentials credentials) {
        int scheme = address.indexOf("://");
        String bare = scheme < 0 ? address : address.substring(scheme + "://".length());
        int slash = bare.indexOf('/');
        String path = slash < 0 ? "" : bare.substring(slash);
        if (path.startsWith("/v1/") || path.startsWith("/v2/")) {
            path = path.substring("/v1".length());
        }
        entries.add(new Entry(
                slash < 0 ? bare : bare.substring(0, slash), path.substring(Math.min(1, path.length())), credentials));
    }

    /** Parses JSON. Drops the parser's error, which may quote the secret. */
    private static Optional<JsonNode> json(JsonNode encoded) {
        try {
            return Optional.of(Json.MAPPER.readTree(Base64.getDecoder().decode(encoded.asText(""))));
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Optional<Credentials> credentials(String address, JsonNode entry) {
        String user = entry.path("username").asText("");
        String password = entry.path("password").asText("");
        if (user.isEmpty() && password.isEmpty()) {
            String auth = decoded(entry.path("auth").asText(""));
            int colon = auth.indexOf(':');
            user = colon < 0 ? "" : auth.substring(0, colon);
            password = colon < 0 ? "" : auth.substring(colon + 1);
        }
        return user.isEmpty() && password.isEmpty()
                ? Optional.empty()
                : Optional.of(new Credentials(address, user, password));
    }

    private static String decoded(String auth) {
        try {
            return new String(Base64.getMimeDecoder().decode(auth), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    private static boolean isBeginning(String path, String repository) {
        return repository.startsWith(path);
    }

    /** Matches a host label by label; each label may contain wildcards. */
    private static boolean isHost(String pattern, String host) {
        String[] wanted = pattern.split("\\.", -1);
        String[] parts = host.split("\\.", -1);
        if (wanted.length != parts.length) {
            return false;
        }
        for (int i = 0; i < parts.length; i++) {
            if (!isPart(wanted[i], parts[i])) {
                return false;
            }
        }
        return true;
    }

    /** Matches one label. Backtracks to the last wildcard only, so the cost is linear in the number of wildcards. */
    private static boolean isPart(String pattern, String part) {
        int at = 0;
        int star = -1;
        int resume = 0;
        for (int i = 0; i < part.length(); ) {
            if (at < pattern.length() && pattern.charAt(at) == '*') {
                star = at++;
                resume = i;
            } else if (at < pattern.length() && pattern.charAt(at) == part.charAt(i)) {
                at++;
                i++;
            } else if (star >= 0) {
                at = star + 1;
                i = ++resume;
            } else {
                return false;
            }
        }
        while (at < pattern.length() && pattern.charAt(at) == '*') {
            at++;
        }
        return at == pattern.length();
    }
}
