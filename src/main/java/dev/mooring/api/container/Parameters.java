package dev.mooring.api.container;

import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The parameters of a request about a container, read as Kubernetes reads them. There may be as many as fit into a request line, since each word of
 * a command is one. Immutable.
 */
final class Parameters {
    private final Map<String, List<String>> all;

    private Parameters(Map<String, List<String>> all) {
        this.all = all;
    }

    /** @param query what stands behind the question mark; null if nothing does */
    static Parameters of(String query) {
        if (query == null || query.isEmpty()) {
            return new Parameters(Map.of());
        }
        try {
            return new Parameters(QueryStringDecoder.builder()
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

    /** The first value, or "". */
    String text(String name) {
        return all.containsKey(name) ? all.get(name).get(0) : "";
    }

    List<String> texts(String name) {
        return all.getOrDefault(name, List.of());
    }

    /** There, and neither "0" nor "false". */
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
