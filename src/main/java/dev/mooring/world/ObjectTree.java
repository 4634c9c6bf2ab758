package dev.mooring.world;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * A sorted map of objects by key that never changes: a B-tree whose updates copy the path they touch and share the rest.
 *
 * <p>Why not a hash map or a red-black tree from a library: lists are ranges of keys, so order is needed; nodes of
 * {@value #WIDTH} references cost about six bytes per object instead of forty; and the subtree counts give the size of a range
 * without walking it. An {@link Editor} changes nodes in place that it has made itself, so that a batch, or a replay of a million
 * events, copies each node once.
 */
final class ObjectTree {
    static final int WIDTH = 32;

    /** A node that has become this small is joined with its neighbour if both fit into one with some room left. */
    private static final int SMALL = WIDTH / 4;

    private static final int COMFORTABLE = WIDTH * 3 / 4;

    static final ObjectTree EMPTY = new ObjectTree(new Leaf(null, new StoredObject[0], 0));

    private final Node root;

    private ObjectTree(Node root) {
        this.root = root;
    }

    int size() {
        return root.total();
    }

    Optional<StoredObject> get(ObjectKey key) {
        return Optional.ofNullable(find(root, key.text()));
    }

    /** How many keys come before this text. */
    int rank(String text) {
        int before = 0;
        Node node = root;
        while (node instanceof Branch branch) {
            int child = branch.childFor(text);
            for (int i = 0; i < child; i++) {
                before += branch.children[i].total();
            }
            node = branch.children[child];
        }
        return before + ((Leaf) node).lowerBound(text);
    }

    /** The objects whose keys are at or after {@code from} and before {@code to}, in order. */
    Iterator<StoredObject> range(String from, String to) {
        return new Range(root, from, to);
    }

    Editor edit() {
        return new Editor(root);
    }

    private static StoredObject find(Node start, String text) {
        Node node = start;
        while (node instanceof Branch branch) {
            node = branch.children[branch.childFor(text)];
        }
        Leaf leaf = (Leaf) node;
        int at = leaf.lowerBound(text);
        return at < leaf.count && leaf.objects[at].key().text().equals(text) ? leaf.objects[at] : null;
    }

    /** Changes a tree without touching the one it came from. For one thread; useless after {@link #done}. */
    static final class Editor {
        /** Nodes that carry it were made by this editor and nobody else has seen them. */
        private Object owner = new Object();

        private Node root;

        private Editor(Node root) {
            this.root = root;
        }

        Optional<StoredObject> get(ObjectKey key) {
            return Optional.ofNullable(find(root, key.text()));
        }

        /** Puts an object in; what was there before, or null. */
        StoredObject put(StoredObject object) {
            root = root.owned(owner);
            StoredObject before = root.put(owner, object);
            if (root.isOverfull()) {
                Node right = root.split(owner);
                root = new Branch(owner, root, right);
            }
            return before;
        }

        /** Takes an object out; what was there, or null. */
        StoredObject remove(ObjectKey key) {
            if (find(root, key.text()) == null) {
                return null;
            }
            root = root.owned(owner);
            StoredObject removed = root.remove(owner, key.text());
            while (root instanceof Branch branch && branch.count == 1) {
                root = branch.children[0];
            }
            return removed;
        }

        ObjectTree done() {
            owner = null;
            return new ObjectTree(root);
        }
    }

    private abstract static class Node {
        final Object owner;
        int count;

        Node(Object owner, int count) {
            this.owner = owner;
            this.count = count;
        }

        abstract int total();

        abstract String first();

        /** This node if it belongs to the editor, else a copy that does. */
        abstract Node owned(Object editor);

        abstract StoredObject put(Object editor, StoredObject object);

        abstract StoredObject remove(Object editor, String text);

        /** Moves the upper part into a new node, which is returned. */
        abstract Node split(Object editor);

        /** Appends all of the right neighbour. */
        abstract void absorb(Node right);

        /** Arrays have one place more than {@link #WIDTH}, which is taken only until the split that follows. */
        final boolean isOverfull() {
            return count > WIDTH;
        }
    }

    private static final class Leaf extends Node {
        final StoredObject[] objects;

        Leaf(Object owner, StoredObject[] objects, int count) {
            super(owner, count);
            this.objects = objects;
        }

        @Override
        int total() {
            return count;
        }

        @Override
        String first() {
            return objects[0].key().text();
        }

        int lowerBound(String text) {
            int low = 0;
            int high = count;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (objects[middle].key().text().compareTo(text) < 0) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }

        @Override
        Node owned(Object editor) {
            return owner == editor ? this : new Leaf(editor, Arrays.copyOf(objects, WIDTH + 1), count);
        }

        @Override
        StoredObject put(Object editor, StoredObject object) {
            String text = object.key().text();
            int at = lowerBound(text);
            if (at < count && objects[at].key().text().equals(text)) {
                StoredObject before = objects[at];
                objects[at] = object;
                return before;
            }
            System.arraycopy(objects, at, objects, at + 1, count - at);
            objects[at] = object;
            count++;
            return null;
        }

        @Override
        StoredObject remove(Object editor, String text) {
            int at = lowerBound(text);
            StoredObject removed = objects[at];
            System.arraycopy(objects, at + 1, objects, at, count - at - 1);
            objects[--count] = null;
            return removed;
        }

        @Override
        Node split(Object editor) {
            int middle = count / 2;
            StoredObject[] upper = new StoredObject[WIDTH + 1];
            System.arraycopy(objects, middle, upper, 0, count - middle);
            Leaf right = new Leaf(editor, upper, count - middle);
            Arrays.fill(objects, middle, count, null);
            count = middle;
            return right;
        }

        @Override
        void absorb(Node right) {
            System.arraycopy(((Leaf) right).objects, 0, objects, count, right.count);
            count += right.count;
        }
    }

    private static final class Branch extends Node {
        final Node[] children;

        /** The lowest key of each child; that of the first child is not looked at. */
        final String[] firsts;

        int total;

        Branch(Object owner, Node left, Node right) {
            super(owner, 2);
            children = new Node[WIDTH + 1];
            firsts = new String[WIDTH + 1];
            children[0] = left;
            children[1] = right;
            firsts[1] = right.first();
            total = left.total() + right.total();
        }

        private Branch(Object owner, Node[] children, String[] firsts, int count, int total) {
            super(owner, count);
            this.children = children;
            this.firsts = firsts;
            this.total = total;
        }

        @Override
        int total() {
            return total;
        }

        @Override
        String first() {
            return children[0].first();
        }

        /** The last child whose lowest key is not behind the text. */
        int childFor(String text) {
            int low = 1;
            int high = count;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (firsts[middle].compareTo(text) <= 0) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low - 1;
        }

        @Override
        Node owned(Object editor) {
            return owner == editor
                    ? this
                    : new Branch(
                            editor,
                            Arrays.copyOf(children, WIDTH + 1),
                            Arrays.copyOf(firsts, WIDTH + 1),
                            count,
                            total);
        }

        @Override
        StoredObject put(Object editor, StoredObject object) {
            int at = childFor(object.key().text());
            Node child = children[at].owned(editor);
            children[at] = child;
            StoredObject before = child.put(editor, object);
            if (before == null) {
                total++;
            }
            if (child.isOverfull()) {
                insert(at + 1, child.split(editor));
            }
            return before;
        }

        @Override
        StoredObject remove(Object editor, String text) {
            int at = childFor(text);
            Node child = children[at].owned(editor);
            children[at] = child;
            StoredObject removed = child.remove(editor, text);
            total--;
            if (child.count == 0) {
                drop(at);
            } else if (child.count < SMALL) {
                join(editor, at);
            }
            return removed;
        }

        private void join(Object editor, int at) {
            int left = at + 1 < count && children[at].count + children[at + 1].count <= COMFORTABLE ? at : at - 1;
            if (left >= 0 && left + 1 < count && children[left].count + children[left + 1].count <= COMFORTABLE) {
                children[left] = children[left].owned(editor);
                children[left].absorb(children[left + 1]);
                drop(left + 1);
            }
        }

        private void insert(int at, Node child) {
            System.arraycopy(children, at, children, at + 1, count - at);
            System.arraycopy(firsts, at, firsts, at + 1, count - at);
            children[at] = child;
            firsts[at] = child.first();
            count++;
        }

        private void drop(int at) {
            System.arraycopy(children, at + 1, children, at, count - at - 1);
            System.arraycopy(firsts, at + 1, firsts, at, count - at - 1);
            children[--count] = null;
            firsts[count] = null;
        }

        @Override
        Node split(Object editor) {
            int middle = count / 2;
            int moved = count - middle;
            Node[] upper = new Node[WIDTH + 1];
            String[] upperFirsts = new String[WIDTH + 1];
            System.arraycopy(children, middle, upper, 0, moved);
            System.arraycopy(firsts, middle, upperFirsts, 0, moved);
            int upperTotal = 0;
            for (int i = 0; i < moved; i++) {
                upperTotal += upper[i].total();
            }
            Arrays.fill(children, middle, count, null);
            Arrays.fill(firsts, middle, count, null);
            count = middle;
            total -= upperTotal;
            return new Branch(editor, upper, upperFirsts, moved, upperTotal);
        }

        @Override
        void absorb(Node right) {
            Branch other = (Branch) right;
            System.arraycopy(other.children, 0, children, count, other.count);
            System.arraycopy(other.firsts, 0, firsts, count, other.count);
            firsts[count] = other.first();
            count += other.count;
            total += other.total;
        }
    }

    private static final class Range implements Iterator<StoredObject> {
        /** A tree of this depth would hold more objects than memory can. */
        private static final int MAX_DEPTH = 16;

        private final Branch[] path = new Branch[MAX_DEPTH];
        private final int[] places = new int[MAX_DEPTH];
        private final String to;
        private int depth;
        private Leaf leaf;
        private int at;

        Range(Node root, String from, String to) {
            this.to = to;
            Node node = root;
            while (node instanceof Branch branch) {
                path[depth] = branch;
                places[depth] = branch.childFor(from);
                node = branch.children[places[depth]];
                depth++;
            }
            leaf = (Leaf) node;
            at = leaf.lowerBound(from);
            settle();
        }

        /** Moves to the next leaf if this one is used up, and ends at the upper bound. */
        private void settle() {
            while (leaf != null && at >= leaf.count) {
                leaf = nextLeaf();
                at = 0;
            }
            if (leaf != null && leaf.objects[at].key().text().compareTo(to) >= 0) {
                leaf = null;
            }
        }

        private Leaf nextLeaf() {
            int level = depth - 1;
            while (level >= 0 && places[level] + 1 >= path[level].count) {
                level--;
            }
            if (level < 0) {
                return null;
            }
            places[level]++;
            Node node = path[level].children[places[level]];
            while (node instanceof Branch branch) {
                level++;
                path[level] = branch;
                places[level] = 0;
                node = branch.children[0];
            }
            return (Leaf) node;
        }

        @Override
        public boolean hasNext() {
            return leaf != null;
        }

        @Override
        public StoredObject next() {
            if (leaf == null) {
                throw new NoSuchElementException();
            }
            StoredObject object = leaf.objects[at++];
            settle();
            return object;
        }
    }
}
