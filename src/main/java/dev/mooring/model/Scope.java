package dev.mooring.model;

/**
 * A set of objects: all, those of a resource, those of a resource in a namespace, or one.
 *
 * <p>A scope is a range of keys, because the text of a key is its order: see {@link ObjectKey}.
 */
public final class Scope {
    private static final Scope ALL = new Scope("", "", "\uffff");

    private final String resource;
    private final String from;
    private final String to;

    private Scope(String resource, String from, String to) {
        this.resource = resource;
        this.from = from;
        this.to = to;
    }

    public static Scope all() {
        return ALL;
    }

    public static Scope resource(String resource) {
        return below(resource, resource);
    }

    public static Scope namespace(String resource, String namespace) {
        return below(resource, resource + '/' + namespace);
    }

    public static Scope object(ObjectKey key) {
        return new Scope(key.resource(), key.text(), key.text() + '\0');
    }

    private static Scope below(String resource, String path) {
        char afterSlash = '/' + 1;
        return new Scope(resource, path + '/', path + afterSlash);
    }

    /** Returns the resource of all objects in this scope, or "" for any. */
    public String resource() {
        return resource;
    }

    /** Returns the lower bound of keys in this scope, inclusive. */
    public String from() {
        return from;
    }

    /** Returns the upper bound of keys in this scope, exclusive. */
    public String to() {
        return to;
    }

    public boolean contains(ObjectKey key) {
        return key.text().compareTo(from) >= 0 && key.text().compareTo(to) < 0;
    }

    @Override
    public String toString() {
        return from.isEmpty() ? "everything" : from;
    }
}
