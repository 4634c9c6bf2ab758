package dev.mooring.world;

import dev.mooring.model.StoredObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** An inner node, with the number of objects below it. */
final class TreeBranch extends TreeNode {
    final TreeNode[] children;

    /** The lowest key of each child; that of the first child is not used. */
    final String[] firsts;

    int total;

    TreeBranch(Object owner, TreeNode left, TreeNode right) {
        super(owner, 2, left.bytes + right.bytes);
        children = new TreeNode[WIDTH + 1];
        firsts = new String[WIDTH + 1];
        children[0] = left;
        children[1] = right;
        firsts[1] = right.first();
        total = left.total() + right.total();
    }

    private TreeBranch(Object owner, TreeNode[] children, String[] firsts, int count, int total, long bytes) {
        super(owner, count, bytes);
        this.children = children;
        this.firsts = firsts;
        this.total = total;
    }

    /** Builds the branches above ordered nodes. The last one may be small. */
    static List<TreeNode> above(List<TreeNode> nodes) {
        List<TreeNode> branches = new ArrayList<>();
        for (int from = 0; from < nodes.size(); from += COMFORTABLE) {
            List<TreeNode> below = nodes.subList(from, Math.min(from + COMFORTABLE, nodes.size()));
            TreeNode[] children = below.toArray(new TreeNode[WIDTH + 1]);
            String[] firsts = new String[WIDTH + 1];
            int total = 0;
            long bytes = 0;
            for (int i = 0; i < below.size(); i++) {
                firsts[i] = children[i].first();
                total += children[i].total();
                bytes += children[i].bytes;
            }
            branches.add(new TreeBranch(null, children, firsts, below.size(), total, bytes));
        }
        return branches;
    }

    @Override
    int total() {
        return total;
    }

    @Override
    String first() {
        return children[0].first();
    }

    /** Returns the last child whose lowest key is not after the text. */
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
    TreeNode owned(Object editor) {
        return owner == editor
                ? this
                : new TreeBranch(
                        editor,
                        Arrays.copyOf(children, WIDTH + 1),
                        Arrays.copyOf(firsts, WIDTH + 1),
                        count,
                        total,
                        bytes);
    }

    @Override
    StoredObject put(Object editor, StoredObject object) {
        int at = childFor(object.key().text());
        TreeNode child = children[at].owned(editor);
        children[at] = child;
        StoredObject before = child.put(editor, object);
        bytes += object.bytes();
        if (before == null) {
            total++;
        } else {
            bytes -= before.bytes();
        }
        if (child.isOverfull()) {
            insert(at + 1, child.split(editor));
        }
        return before;
    }

    @Override
    StoredObject remove(Object editor, String text) {
        int at = childFor(text);
        TreeNode child = children[at].owned(editor);
        children[at] = child;
        StoredObject removed = child.remove(editor, text);
        total--;
        bytes -= removed.bytes();
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

    private void insert(int at, TreeNode child) {
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
    TreeNode split(Object editor) {
        int middle = count / 2;
        int moved = count - middle;
        TreeNode[] upper = new TreeNode[WIDTH + 1];
        String[] upperFirsts = new String[WIDTH + 1];
        System.arraycopy(children, middle, upper, 0, moved);
        System.arraycopy(firsts, middle, upperFirsts, 0, moved);
        int upperTotal = 0;
        long upperBytes = 0;
        for (int i = 0; i < moved; i++) {
            upperTotal += upper[i].total();
            upperBytes += upper[i].bytes;
        }
        Arrays.fill(children, middle, count, null);
        Arrays.fill(firsts, middle, count, null);
        count = middle;
        total -= upperTotal;
        bytes -= upperBytes;
        return new TreeBranch(editor, upper, upperFirsts, moved, upperTotal, upperBytes);
    }

    @Override
    void absorb(TreeNode right) {
        TreeBranch other = (TreeBranch) right;
        System.arraycopy(other.children, 0, children, count, other.count);
        System.arraycopy(other.firsts, 0, firsts, count, other.count);
        firsts[count] = other.first();
        count += other.count;
        total += other.total;
        bytes += other.bytes;
    }
}
