package dev.mooring.api.patch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An immutable set of field paths: a tree of sorted {@link PathElement}s in arrays. A path is in the set only if its
 * last element is marked as a member; having children does not make an element a member. No subtree is empty.
 * Thread-safe.
 */
final class FieldSet {
    static final FieldSet EMPTY = new FieldSet(new String[0], new boolean[0], new FieldSet[0]);

    private final String[] elements;
    private final boolean[] members;
    /** Children by element; {@link #EMPTY} if an element has none. */
    private final FieldSet[] children;

    private FieldSet(String[] elements, boolean[] members, FieldSet[] children) {
        this.elements = elements;
        this.members = members;
        this.children = children;
    }

    /** Returns the set of the given paths, each a list of elements in canonical form. */
    static FieldSet of(List<List<String>> paths) {
        FieldSet set = EMPTY;
        for (List<String> path : paths) {
            set = set.union(path(path));
        }
        return set;
    }

    private static FieldSet path(List<String> path) {
        Builder builder = new Builder();
        if (path.size() == 1) {
            builder.add(path.get(0), true, EMPTY);
        } else if (!path.isEmpty()) {
            builder.add(path.get(0), false, path(path.subList(1, path.size())));
        }
        return builder.build();
    }

    boolean isEmpty() {
        return elements.length == 0;
    }

    /** Returns the number of elements at this level. */
    int width() {
        return elements.length;
    }

    String element(int index) {
        return elements[index];
    }

    boolean isMember(int index) {
        return members[index];
    }

    FieldSet child(int index) {
        return children[index];
    }

    boolean has(String element) {
        int index = find(element);
        return index >= 0 && members[index];
    }

    /** Returns the paths below this element. */
    FieldSet childSet(String element) {
        int index = find(element);
        return index >= 0 ? children[index] : EMPTY;
    }

    private int find(String element) {
        return Arrays.binarySearch(elements, element, PathElement::compare);
    }

    boolean has(List<String> path) {
        FieldSet at = this;
        for (String element : path.subList(0, path.size() - 1)) {
            at = at.childSet(element);
        }
        return at.has(path.get(path.size() - 1));
    }

    FieldSet union(FieldSet other) {
        if (other.isEmpty()) {
            return this;
        }
        if (isEmpty()) {
            return other;
        }
        Builder out = new Builder();
        int i = 0;
        int j = 0;
        while (i < elements.length || j < other.elements.length) {
            int order = order(i, other, j);
            if (order < 0) {
                out.add(elements[i], members[i], children[i]);
                i++;
            } else if (order > 0) {
                out.add(other.elements[j], other.members[j], other.children[j]);
                j++;
            } else {
                FieldSet child = children[i].union(other.children[j]);
                out.add(elements[i], members[i] || other.members[j], child);
                i++;
                j++;
            }
        }
        return out.build();
    }

    /**
     * Returns this set without the members of the other; paths below a removed member stay unless they are members of
     * the other as well.
     */
    FieldSet difference(FieldSet other) {
        if (other.isEmpty() || isEmpty()) {
            return this;
        }
        Builder out = new Builder();
        int j = 0;
        for (int i = 0; i < elements.length; i++) {
            while (j < other.elements.length && order(i, other, j) > 0) {
                j++;
            }
            if (j < other.elements.length && order(i, other, j) == 0) {
                FieldSet child = children[i].difference(other.children[j]);
                boolean member = members[i] && !other.members[j];
                out.add(elements[i], member, child);
            } else {
                out.add(elements[i], members[i], children[i]);
            }
        }
        return out.build();
    }

    FieldSet intersection(FieldSet other) {
        Builder out = new Builder();
        int i = 0;
        int j = 0;
        while (i < elements.length && j < other.elements.length) {
            int order = order(i, other, j);
            if (order == 0) {
                out.add(elements[i], members[i] && other.members[j], children[i].intersection(other.children[j]));
            }
            i += order <= 0 ? 1 : 0;
            j += order >= 0 ? 1 : 0;
        }
        return out.build();
    }

    /** Returns only the members that have no members below them. */
    FieldSet leaves() {
        Builder out = new Builder();
        for (int i = 0; i < elements.length; i++) {
            out.add(elements[i], children[i].isEmpty(), children[i].leaves());
        }
        return out.build();
    }

    /** Compares two elements; an index past the end sorts last. */
    private int order(int i, FieldSet other, int j) {
        if (i == elements.length) {
            return 1;
        }
        return j == other.elements.length ? -1 : PathElement.compare(elements[i], other.elements[j]);
    }

    /**
     * Returns all members: those of a level first, then those below, in the order in which Kubernetes lists conflicts.
     */
    List<List<String>> paths() {
        List<List<String>> paths = new ArrayList<>();
        collect(List.of(), paths);
        return paths;
    }

    private void collect(List<String> above, List<List<String>> paths) {
        for (int i = 0; i < elements.length; i++) {
            if (members[i]) {
                paths.add(append(above, elements[i]));
            }
        }
        for (int i = 0; i < elements.length; i++) {
            children[i].collect(append(above, elements[i]), paths);
        }
    }

    private static List<String> append(List<String> above, String element) {
        List<String> path = new ArrayList<>(above.size() + 1);
        path.addAll(above);
        path.add(element);
        return path;
    }

    /** Formats a path for messages: {@code .spec.containers[name="c"].image}. */
    static String format(List<String> path) {
        StringBuilder text = new StringBuilder();
        path.forEach(element -> text.append(PathElement.format(element)));
        return text.toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FieldSet that
                && Arrays.equals(elements, that.elements)
                && Arrays.equals(members, that.members)
                && Arrays.equals(children, that.children);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * Arrays.hashCode(elements) + Arrays.hashCode(members)) + Arrays.hashCode(children);
    }

    @Override
    public String toString() {
        return FieldsV1.encode(this).toString();
    }

    /** Builds one level of a set; elements may be added in any order, each once. */
    static final class Builder {
        private static final int FIRST_SIZE = 8;
        private String[] elements = EMPTY.elements;
        private boolean[] members = EMPTY.members;
        private FieldSet[] children = EMPTY.children;
        private int size;

        /** Adds an element; no-op if it is not a member and has no members below it. */
        void add(String element, boolean member, FieldSet below) {
            if (!member && below.isEmpty()) {
                return;
            }
            if (size == elements.length) {
                grow();
            }
            int at = size++;
            // Elements usually arrive in order; otherwise the position is near the end.
            while (at > 0 && PathElement.compare(elements[at - 1], element) > 0) {
                elements[at] = elements[at - 1];
                members[at] = members[at - 1];
                children[at] = children[at - 1];
                at--;
            }
            elements[at] = element;
            members[at] = member;
            children[at] = below;
        }

        private void grow() {
            int larger = Math.max(FIRST_SIZE, size * 2);
            elements = Arrays.copyOf(elements, larger);
            members = Arrays.copyOf(members, larger);
            children = Arrays.copyOf(children, larger);
        }

        FieldSet build() {
            return size == 0
                    ? EMPTY
                    : new FieldSet(
                            Arrays.copyOf(elements, size), Arrays.copyOf(members, size), Arrays.copyOf(children, size));
        }
    }
}
