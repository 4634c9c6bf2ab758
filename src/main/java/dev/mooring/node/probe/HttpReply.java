package dev.mooring.node.probe;

import java.util.Map;
import java.util.Optional;

/**
 * The status and headers of an HTTP response. Excludes the body, because results become Events, whose readers may not
 * be allowed to read responses.
 *
 * @param headers by lower-case name; the last one of each name
 */
record HttpReply(int status, Map<String, String> headers) {
    HttpReply {
        headers = Map.copyOf(headers);
    }

    /** Returns the redirect target. */
    Optional<String> location() {
        return switch (status) {
            case 301, 302, 303, 307, 308 ->
                Optional.ofNullable(headers.get("location")).filter(text -> !text.isEmpty());
            default -> Optional.empty();
        };
    }
}
