package dev.mooring.api.discovery;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.discovery.DiscoveredKind.ResourceScope;
import dev.mooring.api.discovery.DiscoveredKind.Subresource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes the paths of kinds. Contains only what clients look for: the kind, the action, the query parameters (by
 * {@code fieldValidation} kubectl detects server-side validation) and the patch formats.
 */
final class PathsWriter {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final List<String> PATCH_FORMATS = List.of(
            "application/apply-patch+yaml",
            "application/json-patch+json",
            "application/merge-patch+json",
            "application/strategic-merge-patch+json");

    private final OpenApi.Dialect dialect;
    private final Map<String, ObjectNode> paths = new TreeMap<>();

    PathsWriter(OpenApi.Dialect dialect) {
        this.dialect = dialect;
    }

    /** The kind in requests and responses of a path. */
    private record GroupVersionKind(String group, String version, String kind) {}

    void add(DiscoveredKind kind) {
        GroupVersionKind subject = new GroupVersionKind(kind.group(), kind.version(), kind.kind());
        boolean namespaced = kind.scope() == ResourceScope.NAMESPACED;
        String all = kind.root() + (namespaced ? "/namespaces/{namespace}/" : "/") + kind.plural();
        addOperation(all, "get", "list", subject, kind.verbs().contains("list"));
        addOperation(all, "post", "post", subject, kind.verbs().contains("create"));
        if (namespaced) {
            String everywhere = kind.root() + "/" + kind.plural();
            addOperation(everywhere, "get", "list", subject, kind.verbs().contains("list"));
        }
        addItem(all + "/{name}", subject, kind.verbs());
        for (Subresource sub : kind.subresources()) {
            String path = all + "/{name}/" + sub.name();
            GroupVersionKind of = new GroupVersionKind(sub.group(), sub.version(), sub.kind());
            addItem(path, of, sub.verbs());
            addOperation(path, "post", "post", of, sub.verbs().contains("create"));
        }
    }

    ObjectNode paths() {
        ObjectNode all = NODES.objectNode();
        paths.forEach(all::set);
        return all;
    }

    private void addItem(String path, GroupVersionKind subject, List<String> verbs) {
        addOperation(path, "get", "get", subject, verbs.contains("get"));
        addOperation(path, "put", "put", subject, verbs.contains("update"));
        addOperation(path, "delete", "delete", subject, verbs.contains("delete"));
        addOperation(path, "patch", "patch", subject, verbs.contains("patch"));
    }

    private void addOperation(String path, String method, String action, GroupVersionKind subject, boolean served) {
        if (!served) {
            return;
        }
        ObjectNode item = paths.computeIfAbsent(path, this::pathItem);
        ObjectNode operation = item.putObject(method);
        operation.put(
                "operationId", method + path.replace('/', '_').replace("{", "").replace("}", ""));
        switch (method) {
            case "post", "put" -> addQuery(operation, "dryRun", "fieldManager", "fieldValidation");
            case "patch" -> {
                addQuery(operation, "dryRun", "fieldManager", "fieldValidation", "force");
                addPatchFormats(operation);
            }
            case "delete" -> addQuery(operation, "dryRun", "gracePeriodSeconds", "propagationPolicy");
            default -> {
                if (action.equals("list")) {
                    addQuery(
                            operation,
                            "continue",
                            "fieldSelector",
                            "labelSelector",
                            "limit",
                            "resourceVersion",
                            "resourceVersionMatch",
                            "timeoutSeconds",
                            "watch");
                }
            }
        }
        operation.putObject("responses").putObject("200").put("description", "OK");
        operation.put("x-kubernetes-action", action);
        operation
                .putObject("x-kubernetes-group-version-kind")
                .put("group", subject.group())
                .put("kind", subject.kind())
                .put("version", subject.version());
    }

    private ObjectNode pathItem(String path) {
        ObjectNode item = NODES.objectNode();
        ArrayNode parameters = NODES.arrayNode();
        for (String name : List.of("name", "namespace")) {
            if (path.contains("{" + name + "}")) {
                parameters.add(parameter(name, "path", "string").put("required", true));
            }
        }
        if (!parameters.isEmpty()) {
            item.set("parameters", parameters);
        }
        return item;
    }

    private void addQuery(ObjectNode operation, String... names) {
        ArrayNode parameters = operation.putArray("parameters");
        for (String name : names) {
            parameters.add(parameter(name, "query", typeOf(name)));
        }
    }

    private static String typeOf(String parameter) {
        return switch (parameter) {
            case "force", "watch" -> "boolean";
            case "limit", "timeoutSeconds", "gracePeriodSeconds" -> "integer";
            default -> "string";
        };
    }

    private ObjectNode parameter(String name, String in, String type) {
        ObjectNode parameter = NODES.objectNode().put("name", name).put("in", in);
        if (dialect == OpenApi.Dialect.V2) {
            return parameter.put("type", type).put("uniqueItems", true);
        }
        parameter.putObject("schema").put("type", type).put("uniqueItems", true);
        return parameter;
    }

    private void addPatchFormats(ObjectNode operation) {
        if (dialect == OpenApi.Dialect.V2) {
            ArrayNode consumes = operation.putArray("consumes");
            PATCH_FORMATS.forEach(consumes::add);
            return;
        }
        ObjectNode content =
                operation.putObject("requestBody").put("required", true).putObject("content");
        for (String format : PATCH_FORMATS) {
            content.putObject(format).putObject("schema").put("$ref", dialect.reference(SchemaNames.PATCH));
        }
    }
}
