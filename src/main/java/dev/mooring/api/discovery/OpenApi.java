package dev.mooring.api.discovery;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.types.SchemaType.Struct;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The documents below {@code /openapi}. Each is built on first use and cached, also compressed. Thread-safe: concurrent
 * first requests wait for one build.
 */
public final class OpenApi {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String JSON = "application/json";
    private static final String INDEX = "/openapi/v3";
    private static final String VERSION_2 = "/openapi/v2";

    /** Clients request the second one; an at sign is not allowed in a media type, so the response has the first. */
    private static final String PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

    private static final String PROTOBUF_REQUESTED = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

    private final List<DescribedKind> kinds;
    private final String version;
    private final Map<String, Document> documents = new LinkedHashMap<>();

    /** @param version of this program, shown in the documents */
    public OpenApi(List<DescribedKind> kinds, String version) {
        this.kinds = List.copyOf(kinds);
        this.version = version;
    }

    /**
     * @param path without its query
     * @param hash the query's {@code hash}: if it matches, the document may be cached forever
     * @param accept the header, or empty
     * @return empty if there is no document at this path
     */
    public Optional<Document> find(String path, Optional<String> hash, String accept) {
        if (path.equals(VERSION_2)) {
            return Optional.of(asksForProtobuf(accept) ? version2Protobuf() : version2Json());
        }
        if (path.equals(INDEX) || path.equals(INDEX + "/")) {
            return Optional.of(index());
        }
        if (!path.startsWith(INDEX + "/")) {
            return Optional.empty();
        }
        String root = path.substring(INDEX.length());
        Optional<Document> document = version3(root);
        return document.map(it -> hash.isPresent() && it.hash().equals(hash.get()) ? it.immutable() : it);
    }

    /** Returns whether protobuf is named before JSON; JSON if neither is named. */
    private static boolean asksForProtobuf(String accept) {
        for (String range : accept.split(",", -1)) {
            String type = range.split(";", 2)[0].trim().toLowerCase(Locale.ROOT);
            if (type.equals(PROTOBUF) || type.equals(PROTOBUF_REQUESTED)) {
                return true;
            } else if (type.equals(JSON) || type.equals("*/*") || type.equals("application/*")) {
                return false;
            }
        }
        return false;
    }

    private synchronized Document index() {
        return once(INDEX, () -> {
            ObjectNode index = NODES.objectNode();
            ObjectNode paths = index.putObject("paths");
            kinds.stream().map(kind -> kind.served().root()).distinct().forEach(root -> {
                String url =
                        INDEX + root + "?hash=" + version3(root).orElseThrow().hash();
                paths.putObject(root.substring(1)).put("serverRelativeURL", url);
            });
            return json(index);
        });
    }

    /** @param root of a group version: {@code /api/v1} */
    private synchronized Optional<Document> version3(String root) {
        List<DescribedKind> inVersion =
                kinds.stream().filter(kind -> kind.served().root().equals(root)).toList();
        if (inVersion.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(once(INDEX + root, () -> {
            ObjectNode document = NODES.objectNode().put("openapi", "3.0.0");
            putInfo(document);
            document.set("paths", paths(Dialect.V3, inVersion));
            document.putObject("components").set("schemas", schemas(Dialect.V3, inVersion));
            return json(document);
        }));
    }

    private synchronized Document version2Json() {
        return once(VERSION_2, () -> json(version2()));
    }

    private synchronized Document version2Protobuf() {
        return once(PROTOBUF, () -> Document.of(GnosticDocument.of(version2()), PROTOBUF));
    }

    private ObjectNode version2() {
        ObjectNode document = NODES.objectNode().put("swagger", "2.0");
        putInfo(document);
        document.set("paths", paths(Dialect.V2, kinds));
        document.set("definitions", schemas(Dialect.V2, kinds));
        return document;
    }

    private void putInfo(ObjectNode document) {
        document.putObject("info").put("title", "Mooring").put("version", version);
    }

    private ObjectNode schemas(Dialect dialect, List<DescribedKind> of) {
        SchemaWriter writer = new SchemaWriter(dialect, new SchemaNames(kinds));
        of.forEach(writer::add);
        writer.addPatch();
        return writer.schemas();
    }

    private static ObjectNode paths(Dialect dialect, List<DescribedKind> of) {
        PathsWriter writer = new PathsWriter(dialect);
        of.forEach(kind -> writer.add(kind.served()));
        return writer.paths();
    }

    private static Document json(ObjectNode document) {
        return Document.of(document.toString().getBytes(StandardCharsets.UTF_8), JSON);
    }

    private Document once(String name, Supplier<Document> make) {
        Document known = documents.get(name);
        if (known == null) {
            known = make.get();
            documents.put(name, known);
        }
        return known;
    }

    /** A served kind with the type of its objects. */
    public record DescribedKind(DiscoveredKind served, Struct type) {}

    /** The two versions of OpenAPI, as far as their schemas differ. */
    enum Dialect {
        V2("#/definitions/"),
        V3("#/components/schemas/");

        private final String reference;

        Dialect(String reference) {
            this.reference = reference;
        }

        String reference(String schema) {
            return reference + schema;
        }
    }
}
