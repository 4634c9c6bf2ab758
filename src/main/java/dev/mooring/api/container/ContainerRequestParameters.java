package dev.mooring.api.container;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The query parameters of a container request, parsed as Kubernetes does. Their number is only limited by the request
 * line, since each argument of a command is a parameter. Immutable.
 */
final class ContainerRequestParameters {
    private final Map<String, List<String>> all;

    private ContainerRequestParameters(Map<String, List<String>> all) {
        this.all = all;
    }

    /** @param query the query string; null if there is none */
    static ContainerRequestParameters of(String query) {
        if (query == null || query.isEmpty()) {
            return new ContainerRequestParameters(Map.of());
        }
        try {
            return new ContainerRequestParameters(QueryStringDecoder.builder()
                    .hasPath(false)
                    .semicolonIsNormalChar(true)
                    .maxParams(Integer.MAX_VALUE)
                    .build(query)
                    .parameters());
        } catch (IllegalArgumentException e) {
            throw new StatusException(Status.badRequest("the query cannot be decoded"));
        }
    }

    boolean has(String name) {
        return all.containsKey(name);
    }

    /** Returns the first value, or "". */
    String text(String name) {
        return all.containsKey(name) ? all.get(name).get(0) : "";
    }

    List<String> texts(String name) {
        return all.getOrDefault(name, List.of());
    }

    /** Returns true if the parameter is present and neither "0" nor "false". */
    boolean flag(String name) {
        return has(name)
                && switch (text(name).toLowerCase(Locale.ROOT)) {
                    case "0", "false" -> false;
                    default -> true;
                };
    }

    OptionalLong number(String name) {
        if (!has(name)) {
            return OptionalLong.empty();
        }
        String text = text(name);
        try {
            return OptionalLong.of(Long.parseLong(text));
        } catch (NumberFormatException e) {
            String what = isWhole(text) ? "value out of range" : "invalid syntax";
            throw new StatusException(Status.badRequest("strconv.ParseInt: parsing \"" + text + "\": " + what));
        }
    }

    private static boolean isWhole(String text) {
        int start = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
        return text.length() > start && text.chars().skip(start).allMatch(c -> c >= '0' && c <= '9');
    }
}
