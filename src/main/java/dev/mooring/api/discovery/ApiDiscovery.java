package dev.mooring.api.discovery;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The discovery documents: {@code /api}, {@code /apis} and the paths below them. Each document is built on first use
 * and cached; there are a few per group. Kinds appear in the given order, groups in that of their first kind.
 * Thread-safe.
 */
public final class ApiDiscovery {
    private final List<DiscoveredKind> kinds;
    private final Map<String, DiscoveryResponse> responses = new ConcurrentHashMap<>();

    public ApiDiscovery(List<DiscoveredKind> kinds) {
        this.kinds = List.copyOf(kinds);
    }

    /**
     * @param path without a query; a trailing slash is ignored
     * @param acceptHeader empty if the client sent none
     * @return empty if there is no discovery document at this path
     */
    public Optional<DiscoveryResponse> find(String path, String acceptHeader) {
        String plainPath = path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        boolean hasForms = plainPath.equals("/api") || plainPath.equals("/apis");
        DiscoveryFormat form = hasForms ? DiscoveryFormat.fromAccept(acceptHeader) : DiscoveryFormat.PLAIN;
        String key = form + plainPath;
        DiscoveryResponse known = responses.get(key);
        if (known != null) {
            return Optional.of(known);
        }
        // unknown paths are not cached: their number is unbounded
        Optional<DiscoveryResponse> response =
                document(plainPath, form).map(json -> DiscoveryResponse.of(json, form.contentType()));
        response.ifPresent(finished -> responses.put(key, finished));
        return response;
    }

    private Optional<String> document(String path, DiscoveryFormat form) {
        if (path.equals("/api")) {
            List<DiscoveredKind> core = inCore();
            return Optional.of(
                    form == DiscoveryFormat.PLAIN
                            ? PlainDiscovery.coreVersions(core)
                            : AggregatedDiscovery.groups(core, form.apiVersion()));
        } else if (path.equals("/apis")) {
            List<DiscoveredKind> named = inNamedGroups();
            return Optional.of(
                    form == DiscoveryFormat.PLAIN
                            ? PlainDiscovery.groups(named)
                            : AggregatedDiscovery.groups(named, form.apiVersion()));
        }
        List<DiscoveredKind> inVersion =
                kinds.stream().filter(kind -> kind.root().equals(path)).toList();
        if (!inVersion.isEmpty()) {
            return Optional.of(PlainDiscovery.resources(inVersion));
        }
        List<DiscoveredKind> inGroup = inNamedGroups().stream()
                .filter(kind -> path.equals("/apis/" + kind.group()))
                .toList();
        return inGroup.isEmpty() ? Optional.empty() : Optional.of(PlainDiscovery.group(inGroup));
    }

    private List<DiscoveredKind> inCore() {
        return kinds.stream().filter(kind -> kind.group().isEmpty()).toList();
    }

    private List<DiscoveredKind> inNamedGroups() {
        return kinds.stream().filter(kind -> !kind.group().isEmpty()).toList();
    }

    /**
     * A complete response body. All requests share the array, which must not be modified.
     *
     * @param etag with quotes; changes with the body
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared; copying it per request would be wasteful
    public record DiscoveryResponse(byte[] body, String contentType, String etag) {

        static DiscoveryResponse of(String json, String contentType) {
            byte[] body = json.getBytes(StandardCharsets.UTF_8);
            return new DiscoveryResponse(body, contentType, Document.Etag.of(body));
        }
    }

    /** The formats of {@code /api} and {@code /apis}: the aggregated document, or the older list of names. */
    private enum DiscoveryFormat {
        V2("v2"),
        V2BETA1("v2beta1"),
        /** The list of names; clients send one more request per group version. */
        PLAIN("");

        private static final String GROUP = "apidiscovery.k8s.io";
        private static final String LIST = "APIGroupDiscoveryList";

        private final String version;

        DiscoveryFormat(String version) {
            this.version = version;
        }

        String apiVersion() {
            return GROUP + "/" + version;
        }

        /**
         * Returns the content type. Clients compare it with the requested one, so parameters and their order matter.
         */
        String contentType() {
            return this == PLAIN ? "application/json" : "application/json;g=" + GROUP + ";v=" + version + ";as=" + LIST;
        }

        /** Returns the first known format in the header; the plain one if there is none. */
        static DiscoveryFormat fromAccept(String accept) {
            for (String range : accept.split(",", -1)) {
                Optional<DiscoveryFormat> form = of(range);
                if (form.isPresent()) {
                    return form.get();
                }
            }
            return PLAIN;
        }

        private static Optional<DiscoveryFormat> of(String range) {
            String[] parts = range.split(";", -1);
            String type = parts[0].trim().toLowerCase(Locale.ROOT);
            if (!type.equals("application/json") && !type.equals("application/*") && !type.equals("*/*")) {
                return Optional.empty();
            }
            String group = "";
            String version = "";
            String as = "";
            for (int i = 1; i < parts.length; i++) {
                String[] parameter = parts[i].trim().split("=", 2);
                String value = parameter.length == 2 ? parameter[1].trim() : "";
                switch (parameter[0].trim().toLowerCase(Locale.ROOT)) {
                    case "g" -> group = value;
                    case "v" -> version = value;
                    case "as" -> as = value;
                    case "q" -> {
                        if (isZero(value)) {
                            return Optional.empty();
                        }
                    }
                    default -> {
                        // charset and other parameters are ignored
                    }
                }
            }
            if (as.isEmpty()) {
                return Optional.of(PLAIN);
            }
            if (!as.equals(LIST) || !group.equals(GROUP)) {
                return Optional.empty();
            }
            return switch (version) {
                case "v2" -> Optional.of(V2);
                case "v2beta1" -> Optional.of(V2BETA1);
                default -> Optional.empty();
            };
        }

        /** Returns whether a quality is zero, which excludes the format. */
        private static boolean isZero(String quality) {
            return quality.equals("0") || quality.equals("0.0") || quality.equals("0.00") || quality.equals("0.000");
        }
    }
}
