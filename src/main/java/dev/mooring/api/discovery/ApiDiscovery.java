package dev.mooring.api.discovery;

import java.util.List;
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
}
