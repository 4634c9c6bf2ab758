package dev.mooring.control.protect;

import dev.mooring.model.ObjectKey;
import java.util.Optional;

/** Keys from names that somebody wrote down, who may have written anything. */
final class Keys {
    private Keys() {}

    /** Nothing if no object can have that name. */
    static Optional<ObjectKey> clusterWide(String resource, String name) {
        return isName(name) ? parse(resource + '/' + name) : Optional.empty();
    }

    static Optional<ObjectKey> namespaced(String resource, String namespace, String name) {
        return isName(name) && isName(namespace) ? parse(resource + '/' + namespace + '/' + name) : Optional.empty();
    }

    private static boolean isName(String name) {
        return !name.isEmpty() && name.indexOf('/') < 0;
    }

    private static Optional<ObjectKey> parse(String text) {
        try {
            return Optional.of(ObjectKey.parse(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
