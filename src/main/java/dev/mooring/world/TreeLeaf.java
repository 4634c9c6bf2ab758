package dev.mooring.world;

import dev.mooring.model.StoredObject;
import java.util.Arrays;

/** A node that holds objects, sorted by key. */
final class TreeLeaf extends TreeNode {
    final StoredObject[] objects;

    TreeLeaf(Object owner, StoredObject[] objects, int count) {
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
    TreeNode owned(Object editor) {
        return owner == editor ? this : new TreeLeaf(editor, Arrays.copyOf(objects, WIDTH + 1), count);
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
    TreeNode split(Object editor) {
        int middle = count / 2;
        StoredObject[] upper = new StoredObject[WIDTH + 1];
        System.arraycopy(objects, middle, upper, 0, count - middle);
        TreeLeaf right = new TreeLeaf(editor, upper, count - middle);
        Arrays.fill(objects, middle, count, null);
        count = middle;
        return right;
    }

    @Override
    void absorb(TreeNode right) {
        System.arraycopy(((TreeLeaf) right).objects, 0, objects, count, right.count);
        count += right.count;
    }
}
