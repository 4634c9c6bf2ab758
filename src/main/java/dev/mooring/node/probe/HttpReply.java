package dev.mooring.node.probe;

import java.util.Map;
import java.util.Optional;

/**
 * What an HTTP server answered.
 *
 * @param headers by their names in lower case; the last one of a name
 * @param body its beginning
 */
record HttpReply(int status, Map<String, String> headers, String body) {
    HttpReply {
        headers = Map.copyOf(headers);
    }

    /** Where it wants the client to go instead. */
    Optional<String> location() {
        return switch (status) {
            case 301, 302, 303, 307, 308 ->
                Optional.ofNullable(headers.get("location")).filter(text -> !text.isEmpty());
            default -> Optional.empty();
        };
    }
}
