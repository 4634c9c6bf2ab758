package dev.mooring.api.http;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.resource.Catalog;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import java.util.Optional;

/**
 * Which events a request for history wants.
 *
 * @param object events of this object
 * @param namespace events of objects in this namespace, and of the Namespace itself; "" for all
 * @param type "" for all
 * @param actor "" for all
 */
record HistoryFilter(Optional<ObjectKey> object, String namespace, String type, String actor) {

    static HistoryFilter of(QueryParameters query, Catalog catalog) {
        String namespace = query.text("namespace");
        Optional<ObjectKey> object = Optional.of(query.text("object"))
                .filter(text -> !text.isEmpty())
                .map(text -> object(text, namespace, catalog));
        return new HistoryFilter(object, namespace, query.text("type"), query.text("actor"));
    }

    /** Parses {@code RESOURCE/NAMESPACE/NAME}, or {@code RESOURCE/NAME} if it is cluster-scoped or there is a namespace. */
    private static ObjectKey object(String text, String namespace, Catalog catalog) {
        String[] parts = text.split("/", -1);
        KindDefinition kind = catalog.named(parts[0]);
        String path = text.substring(Math.min(text.length(), parts[0].length() + 1));
        boolean isShort = kind.isNamespaced() && parts.length == 2 && !namespace.isEmpty();
        Optional<ObjectKey> key = ObjectKey.ifValid(kind.resource() + '/' + (isShort ? namespace + '/' : "") + path)
                .filter(valid -> valid.namespace().isPresent() == kind.isNamespaced());
        return key.orElseThrow(() -> new StatusException(Status.badRequest("object must be "
                + kind.names().plural() + (kind.isNamespaced() ? "/NAMESPACE/NAME" : "/NAME") + ", got \"" + text
                + '"')));
    }

    /** Returns whether an event may match, by the fields that it has besides its changes. */
    boolean matches(Event event) {
        return (type.isEmpty() || type.equals(event.type())) && (actor.isEmpty() || actor.equals(event.actor()));
    }

    /** Returns whether the change of an object matches. */
    boolean matches(ObjectKey key) {
        if (object.isPresent()) {
            return object.get().equals(key);
        }
        return namespace.isEmpty()
                || key.namespace().filter(namespace::equals).isPresent()
                || (key.resource().equals("namespaces") && key.name().equals(namespace));
    }
}
