package dev.mooring.api.discovery;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Builds the {@code APIGroupDiscoveryList}: groups, versions, resources and subresources in one document. */
final class AggregatedDiscovery {
    private AggregatedDiscovery() {}

    static String groups(List<DiscoveredKind> kinds, String apiVersion) {
        ObjectNode list = JsonNodeFactory.instance.objectNode();
        list.put("kind", "APIGroupDiscoveryList");
        list.put("apiVersion", apiVersion);
        list.putObject("metadata");
        ArrayNode items = list.putArray("items");
        Map<String, ArrayNode> versionsOf = new LinkedHashMap<>();
        Map<String, ArrayNode> resourcesOf = new LinkedHashMap<>();
        for (DiscoveredKind kind : kinds) {
            ArrayNode versions = versionsOf.computeIfAbsent(kind.group(), group -> addGroup(items, group));
            resourcesOf
                    .computeIfAbsent(kind.groupVersion(), ignored -> addVersion(versions, kind.version()))
                    .add(resource(kind));
        }
        return list.toString();
    }

    private static ArrayNode addGroup(ArrayNode items, String group) {
        ObjectNode item = items.addObject();
        ObjectNode metadata = item.putObject("metadata");
        if (!group.isEmpty()) {
            metadata.put("name", group);
        }
        return item.putArray("versions");
    }

    private static ArrayNode addVersion(ArrayNode versions, String version) {
        ObjectNode item = versions.addObject();
        item.put("version", version);
        ArrayNode resources = item.putArray("resources");
        item.put("freshness", "Current");
        return resources;
    }

    private static ObjectNode resource(DiscoveredKind kind) {
        ObjectNode resource = JsonNodeFactory.instance.objectNode();
        resource.put("resource", kind.plural());
        putKind(resource, kind.group(), kind.version(), kind.kind());
        resource.put("scope", kind.scope().text());
        resource.put("singularResource", kind.singular());
        putAll(resource, "verbs", kind.verbs());
        if (!kind.shortNames().isEmpty()) {
            putAll(resource, "shortNames", kind.shortNames());
        }
        if (!kind.categories().isEmpty()) {
            putAll(resource, "categories", kind.categories());
        }
        if (!kind.subresources().isEmpty()) {
            ArrayNode subresources = resource.putArray("subresources");
            for (DiscoveredKind.Subresource sub : kind.subresources()) {
                ObjectNode item = subresources.addObject();
                item.put("subresource", sub.name());
                putKind(item, sub.group(), sub.version(), sub.kind());
                putAll(item, "verbs", sub.verbs());
            }
        }
        return resource;
    }

    private static void putKind(ObjectNode item, String group, String version, String kind) {
        item.putObject("responseKind")
                .put("group", group)
                .put("version", version)
                .put("kind", kind);
    }

    private static void putAll(ObjectNode item, String field, List<String> values) {
        ArrayNode array = item.putArray(field);
        values.forEach(array::add);
    }
}
