package dev.mooring.world;

import dev.mooring.model.StoredObject;
import java.util.Arrays;

/** A leaf node with objects, sorted by key. */
final class TreeLeaf extends TreeNode {
    final StoredObject[] objects;

    TreeLeaf(Object owner, StoredObject[] objects, int count) {
        this(owner, objects, count, bytes(objects, 0, count));
    }

    private TreeLeaf(Object owner, StoredObject[] objects, int count, long bytes) {
        super(owner, count, bytes);
        this.objects = objects;
    }

    private static long bytes(StoredObject[] objects, int from, int to) {
        long bytes = 0;
        for (int i = from; i < to; i++) {
            bytes += objects[i].bytes();
        }
        return bytes;
    }

    long bytesBefore(int at) {
        return bytes(objects, 0, at);
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
    TreeNode owned(Object editor) {
        return owner == editor ? this : new TreeLeaf(editor, Arrays.copyOf(objects, WIDTH + 1), count, bytes);
    }

    @Override
    StoredObject put(Object editor, StoredObject object) {
        String text = object.key().text();
        int at = lowerBound(text);
        if (at < count && objects[at].key().text().equals(text)) {
            StoredObject before = objects[at];
            objects[at] = object;
            bytes += object.bytes() - before.bytes();
            return before;
        }
        System.arraycopy(objects, at, objects, at + 1, count - at);
        objects[at] = object;
        bytes += object.bytes();
        count++;
        return null;
    }

    @Override
    StoredObject remove(Object editor, String text) {
        int at = lowerBound(text);
        StoredObject removed = objects[at];
        System.arraycopy(objects, at + 1, objects, at, count - at - 1);
        objects[--count] = null;
        bytes -= removed.bytes();
        return removed;
    }

    @Override
    TreeNode split(Object editor) {
        int middle = count / 2;
        StoredObject[] upper = new StoredObject[WIDTH + 1];
        System.arraycopy(objects, middle, upper, 0, count - middle);
        TreeLeaf right = new TreeLeaf(editor, upper, count - middle);
        Arrays.fill(objects, middle, count, null);
        count = middle;
        bytes -= right.bytes;
        return right;
    }

    @Override
    void absorb(TreeNode right) {
        System.arraycopy(((TreeLeaf) right).objects, 0, objects, count, right.count);
        count += right.count;
        bytes += right.bytes;
    }
}
