package dev.mooring.world;

import dev.mooring.model.StoredObject;

/** A node of an {@link ObjectTree}. Changed only by the editor that made it, and never once the editor is done. */
abstract class TreeNode {
    static final int WIDTH = 32;

    /** A node that has become this small is joined with its neighbour if both fit into one with some room left. */
    static final int SMALL = WIDTH / 4;

    static final int COMFORTABLE = WIDTH * 3 / 4;

    final Object owner;
    int count;

    TreeNode(Object owner, int count) {
        this.owner = owner;
        this.count = count;
    }

    abstract int total();

    abstract String first();

    /** This node if it belongs to the editor, else a copy that does. */
    abstract TreeNode owned(Object editor);

    abstract StoredObject put(Object editor, StoredObject object);

    abstract StoredObject remove(Object editor, String text);

    /** Moves the upper part into a new node, which is returned. */
    abstract TreeNode split(Object editor);

    /** Appends all of the right neighbour. */
    abstract void absorb(TreeNode right);

    /** Arrays have one place more than {@link #WIDTH}, which is taken only until the split that follows. */
    final boolean isOverfull() {
        return count > WIDTH;
    }
}
