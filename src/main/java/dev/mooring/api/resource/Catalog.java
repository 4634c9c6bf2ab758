package dev.mooring.api.resource;

import dev.mooring.api.types.KindDefinition;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The served kinds, by their name in a path. Immutable. */
public final class Catalog {
    private final Map<String, KindDefinition> byPath = new LinkedHashMap<>();
    private final Map<String, KindDefinition> byResource = new LinkedHashMap<>();

    public Catalog(List<KindDefinition> kinds) {
        for (KindDefinition kind : kinds) {
            KindDefinition before = byPath.put(
                    path(
                            kind.names().group(),
                            kind.names().version(),
                            kind.names().plural()),
                    kind);
            if (before != null) {
                throw new IllegalArgumentException("Duplicate kind " + kind);
            }
            byResource.put(kind.resource(), kind);
        }
    }

    /** @param group "" for the core group */
    public Optional<KindDefinition> find(String group, String version, String plural) {
        return Optional.ofNullable(byPath.get(path(group, version, plural)));
    }

    /** @param resource as in an object's key */
    public Optional<KindDefinition> ofResource(String resource) {
        return Optional.ofNullable(byResource.get(resource));
    }

    /** Returns all kinds by group, then in the order of the table. */
    public Collection<KindDefinition> all() {
        return byPath.values();
    }

    private static String path(String group, String version, String plural) {
        return group + '/' + version + '/' + plural;
    }
}
