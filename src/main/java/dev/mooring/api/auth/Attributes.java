package dev.mooring.api.auth;

import java.util.Optional;

/** What somebody wants to do: something with a resource, or with a path that is none. */
public sealed interface Attributes {
    /** As Kubernetes calls it: get, list, watch, create, update, patch, delete, deletecollection; for a path, get. */
    String verb();

    /** A request for all namespaces or for something cluster-wide; narrow it with the {@code with…} methods. */
    static Resource resource(String verb, String group, String resource) {
        return new Resource(verb, group, resource, "", Optional.empty(), Optional.empty());
    }

    static Path path(String verb, String path) {
        return new Path(verb, path);
    }

    /**
     * @param group "" for the core group
     * @param subresource "" for the object itself
     * @param name of the object. For a create Kubernetes leaves it out; give it if the body says it, since a node's agent may only
     *     create what bears its own name
     */
    record Resource(
            String verb,
            String group,
            String resource,
            String subresource,
            Optional<String> namespace,
            Optional<String> name)
            implements Attributes {

        public Resource withSubresource(String changed) {
            return new Resource(verb, group, resource, changed, namespace, name);
        }

        /** @param changed "" for none */
        public Resource withNamespace(String changed) {
            return new Resource(verb, group, resource, subresource, present(changed), name);
        }

        /** @param changed "" for none */
        public Resource withName(String changed) {
            return new Resource(verb, group, resource, subresource, namespace, present(changed));
        }

        /** {@code pods}, {@code pods/log}. */
        String qualified() {
            return subresource.isEmpty() ? resource : resource + '/' + subresource;
        }

        /** A Namespace counts as being in itself, as in Kubernetes. */
        Optional<String> effectiveNamespace() {
            return resource.equals("namespaces") && group.isEmpty() ? name : namespace;
        }

        private static Optional<String> present(String text) {
            return text.isEmpty() ? Optional.empty() : Optional.of(text);
        }
    }

    /** @param path starts with a slash */
    record Path(String verb, String path) implements Attributes {}
}
