package dev.mooring.api.discovery;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds the older discovery documents, which many clients still read: versions, groups, and a list of resources per
 * group version.
 */
final class PlainDiscovery {
    private PlainDiscovery() {}

    static String coreVersions(List<DiscoveredKind> core) {
        ObjectNode versions = JsonNodeFactory.instance.objectNode();
        versions.put("kind", "APIVersions");
        ArrayNode names = versions.putArray("versions");
        core.stream().map(DiscoveredKind::version).distinct().forEach(names::add);
        versions.putArray("serverAddressByClientCIDRs");
        return versions.toString();
    }

    static String groups(List<DiscoveredKind> kinds) {
        ObjectNode list = typed("APIGroupList");
        ArrayNode groups = list.putArray("groups");
        Map<String, ObjectNode> byName = new LinkedHashMap<>();
        for (DiscoveredKind kind : kinds) {
            addVersion(byName.computeIfAbsent(kind.group(), name -> groups.addObject()), kind);
        }
        return list.toString();
    }

    /** Returns the document of a group; all kinds must be in the same group. */
    static String group(List<DiscoveredKind> kinds) {
        ObjectNode group = typed("APIGroup");
        kinds.forEach(kind -> addVersion(group, kind));
        return group.toString();
    }

    /** Adds a version; the first one of a group is the preferred version. */
    private static void addVersion(ObjectNode group, DiscoveredKind kind) {
        group.put("name", kind.group());
        ObjectNode version = JsonNodeFactory.instance.objectNode();
        version.put("groupVersion", kind.groupVersion()).put("version", kind.version());
        ArrayNode versions = group.withArray("/versions");
        for (int i = 0; i < versions.size(); i++) {
            if (versions.get(i).equals(version)) {
                return;
            }
        }
        versions.add(version);
        group.putIfAbsent("preferredVersion", version);
    }

    /** Returns the list of resources; all kinds must be in the same group version. */
    static String resources(List<DiscoveredKind> kinds) {
        ObjectNode list = typed("APIResourceList");
        list.put("groupVersion", kinds.get(0).groupVersion());
        ArrayNode resources = list.putArray("resources");
        for (DiscoveredKind kind : kinds) {
            resources.add(resource(kind));
            for (DiscoveredKind.Subresource sub : kind.subresources()) {
                resources.add(subresource(kind, sub));
            }
        }
        return list.toString();
    }

    private static ObjectNode resource(DiscoveredKind kind) {
        ObjectNode resource = JsonNodeFactory.instance.objectNode();
        resource.put("name", kind.plural());
        resource.put("singularName", kind.singular());
        resource.put("namespaced", kind.scope() == DiscoveredKind.ResourceScope.NAMESPACED);
        resource.put("kind", kind.kind());
        putAll(resource, "verbs", kind.verbs());
        if (!kind.shortNames().isEmpty()) {
            putAll(resource, "shortNames", kind.shortNames());
        }
        if (!kind.categories().isEmpty()) {
            putAll(resource, "categories", kind.categories());
        }
        return resource;
    }

    private static ObjectNode subresource(DiscoveredKind kind, DiscoveredKind.Subresource sub) {
        ObjectNode resource = JsonNodeFactory.instance.objectNode();
        resource.put("name", kind.plural() + "/" + sub.name());
        resource.put("singularName", "");
        resource.put("namespaced", kind.scope() == DiscoveredKind.ResourceScope.NAMESPACED);
        if (!sub.group().equals(kind.group()) || !sub.version().equals(kind.version())) {
            resource.put("group", sub.group());
            resource.put("version", sub.version());
        }
        resource.put("kind", sub.kind());
        putAll(resource, "verbs", sub.verbs());
        return resource;
    }

    private static ObjectNode typed(String kind) {
        return JsonNodeFactory.instance.objectNode().put("kind", kind).put("apiVersion", "v1");
    }

    private static void putAll(ObjectNode item, String field, List<String> values) {
        ArrayNode array = item.putArray(field);
        values.forEach(array::add);
    }
}
