package dev.mooring.runtime.docker;

import com.fasterxml.jackson.databind.JsonNode;
import com.github.dockerjava.transport.DockerHttpClient.Request;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;

/**
 * A request to the engine. The path has no API version, so every engine uses its newest.
 *
 * @param upload can be read only once, so a request with an upload cannot be repeated
 */
record DockerRequest(
        String method, String path, String body, Map<String, String> headers, Optional<InputStream> upload) {
    private static final String NO_BODY = "";
    private static final Map<String, String> JSON = Map.of("Content-Type", "application/json");
    private static final Map<String, String> TAR = Map.of("Content-Type", "application/x-tar");

    static DockerRequest get(String path) {
        return new DockerRequest("GET", path, NO_BODY, Map.of(), Optional.empty());
    }

    static DockerRequest post(String path) {
        return new DockerRequest("POST", path, NO_BODY, Map.of(), Optional.empty());
    }

    static DockerRequest post(String path, Map<String, String> headers) {
        return new DockerRequest("POST", path, NO_BODY, headers, Optional.empty());
    }

    static DockerRequest post(String path, JsonNode body) {
        return new DockerRequest("POST", path, body.toString(), JSON, Optional.empty());
    }

    static DockerRequest upload(String path, InputStream tar) {
        return new DockerRequest("POST", path, NO_BODY, TAR, Optional.of(tar));
    }

    static DockerRequest delete(String path) {
        return new DockerRequest("DELETE", path, NO_BODY, Map.of(), Optional.empty());
    }

    /** Encodes a query value. */
    static String encoded(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    /** Returns the path of a container. */
    static String container(String idOrName) {
        if (!isName(idOrName)) {
            throw new IllegalArgumentException("Invalid id or name of a container: \"" + idOrName + '"');
        }
        return "/containers/" + idOrName;
    }

    /** Returns the path of an image, with an unescaped reference, as the engine expects. */
    static String image(String reference) {
        return "/images/"
                + encoded(reference)
                        .replace("+", "%20")
                        .replace("%2F", "/")
                        .replace("%3A", ":")
                        .replace("%40", "@");
    }

    Request request() {
        Request.Builder builder = Request.builder();
        builder.method(method).path(path).putAllHeaders(headers);
        if (upload.isPresent()) {
            builder.body(upload.get());
        } else if (!body.isEmpty()) {
            builder.bodyBytes(body.getBytes(StandardCharsets.UTF_8));
        }
        return builder.build();
    }

    /** Returns method and path without the query, for messages. */
    String description() {
        int query = path.indexOf('?');
        return method + ' ' + (query < 0 ? path : path.substring(0, query));
    }

    /** Returns whether the text is a single valid path segment; anything else would address another resource. */
    private static boolean isName(String text) {
        if (text.isEmpty() || text.charAt(0) == '.') {
            return false;
        }
        return text.chars().allMatch(DockerRequest::isNameCharacter);
    }

    private static boolean isNameCharacter(int c) {
        boolean isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        boolean isDigit = c >= '0' && c <= '9';
        return isLetter || isDigit || c == '_' || c == '.' || c == '-';
    }
}
