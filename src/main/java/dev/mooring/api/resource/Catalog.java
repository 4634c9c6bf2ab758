package dev.mooring.api.resource;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.api.types.KindNames;
import dev.mooring.model.NearestMatch;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The served kinds, by their name in a path. Immutable. */
public final class Catalog {
    private final Map<String, KindDefinition> byPath = new LinkedHashMap<>();
    private final Map<String, KindDefinition> byResource = new LinkedHashMap<>();

    private final Map<String, KindDefinition> byName = new HashMap<>();

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
            KindNames names = kind.names();
            byName.put(names.resource(), kind);
            byName.putIfAbsent(names.plural(), kind);
            byName.putIfAbsent(names.singular(), kind);
            names.shortNames().forEach(name -> byName.putIfAbsent(name, kind));
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

    /**
     * Returns the kind that a user names as in kubectl: {@code persistentvolumeclaims}, {@code persistentvolumeclaim},
     * {@code pvc}, or {@code storageclasses.storage.k8s.io}.
     *
     * @throws StatusException 404 with the nearest name if there is none
     */
    public KindDefinition named(String name) {
        KindDefinition kind = byName.get(name.toLowerCase(Locale.ROOT));
        if (kind == null) {
            throw new StatusException(new Status(
                    404,
                    "NotFound",
                    "the server doesn't have a resource type \"" + name + '"'
                            + NearestMatch.ignoringCase(name, byName.keySet())
                                    .map(near -> "; did you mean \"" + near + "\"?")
                                    .orElse("")));
        }
        return kind;
    }

    /** Returns all kinds by group, then in the order of the table. */
    public Collection<KindDefinition> all() {
        return byPath.values();
    }

    private static String path(String group, String version, String plural) {
        return group + '/' + version + '/' + plural;
    }
}
