package dev.mooring.api.catalog;

import dev.mooring.api.kind.Kind;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The kinds that are served, found by how a path names them. Immutable. */
public final class Catalog {
    private final Map<String, Kind> byPath = new LinkedHashMap<>();
    private final Map<String, Kind> byResource = new LinkedHashMap<>();

    public Catalog(List<Kind> kinds) {
        for (Kind kind : kinds) {
            Kind before = byPath.put(
                    path(
                            kind.names().group(),
                            kind.names().version(),
                            kind.names().plural()),
                    kind);
            if (before != null) {
                throw new IllegalArgumentException("Expected each kind once, but " + kind + " comes twice");
            }
            byResource.put(kind.resource(), kind);
        }
    }

    /** @param group "" for the core group */
    public Optional<Kind> find(String group, String version, String plural) {
        return Optional.ofNullable(byPath.get(path(group, version, plural)));
    }

    /** @param resource as in an object's key */
    public Optional<Kind> ofResource(String resource) {
        return Optional.ofNullable(byResource.get(resource));
    }

    /** By group, then in the order of the table. */
    public Collection<Kind> all() {
        return byPath.values();
    }

    private static String path(String group, String version, String plural) {
        return group + '/' + version + '/' + plural;
    }
}
