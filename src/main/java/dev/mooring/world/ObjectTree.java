package dev.mooring.world;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * An immutable sorted map of objects by key: a B-tree whose updates copy the path they touch and share the rest.
 *
 * <p>Why not a hash map or a red-black tree from a library: lists are ranges of keys, so order is needed; nodes of
 * {@value TreeNode#WIDTH} references cost about six bytes per object instead of forty; and the subtree counts give the
 * size of a range without walking it. An {@link Editor} changes its own nodes in place, so that a batch, or a replay of
 * a million events, copies each node once.
 */
final class ObjectTree {
    static final ObjectTree EMPTY = new ObjectTree(new TreeLeaf(null, new StoredObject[0], 0));

    private final TreeNode root;

    private ObjectTree(TreeNode root) {
        this.root = root;
    }

    /** Builds a tree from objects in strictly ascending key order. Compares keys only to verify the order. */
    static ObjectTree ofSorted(Iterator<StoredObject> objects) {
        List<TreeNode> nodes = new ArrayList<>();
        StoredObject[] leaf = new StoredObject[TreeNode.WIDTH + 1];
        int count = 0;
        StoredObject last = null;
        while (objects.hasNext()) {
            StoredObject next = objects.next();
            if (last != null && last.key().compareTo(next.key()) >= 0) {
                throw new IllegalArgumentException(
                        "Objects must be in ascending key order, got " + next.key() + " after " + last.key());
            }
            if (count == TreeNode.COMFORTABLE) {
                nodes.add(new TreeLeaf(null, leaf, count));
                leaf = new StoredObject[TreeNode.WIDTH + 1];
                count = 0;
            }
            leaf[count++] = next;
            last = next;
        }
        if (last == null) {
            return EMPTY;
        }
        nodes.add(new TreeLeaf(null, leaf, count));
        while (nodes.size() > 1) {
            nodes = TreeBranch.above(nodes);
        }
        return new ObjectTree(nodes.get(0));
    }

    int size() {
        return root.total();
    }

    Optional<StoredObject> get(ObjectKey key) {
        return Optional.ofNullable(find(root, key.text()));
    }

    long bytes() {
        return root.bytes;
    }

    /** Returns the number of keys before this text. */
    int rank(String text) {
        return before(root, text).objects();
    }

    WorldUsage usage(Scope scope) {
        return usage(root, scope);
    }

    private static WorldUsage usage(TreeNode root, Scope scope) {
        return before(root, scope.to()).minus(before(root, scope.from()));
    }

    /** Returns the usage of the objects whose keys are before this text. */
    private static WorldUsage before(TreeNode root, String text) {
        int objects = 0;
        long bytes = 0;
        TreeNode node = root;
        while (node instanceof TreeBranch branch) {
            int child = branch.childFor(text);
            for (int i = 0; i < child; i++) {
                objects += branch.children[i].total();
                bytes += branch.children[i].bytes;
            }
            node = branch.children[child];
        }
        TreeLeaf leaf = (TreeLeaf) node;
        int at = leaf.lowerBound(text);
        return new WorldUsage(objects + at, bytes + leaf.bytesBefore(at));
    }

    /** Returns the objects whose keys are at or after {@code from} and before {@code to}, in order. */
    Iterator<StoredObject> range(String from, String to) {
        return new TreeRange(root, from, to);
    }

    /** Returns the objects of a scope that another tree has in addition, lacks, or has with another content. */
    List<World.Difference> differences(ObjectTree other, Scope scope) {
        return TreeDiff.of(root, other.root, scope);
    }

    Editor edit() {
        return new Editor(root);
    }

    private static StoredObject find(TreeNode start, String text) {
        TreeNode node = start;
        while (node instanceof TreeBranch branch) {
            node = branch.children[branch.childFor(text)];
        }
        TreeLeaf leaf = (TreeLeaf) node;
        int at = leaf.lowerBound(text);
        return at < leaf.count && leaf.objects[at].key().text().equals(text) ? leaf.objects[at] : null;
    }

    /** Edits a copy of a tree. Not thread-safe; must not be used after {@link #done}. */
    static final class Editor implements ObjectEdits {
        /** Marks the nodes that this editor created and that no other object refers to. */
        private Object owner = new Object();

        private TreeNode root;

        private Editor(TreeNode root) {
            this.root = root;
        }

        @Override
        public Optional<StoredObject> get(ObjectKey key) {
            return Optional.ofNullable(find(root, key.text()));
        }

        @Override
        public WorldUsage usage(Scope scope) {
            return ObjectTree.usage(root, scope);
        }

        @Override
        public StoredObject put(StoredObject object) {
            requireNotDone();
            root = root.owned(owner);
            StoredObject before = root.put(owner, object);
            if (root.isOverfull()) {
                TreeNode right = root.split(owner);
                root = new TreeBranch(owner, root, right);
            }
            return before;
        }

        @Override
        public StoredObject remove(ObjectKey key) {
            requireNotDone();
            if (find(root, key.text()) == null) {
                return null;
            }
            root = root.owned(owner);
            StoredObject removed = root.remove(owner, key.text());
            while (root instanceof TreeBranch branch && branch.count == 1) {
                root = branch.children[0];
            }
            return removed;
        }

        private void requireNotDone() {
            if (owner == null) {
                throw new IllegalStateException("Editor is done: its nodes belong to a tree now");
            }
        }

        @Override
        public ObjectTree done() {
            requireNotDone();
            owner = null;
            return new ObjectTree(root);
        }
    }

    /** Iterates over the objects of a tree whose keys are in a range, in order. */
    private static final class TreeRange implements Iterator<StoredObject> {
        /** Maximum depth; a deeper tree would hold more objects than memory can. */
        private static final int MAX_DEPTH = 16;

        private final TreeBranch[] path = new TreeBranch[MAX_DEPTH];
        private final int[] places = new int[MAX_DEPTH];
        private final String to;
        private int depth;
        private TreeLeaf leaf;
        private int at;

        TreeRange(TreeNode root, String from, String to) {
            this.to = to;
            TreeNode node = root;
            while (node instanceof TreeBranch branch) {
                path[depth] = branch;
                places[depth] = branch.childFor(from);
                node = branch.children[places[depth]];
                depth++;
            }
            leaf = (TreeLeaf) node;
            at = leaf.lowerBound(from);
            settle();
        }

        /** Moves to the next leaf if this one is exhausted, and ends at the upper bound. */
        private void settle() {
            while (leaf != null && at >= leaf.count) {
                leaf = nextLeaf();
                at = 0;
            }
            if (leaf != null && leaf.objects[at].key().text().compareTo(to) >= 0) {
                leaf = null;
            }
        }

        private TreeLeaf nextLeaf() {
            int level = depth - 1;
            while (level >= 0 && places[level] + 1 >= path[level].count) {
                level--;
            }
            if (level < 0) {
                return null;
            }
            places[level]++;
            TreeNode node = path[level].children[places[level]];
            while (node instanceof TreeBranch branch) {
                level++;
                path[level] = branch;
                places[level] = 0;
                node = branch.children[0];
            }
            return (TreeLeaf) node;
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
