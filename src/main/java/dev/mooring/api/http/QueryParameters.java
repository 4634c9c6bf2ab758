package dev.mooring.api.http;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The query parameters of a request. An invalid value is a bad request that names the parameter. Immutable. */
final class QueryParameters {
    /** Maximum number of parameters; clients send far fewer. */
    private static final int MAX_PARAMETERS = 64;

    private static final QueryParameters EMPTY = new QueryParameters(Map.of());

    private final Map<String, List<String>> parameters;

    private QueryParameters(Map<String, List<String>> parameters) {
        this.parameters = parameters;
    }

    /** @param text the query string; null if there is none */
    static QueryParameters of(String text) {
        if (text == null || text.isEmpty()) {
            return EMPTY;
        }
        try {
            return new QueryParameters(QueryStringDecoder.builder()
                    .hasPath(false)
                    .maxParams(MAX_PARAMETERS)
                    .build(text)
                    .parameters());
        } catch (IllegalArgumentException e) {
            throw new StatusException(Status.badRequest("the query \"" + text + "\" cannot be decoded"));
        }
    }

    /** Returns a copy with other values of some parameters. */
    QueryParameters with(Map<String, String> values) {
        Map<String, List<String>> changed = new HashMap<>(parameters);
        values.forEach((name, value) -> changed.put(name, List.of(value)));
        return new QueryParameters(changed);
    }

    /** Returns the first value, or "". */
    String text(String name) {
        List<String> values = parameters.get(name);
        return values == null ? "" : values.get(0);
    }

    List<String> all(String name) {
        return parameters.getOrDefault(name, List.of());
    }

    /** Returns the flag as Kubernetes reads it: true if present and neither "0" nor "false". */
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

    /** Returns the flag; empty if it is not given. */
    Optional<Boolean> optionalFlag(String name) {
        return parameters.containsKey(name) ? Optional.of(flag(name)) : Optional.empty();
    }

    /** Returns a non-negative number. */
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
            // reported below
        }
        throw new StatusException(Status.badRequest(name + " must be a non-negative number, got \"" + text + '"'));
    }
}
