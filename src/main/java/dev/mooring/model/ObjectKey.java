package dev.mooring.model;

import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The key of an object: its resource (plural, followed by the group as in {@code storageclasses.storage.k8s.io}), its
 * namespace unless it is cluster-scoped, and its name.
 *
 * <p>Written as {@code persistentvolumeclaims/default/data} or {@code persistentvolumes/pv1}. That text is the identity
 * and the order: objects of one resource are adjacent, those of one namespace are adjacent within it, and a prefix of
 * the text ending in a slash is a range of keys. One string per key keeps a stored object small.
 */
public final class ObjectKey implements Comparable<ObjectKey> {
    /**
     * Longer than any key Kubernetes allows (253 for a name, 63 for a namespace, 253 and 63 for group and resource).
     */
    public static final int MAX_LENGTH = 1024;

    /** Limit of shared resource names; only a corrupt log could exceed it. */
    private static final int MAX_SHARED_RESOURCES = 1024;

    private static final ConcurrentMap<String, String> SHARED_RESOURCES = new ConcurrentHashMap<>();

    /**
     * Cache of the last resource; keys of one resource often come in a row. Any value is valid, so races between
     * threads are harmless.
     */
    private static String lastResource = "";

    private final String text;
    private final String resource;
    private final int nameStart;

    private ObjectKey(String text, String resource, int nameStart) {
        this.text = text;
        this.resource = resource;
        this.nameStart = nameStart;
    }

    public static ObjectKey clusterWide(String resource, String name) {
        return parse(resource + '/' + name);
    }

    public static ObjectKey namespaced(String resource, String namespace, String name) {
        return parse(resource + '/' + namespace + '/' + name);
    }

    /** Parses {@code resource/name} or {@code resource/namespace/name}. */
    public static ObjectKey parse(String text) {
        return ifValid(text)
                .orElseThrow(() -> new IllegalArgumentException(
                        "Object key must be resource/name or resource/namespace/name, got \"" + text + "\""));
    }

    /** Parses a key that contains the text of a user, such as a reference; empty if no object can have this key. */
    public static Optional<ObjectKey> ifValid(String text) {
        int length = text.length();
        int first = -1;
        int last = -1;
        int slashes = 0;
        boolean wellFormed = length <= MAX_LENGTH;
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c == '/') {
                wellFormed &= i > last + 1;
                first = slashes == 0 ? i : first;
                last = i;
                slashes++;
            } else if (c <= ' ' || c == 0x7f) {
                wellFormed = false;
            }
        }
        if (!wellFormed || slashes == 0 || slashes > 2 || last == length - 1) {
            return Optional.empty();
        }
        return Optional.of(new ObjectKey(text, shared(text, first), last + 1));
    }

    private static String shared(String text, int end) {
        String last = lastResource;
        if (last.length() == end && text.startsWith(last)) {
            return last;
        }
        String found = lookUp(text, end);
        lastResource = found; // returns the local: another thread may write the field in between
        return found;
    }

    private static String lookUp(String text, int end) {
        String resource = text.substring(0, end);
        String known = SHARED_RESOURCES.get(resource);
        if (known != null) {
            return known;
        }
        if (SHARED_RESOURCES.size() < MAX_SHARED_RESOURCES) {
            SHARED_RESOURCES.putIfAbsent(resource, resource);
        }
        return resource;
    }

    /** Returns the whole key as text; also its sort order. */
    public String text() {
        return text;
    }

    public String resource() {
        return resource;
    }

    /** Returns the namespace; empty for a cluster-scoped object. */
    public Optional<String> namespace() {
        int start = resource.length() + 1;
        return start == nameStart ? Optional.empty() : Optional.of(text.substring(start, nameStart - 1));
    }

    public String name() {
        return text.substring(nameStart);
    }

    @Override
    public int compareTo(ObjectKey other) {
        return text.compareTo(other.text);
    }

    @Override
    public boolean equals(Object other) {
        return this == other || (other instanceof ObjectKey key && text.equals(key.text));
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
