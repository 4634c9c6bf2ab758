package dev.mooring.runtime.docker;

import com.fasterxml.jackson.databind.JsonNode;
import com.github.dockerjava.transport.DockerHttpClient.Request;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;

/**
 * A request to the engine. The path has no version in it: every engine then speaks its newest.
 *
 * @param upload can be read once only, so a call that has one cannot be repeated
 */
record Call(String method, String path, String body, Map<String, String> headers, Optional<InputStream> upload) {
    private static final String NO_BODY = "";
    private static final Map<String, String> JSON = Map.of("Content-Type", "application/json");
    private static final Map<String, String> TAR = Map.of("Content-Type", "application/x-tar");

    static Call get(String path) {
        return new Call("GET", path, NO_BODY, Map.of(), Optional.empty());
    }

    static Call post(String path) {
        return new Call("POST", path, NO_BODY, Map.of(), Optional.empty());
    }

    static Call post(String path, Map<String, String> headers) {
        return new Call("POST", path, NO_BODY, headers, Optional.empty());
    }

    static Call post(String path, JsonNode body) {
        return new Call("POST", path, body.toString(), JSON, Optional.empty());
    }

    static Call upload(String path, InputStream tar) {
        return new Call("POST", path, NO_BODY, TAR, Optional.of(tar));
    }

    static Call delete(String path) {
        return new Call("DELETE", path, NO_BODY, Map.of(), Optional.empty());
    }

    /** For a query. */
    static String encoded(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    /** The path of a container. */
    static String container(String idOrName) {
        if (!isName(idOrName)) {
            throw new IllegalArgumentException("Expected a container's id or name, but got \"" + idOrName + '"');
        }
        return "/containers/" + idOrName;
    }

    /** The path of an image: its reference as it is, for the engine takes it unescaped. */
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

    /** Without the query, which is for machines. */
    String words() {
        int query = path.indexOf('?');
        return method + ' ' + (query < 0 ? path : path.substring(0, query));
    }

    /** What would be another path, such as nothing at all, must never get there. */
    private static boolean isName(String text) {
        if (text.isEmpty() || text.charAt(0) == '.') {
            return false;
        }
        return text.chars().allMatch(Call::isNameCharacter);
    }

    private static boolean isNameCharacter(int c) {
        boolean isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        boolean isDigit = c >= '0' && c <= '9';
        return isLetter || isDigit || c == '_' || c == '.' || c == '-';
    }
}
