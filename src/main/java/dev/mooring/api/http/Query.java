package dev.mooring.api.http;

import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The parameters of a request. A value that cannot be understood is a bad request that names the parameter. Immutable. */
final class Query {
    /** More than any client sends; the request line is bounded as well. */
    private static final int MAX_PARAMETERS = 64;

    private static final Query EMPTY = new Query(Map.of());

    private final Map<String, List<String>> parameters;

    private Query(Map<String, List<String>> parameters) {
        this.parameters = parameters;
    }

    /** @param text what stands behind the question mark; null if nothing does */
    static Query of(String text) {
        if (text == null || text.isEmpty()) {
            return EMPTY;
        }
        try {
            return new Query(QueryStringDecoder.builder()
                    .hasPath(false)
                    .maxParams(MAX_PARAMETERS)
                    .build(text)
                    .parameters());
        } catch (IllegalArgumentException e) {
            throw new StatusException(Status.badRequest("the query \"" + text + "\" cannot be decoded"));
        }
    }

    /** The first value, or "". */
    String text(String name) {
        List<String> values = parameters.get(name);
        return values == null ? "" : values.get(0);
    }

    List<String> all(String name) {
        return parameters.getOrDefault(name, List.of());
    }

    /** As Kubernetes reads it: there and neither "0" nor "false". */
    boolean flag(String name) {
        List<String> values = parameters.get(name);
        if (values == null) {
            return false;
        }
        return switch (values.get(0)) {
            case "0", "f", "F", "false", "False", "FALSE" -> false;
            default -> true;
        };
    }

    /** Whether a parameter is given, and how. */
    Optional<Boolean> optionalFlag(String name) {
        return parameters.containsKey(name) ? Optional.of(flag(name)) : Optional.empty();
    }

    /** A number that is not negative. */
    OptionalLong number(String name) {
        String text = text(name);
        if (text.isEmpty()) {
            return OptionalLong.empty();
        }
        try {
            long number = Long.parseLong(text);
            if (number >= 0) {
                return OptionalLong.of(number);
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new StatusException(
                Status.badRequest("Expected " + name + " to be a number from 0 on, but it is \"" + text + '"'));
    }
}
