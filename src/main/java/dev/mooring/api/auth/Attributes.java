package dev.mooring.api.auth;

import dev.mooring.model.FieldSelector;
import java.util.Optional;

/** The attributes of a request for authorization: an action on a resource or on a non-resource path. */
public sealed interface Attributes {
    /** Returns Kubernetes' verb: get, list, watch, create, update, patch, delete, deletecollection; get for a path. */
    String verb();

    /**
     * Returns a request for all namespaces or for a cluster-scoped resource; narrow it with the {@code with…} methods.
     */
    static Resource resource(String verb, String group, String resource) {
        return new Resource(verb, group, resource, "", Optional.empty(), Optional.empty(), FieldSelector.everything());
    }

    static NonResourcePath nonResource(String verb, String path) {
        return new NonResourcePath(verb, path);
    }

    /**
     * @param group "" for the core group
     * @param subresource "" for the object itself
     * @param name of the object. Kubernetes omits it for a create; set it if the body contains it, since a node's agent
     *     may only create objects with the node's name
     * @param fields field selector of a list or watch
     */
    record Resource(
            String verb,
            String group,
            String resource,
            String subresource,
            Optional<String> namespace,
            Optional<String> name,
            FieldSelector fields)
            implements Attributes {

        public Resource withSubresource(String changed) {
            return new Resource(verb, group, resource, changed, namespace, name, fields);
        }

        /** @param changed "" for none */
        public Resource withNamespace(String changed) {
            return new Resource(verb, group, resource, subresource, present(changed), name, fields);
        }

        /** @param changed "" for none */
        public Resource withName(String changed) {
            return new Resource(verb, group, resource, subresource, namespace, present(changed), fields);
        }

        public Resource withFields(FieldSelector changed) {
            return new Resource(verb, group, resource, subresource, namespace, name, changed);
        }

        /** Returns the resource with its subresource: {@code pods}, {@code pods/log}. */
        String qualified() {
            return subresource.isEmpty() ? resource : resource + '/' + subresource;
        }

        /** Returns the resource as in {@link dev.mooring.model.ObjectKey#resource()}. */
        String storedResource() {
            return group.isEmpty() ? resource : resource + '.' + group;
        }

        /** Returns whether the request reads a collection. */
        boolean isCollectionRead() {
            return verb.equals("list") || verb.equals("watch");
        }

        /** Returns the namespace; a Namespace is in itself, as in Kubernetes. */
        Optional<String> effectiveNamespace() {
            return resource.equals("namespaces") && group.isEmpty() ? name : namespace;
        }

        private static Optional<String> present(String text) {
            return text.isEmpty() ? Optional.empty() : Optional.of(text);
        }
    }

    /** @param path starts with a slash */
    record NonResourcePath(String verb, String path) implements Attributes {}
}
