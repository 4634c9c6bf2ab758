package dev.mooring.world;

import dev.mooring.model.StoredObject;

/**
 * A node of an {@link ObjectTree}. Modified only by the editor that created it, and immutable once the editor is done.
 */
abstract class TreeNode {
    static final int WIDTH = 32;

    /** A node of at most this size is merged with its neighbour if the result has some room left. */
    static final int SMALL = WIDTH / 4;

    static final int COMFORTABLE = WIDTH * 3 / 4;

    final Object owner;
    int count;

    /** Memory of the objects below, by {@link StoredObject#bytes}. */
    long bytes;

    TreeNode(Object owner, int count, long bytes) {
        this.owner = owner;
        this.count = count;
        this.bytes = bytes;
    }

    abstract int total();

    abstract String first();

    /** Returns this node if it belongs to the editor, otherwise a copy that does. */
    abstract TreeNode owned(Object editor);

    abstract StoredObject put(Object editor, StoredObject object);

    abstract StoredObject remove(Object editor, String text);

    /** Moves the upper part into a new node and returns that. */
    abstract TreeNode split(Object editor);

    /** Appends all entries of the right neighbour. */
    abstract void absorb(TreeNode right);

    /**
     * Returns whether the node must be split. Arrays have one slot more than {@link #WIDTH}, used only until the split.
     */
    final boolean isOverfull() {
        return count > WIDTH;
    }
}
