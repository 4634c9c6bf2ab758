package dev.mooring.api.discovery;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The discovery documents: {@code /api}, {@code /apis} and what is below them. Each is made when it is first asked for and kept; there
 * are a few for each group. Kinds appear in the order given, groups in that of their first kind. For all threads.
 */
public final class Discovery {
    private final List<DiscoveredKind> kinds;
    private final Map<String, Answer> made = new ConcurrentHashMap<>();

    public Discovery(List<DiscoveredKind> kinds) {
        this.kinds = List.copyOf(kinds);
    }

    /**
     * @param path without a query; a slash at its end does not matter
     * @param acceptHeader empty if the client sent none
     * @return empty if this is no path of a discovery document
     */
    public Optional<Answer> answer(String path, String acceptHeader) {
        String plainPath = path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        boolean hasForms = plainPath.equals("/api") || plainPath.equals("/apis");
        DiscoveryForm form = hasForms ? DiscoveryForm.wantedBy(acceptHeader) : DiscoveryForm.PLAIN;
        String key = form + plainPath;
        Answer known = made.get(key);
        if (known != null) {
            return Optional.of(known);
        }
        // nothing is kept for a path that leads nowhere: there is no end of them
        Optional<Answer> answer = document(plainPath, form).map(json -> Answer.of(json, form.contentType()));
        answer.ifPresent(finished -> made.put(key, finished));
        return answer;
    }

    private Optional<String> document(String path, DiscoveryForm form) {
        if (path.equals("/api")) {
            List<DiscoveredKind> core = inCore();
            return Optional.of(
                    form == DiscoveryForm.PLAIN
                            ? PlainDiscovery.coreVersions(core)
                            : AggregatedDiscovery.groups(core, form.apiVersion()));
        } else if (path.equals("/apis")) {
            List<DiscoveredKind> named = inNamedGroups();
            return Optional.of(
                    form == DiscoveryForm.PLAIN
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
