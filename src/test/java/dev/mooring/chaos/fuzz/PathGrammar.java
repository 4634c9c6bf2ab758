package dev.mooring.chaos.fuzz;

import dev.mooring.api.types.KindDefinition;
import java.util.List;

/** Generates paths of resources, and misleading paths. Stateless. */
final class PathGrammar {
    private static final List<String> DOCUMENTS = List.of(
            "/api",
            "/api/",
            "/apis",
            "/apis/",
            "/api/v1",
            "/apis/storage.k8s.io",
            "/apis/storage.k8s.io/v1",
            "/apis/mooring.dev/v1",
            "/apis/coordination.k8s.io/v1/",
            "/apis/nothing.example.com/v1",
            "/openapi/v2",
            "/openapi/v3",
            "/openapi/v3/api/v1",
            "/openapi/v3/apis/mooring.dev/v1?hash=x",
            "/openapi/v3/apis/nothing/v1",
            "/openapi/",
            "/version",
            "/version/",
            "/livez",
            "/readyz?verbose",
            "/healthz",
            "/healthz/nothing",
            "/readyz?exclude=x&exclude=y&verbose",
            "/livez/ledger",
            "/metrics",
            "/",
            "/index.html",
            "/favicon.ico",
            "/swagger.json",
            "/logs",
            "/api/v2/pods",
            "/apis/apps/v1/deployments");

    private PathGrammar() {}

    static String document(FuzzRandom dice) {
        String path = dice.pick(DOCUMENTS);
        // These documents are large and constant.
        return (path.startsWith("/openapi") || path.equals("/metrics")) && !dice.oneIn(5) ? "/apis" : path;
    }

    static String root(KindDefinition kind) {
        return kind.names().group().isEmpty()
                ? "/api/" + kind.names().version()
                : "/apis/" + kind.names().apiVersion();
    }

    /** @param namespace "" for all, or for kinds that have none */
    static String collection(KindDefinition kind, String namespace) {
        return root(kind) + (namespace.isEmpty() ? "" : "/namespaces/" + QueryGrammar.encoded(namespace)) + "/"
                + kind.names().plural();
    }

    static String item(KindDefinition kind, String namespace, String name) {
        return collection(kind, namespace) + "/" + QueryGrammar.encoded(name);
    }

    /** Returns an invalid variant of a path. */
    static String unusual(FuzzRandom dice, KindDefinition kind, String path) {
        int slash = path.indexOf('/', 1 + dice.below(path.length() - 1));
        int at = slash < 0 ? path.length() : slash;
        String trick = dice.pick(
                "/..",
                "/.",
                "/%2e%2e",
                "/%2e%2e%2f",
                "/..%2f..",
                "//",
                "/%2f",
                "/%00",
                "/%",
                "/%zz",
                "/%c0%ae%c0%ae",
                "/%252e%252e",
                "/;a=b",
                "/%20",
                "/+",
                "/~",
                "/*",
                "/\u00e9",
                "/%ff%fe",
                "/%ed%a0%80",
                "/%F0%9F%98%80",
                "/%e2%80%ae",
                "/a\\b",
                "/%5c..%5c",
                "/" + "a".repeat(300),
                "/" + "a".repeat(2000),
                "/%0d%0aX:y",
                "/%u0041",
                "/namespaces",
                "/namespaces/",
                "/watch",
                "/proxy",
                "/status/status",
                "/" + kind.names().plural(),
                "/.json");
        return switch (dice.below(4)) {
            case 0 -> path + trick;
            case 1 -> path.substring(0, at) + trick + path.substring(at);
            case 2 -> path.substring(0, at) + trick;
            default -> trick + path;
        };
    }
}
