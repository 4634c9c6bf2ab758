package dev.mooring.api.resource;

import dev.mooring.api.discovery.ApiDiscovery;
import dev.mooring.api.discovery.DiscoveredKind;
import dev.mooring.api.discovery.DiscoveredKind.Subresource;
import dev.mooring.api.discovery.OpenApi;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.api.types.Schemas;
import java.util.ArrayList;
import java.util.List;

/** Builds the discovery documents of the catalog and of the request-only resources, which are never stored. */
public final class DiscoveryDocuments {
    private static final List<String> ALL_VERBS =
            List.of("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");

    private static final List<String> CONNECT = List.of("create", "get");

    private DiscoveryDocuments() {}

    public static ApiDiscovery discovery(Catalog catalog) {
        List<DiscoveredKind> kinds = new ArrayList<>();
        catalog.all().forEach(kind -> kinds.add(discovered(kind)));
        kinds.addAll(reviews());
        return new ApiDiscovery(kinds);
    }

    public static OpenApi openApi(Catalog catalog, Schemas schemas, String version) {
        List<OpenApi.DescribedKind> kinds = new ArrayList<>();
        catalog.all().forEach(kind -> kinds.add(new OpenApi.DescribedKind(discovered(kind), kind.schema())));
        reviews().forEach(review -> kinds.add(new OpenApi.DescribedKind(review, schemas.struct(review.kind()))));
        return new OpenApi(kinds, version);
    }

    private static DiscoveredKind discovered(KindDefinition kind) {
        return new DiscoveredKind(
                kind.names().group(),
                kind.names().version(),
                kind.names().kind(),
                kind.names().plural(),
                kind.names().singular(),
                kind.names().shortNames(),
                kind.names().categories(),
                kind.isNamespaced() ? DiscoveredKind.ResourceScope.NAMESPACED : DiscoveredKind.ResourceScope.CLUSTER,
                ALL_VERBS,
                subresources(kind));
    }

    private static List<Subresource> subresources(KindDefinition kind) {
        List<Subresource> parts = new ArrayList<>();
        switch (kind.names().kind()) {
            case "Namespace" -> parts.add(subresource(kind, "finalize", List.of("update")));
            case "Pod" -> {
                parts.add(new Subresource("attach", "", "v1", "PodAttachOptions", CONNECT));
                parts.add(subresource(kind, ResourceRef.EPHEMERAL_CONTAINERS, List.of("get", "patch", "update")));
                parts.add(new Subresource("eviction", "policy", "v1", "Eviction", List.of("create")));
                parts.add(new Subresource("exec", "", "v1", "PodExecOptions", CONNECT));
                parts.add(subresource(kind, "log", List.of("get")));
            }
            case "ServiceAccount" ->
                parts.add(new Subresource("token", "authentication.k8s.io", "v1", "TokenRequest", List.of("create")));
            default -> {
                // only a status subresource, if any
            }
        }
        if (kind.scale().isPresent()) {
            parts.add(new Subresource("scale", "autoscaling", "v1", "Scale", List.of("get", "patch", "update")));
        }
        if (kind.hasStatus()) {
            parts.add(subresource(kind, "status", List.of("get", "patch", "update")));
        }
        return parts;
    }

    private static Subresource subresource(KindDefinition kind, String name, List<String> verbs) {
        return new Subresource(
                name, kind.names().group(), kind.names().version(), kind.names().kind(), verbs);
    }

    private static List<DiscoveredKind> reviews() {
        return List.of(
                review("authentication.k8s.io", "SelfSubjectReview", "selfsubjectreviews"),
                review("authentication.k8s.io", "TokenReview", "tokenreviews"),
                review("authorization.k8s.io", "SelfSubjectAccessReview", "selfsubjectaccessreviews"),
                review("authorization.k8s.io", "SelfSubjectRulesReview", "selfsubjectrulesreviews"));
    }

    private static DiscoveredKind review(String group, String kind, String plural) {
        return new DiscoveredKind(
                group,
                "v1",
                kind,
                plural,
                kind.toLowerCase(java.util.Locale.ROOT),
                List.of(),
                List.of(),
                DiscoveredKind.ResourceScope.CLUSTER,
                List.of("create"),
                List.of());
    }
}
