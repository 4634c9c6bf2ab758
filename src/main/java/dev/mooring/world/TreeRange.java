package dev.mooring.world;

import dev.mooring.model.StoredObject;
import java.util.Iterator;
import java.util.NoSuchElementException;

/** Iterates over the objects of a tree whose keys are in a range, in order. */
final class TreeRange implements Iterator<StoredObject> {
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
