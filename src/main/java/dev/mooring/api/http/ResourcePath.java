package dev.mooring.api.http;

import dev.mooring.api.resource.Catalog;
import dev.mooring.api.resource.ResourceRef;
import dev.mooring.api.types.KindDefinition;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.Optional;

/**
 * Parses paths: {@code /api/v1/…} and {@code /apis/GROUP/VERSION/…}, with or without {@code namespaces/NAME}. Each
 * segment is decoded separately, so that an encoded slash cannot change the structure.
 */
final class ResourcePath {
    private static final int MAX_SEGMENTS = 9;

    private ResourcePath() {}

    /** Returns the target; empty if no such resource is served. */
    static Optional<ResourceRef> parse(String path, Catalog catalog) {
        String[] segments = path.split("/", MAX_SEGMENTS + 1); // the first is empty: the path starts with a slash
        int last = segments.length - 1;
        if (last > 0 && segments[last].isEmpty()) {
            last--; // a trailing slash is ignored
        }
        boolean core = last >= 1 && segments[1].equals("api");
        int at = core ? 3 : 4; // the first segment after the version
        if (last >= MAX_SEGMENTS || last < at || !(core || segments[1].equals("apis"))) {
            return Optional.empty();
        }
        String group = core ? "" : segments[2];
        String version = core ? segments[2] : segments[3];
        int left = last - at + 1;
        if (segments[at].equals("namespaces") && left >= 3) {
            Optional<KindDefinition> kind = catalog.find(group, version, segments[at + 2]);
            if (kind.isPresent() && kind.get().isNamespaced()) {
                return target(kind.get(), decoded(segments[at + 1]), segments, at + 2, last);
            }
        }
        Optional<KindDefinition> kind = catalog.find(group, version, segments[at]);
        if (kind.isEmpty() || left > 3 || (kind.get().isNamespaced() && left > 1)) {
            return Optional.empty();
        }
        return target(kind.get(), Optional.empty(), segments, at, last);
    }

    private static Optional<ResourceRef> target(
            KindDefinition kind, Optional<String> namespace, String[] segments, int at, int last) {
        if (last - at > 2 || (kind.isNamespaced() && at > 4 && namespace.isEmpty())) {
            return Optional.empty();
        }
        Optional<String> name = last > at ? decoded(segments[at + 1]) : Optional.empty();
        if (last > at && name.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new ResourceRef(kind, namespace, name, last - at == 2 ? segments[at + 2] : ""));
    }

    /** Decodes a segment; empty if it is empty or cannot be decoded. */
    private static Optional<String> decoded(String segment) {
        if (segment.isEmpty()) {
            return Optional.empty();
        }
        if (segment.indexOf('%') < 0) {
            return Optional.of(segment);
        }
        try {
            return Optional.of(QueryStringDecoder.decodeComponent(segment.replace("+", "%2B")));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
