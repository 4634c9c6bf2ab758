package dev.mooring.cli;

import dev.mooring.api.resource.KindTable;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.api.types.KindNames;
import dev.mooring.api.types.Schemas;
import dev.mooring.model.NearestMatch;
import dev.mooring.model.ObjectKey;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Translates the names that users type, {@code pvc/data -n shop} as in kubectl, into object keys, and keys into short
 * names for output. Immutable.
 */
final class ObjectNames {
    private static final String DEFAULT_NAMESPACE = "default";

    private final Map<String, KindDefinition> byType = new LinkedHashMap<>();
    private final Map<String, String> shortTypes = new HashMap<>();

    ObjectNames(Clock clock) {
        for (KindDefinition kind :
                new KindTable(Schemas.ofThisProgram(), clock).catalog().all()) {
            KindNames names = kind.names();
            List<String> types = new ArrayList<>(names.shortNames());
            types.addAll(List.of(names.plural(), names.resource(), names.kind().toLowerCase(Locale.ROOT)));
            types.forEach(type -> byType.putIfAbsent(type, kind));
            names.shortNames().stream()
                    .min(Comparator.comparingInt(String::length))
                    .ifPresent(type -> shortTypes.put(kind.resource(), type));
        }
    }

    /**
     * Returns the key of {@code TYPE/NAME}.
     *
     * @param namespace of a namespaced object; null for the default one
     * @throws IllegalArgumentException if the type is unknown or the name invalid; the message is for users
     */
    ObjectKey key(String given, String namespace) {
        String[] parts = given.split("/", -1);
        if (parts.length != 2) {
            throw new IllegalArgumentException(
                    "Objects must be named TYPE/NAME as in kubectl, such as secrets/db, got \"" + given + "\"");
        }
        KindDefinition kind = kind(parts[0]);
        try {
            return kind.isNamespaced()
                    ? ObjectKey.namespaced(kind.resource(), namespace == null ? DEFAULT_NAMESPACE : namespace, parts[1])
                    : ObjectKey.clusterWide(kind.resource(), parts[1]);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("Missing or invalid name after the type: \"" + given + "\"", e);
        }
    }

    /**
     * What a user names on the command line: a collection, or an object in it.
     *
     * @param namespace empty for all namespaces, or for a cluster-scoped kind
     * @param name empty for the collection
     */
    record NamedObjects(KindDefinition kind, Optional<String> namespace, Optional<String> name) {
        /** Returns the key of the named object. */
        ObjectKey key() {
            return kind.key(namespace, name.orElseThrow());
        }

        /** Returns the path of the collection in the API. */
        String collectionPath() {
            KindNames names = kind.names();
            return (names.group().isEmpty() ? "/api/" : "/apis/" + names.group() + '/')
                    + names.version()
                    + namespace.map(each -> "/namespaces/" + each).orElse("")
                    + '/'
                    + names.plural();
        }
    }

    /**
     * Returns what {@code TYPE}, {@code TYPE NAME} or {@code TYPE/NAME} means.
     *
     * @param namespace of a namespaced kind; null for the default one
     * @throws IllegalArgumentException as for {@link #key}
     */
    NamedObjects named(List<String> arguments, String namespace) {
        String first = arguments.get(0);
        boolean isPath = first.contains("/");
        if (arguments.size() > (isPath ? 1 : 2)) {
            throw new IllegalArgumentException(
                    "Name one object as TYPE/NAME or TYPE NAME, got \"" + String.join(" ", arguments) + '"');
        }
        if (isPath || arguments.size() == 2) {
            ObjectKey key = key(String.join("/", arguments), namespace);
            return new NamedObjects(kind(first.replaceFirst("/.*", "")), key.namespace(), Optional.of(key.name()));
        }
        KindDefinition kind = kind(first);
        return new NamedObjects(
                kind,
                kind.isNamespaced() ? Optional.of(namespace == null ? DEFAULT_NAMESPACE : namespace) : Optional.empty(),
                Optional.empty());
    }

    /**
     * Returns prefixes of the keys of all objects that {@code TYPE}, {@code TYPE/NAMESPACE}, {@code TYPE/NAME} or
     * {@code TYPE/NAMESPACE/NAME} may mean. A complete key is its own prefix; others end with a slash.
     *
     * @param namespace as for {@link #key}
     * @throws IllegalArgumentException as for {@link #key}
     */
    List<String> prefixes(String given, String namespace) {
        String[] parts = (given.endsWith("/") ? given.substring(0, given.length() - 1) : given).split("/", -1);
        KindDefinition kind = kind(parts[0]);
        String resource = kind.resource() + '/';
        if (parts.length == 1) {
            return List.of(kind.isNamespaced() && namespace != null ? resource + namespace + '/' : resource);
        }
        if (parts.length == 2 && kind.isNamespaced()) {
            String named = key(parts[0] + '/' + parts[1], namespace).text();
            return namespace == null ? List.of(named, resource + parts[1] + '/') : List.of(named);
        }
        return List.of(resource + String.join("/", List.of(parts).subList(1, parts.length)));
    }

    /** Returns a key with a short type: {@code pvc/default/data}. */
    String shortened(ObjectKey key) {
        String text = key.text();
        int slash = text.indexOf('/');
        return shortTypes.getOrDefault(text.substring(0, slash), text.substring(0, slash)) + text.substring(slash);
    }

    /** @throws IllegalArgumentException if the type is unknown; the message has the nearest one */
    KindDefinition kind(String type) {
        KindDefinition kind = byType.get(type.toLowerCase(Locale.ROOT));
        if (kind == null) {
            throw new IllegalArgumentException("Unknown type \"" + type + "\""
                    + NearestMatch.ignoringCase(type, byType.keySet())
                            .map(near -> "; did you mean " + near + "?")
                            .orElse("; objects are named TYPE/NAME as in kubectl, such as pvc/data"));
        }
        return kind;
    }
}
