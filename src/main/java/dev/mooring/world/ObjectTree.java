package dev.mooring.world;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * A sorted map of objects by key that never changes: a B-tree whose updates copy the path they touch and share the rest.
 *
 * <p>Why not a hash map or a red-black tree from a library: lists are ranges of keys, so order is needed; nodes of
 * {@value TreeNode#WIDTH} references cost about six bytes per object instead of forty; and the subtree counts give the size of a range
 * without walking it. An {@link Editor} changes nodes in place that it has made itself, so that a batch, or a replay of a million
 * events, copies each node once.
 */
final class ObjectTree {
    static final ObjectTree EMPTY = new ObjectTree(new TreeLeaf(null, new StoredObject[0], 0));

    private final TreeNode root;

    private ObjectTree(TreeNode root) {
        this.root = root;
    }

    /** A tree of objects that come in the order of their keys, each key once. Costs no comparison but that check. */
    static ObjectTree ofSorted(Iterator<StoredObject> objects) {
        List<TreeNode> nodes = new ArrayList<>();
        StoredObject[] leaf = new StoredObject[TreeNode.WIDTH + 1];
        int count = 0;
        StoredObject last = null;
        while (objects.hasNext()) {
            StoredObject next = objects.next();
            if (last != null && last.key().compareTo(next.key()) >= 0) {
                throw new IllegalArgumentException("Expected " + next.key() + " before " + last.key());
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

    /** How many keys come before this text. */
    int rank(String text) {
        int before = 0;
        TreeNode node = root;
        while (node instanceof TreeBranch branch) {
            int child = branch.childFor(text);
            for (int i = 0; i < child; i++) {
                before += branch.children[i].total();
            }
            node = branch.children[child];
        }
        return before + ((TreeLeaf) node).lowerBound(text);
    }

    /** The objects whose keys are at or after {@code from} and before {@code to}, in order. */
    Iterator<StoredObject> range(String from, String to) {
        return new TreeRange(root, from, to);
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

    /** Changes a tree without touching the one it came from. For one thread; useless after {@link #done}. */
    static final class Editor implements ObjectEdits {
        /** TreeNodes that carry it were made by this editor and nobody else has seen them. */
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
                throw new IllegalStateException(
                        "Expected an editor in use, but it is done: its nodes belong to a tree now");
            }
        }

        @Override
        public ObjectTree done() {
            requireNotDone();
            owner = null;
            return new ObjectTree(root);
        }
    }
}
