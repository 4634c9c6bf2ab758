package dev.mooring.world;

import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Finds the differences of two trees in a scope. Nodes that both trees share are skipped, so the cost for a tree and an
 * edited copy is proportional to the edits.
 *
 * <p>Walks both trees in key order. Each side is a stack whose elements, nodes or objects, cover the rest of the scope;
 * a node is replaced by its content only if the other side does not have the same node.
 */
final class TreeDiff {
    private final Scope scope;
    private final List<World.Difference> found = new ArrayList<>();

    private TreeDiff(Scope scope) {
        this.scope = scope;
    }

    static List<World.Difference> of(TreeNode before, TreeNode after, Scope scope) {
        TreeDiff diff = new TreeDiff(scope);
        diff.walk(before, after);
        return diff.found;
    }

    private void walk(TreeNode beforeRoot, TreeNode afterRoot) {
        Deque<Object> before = new ArrayDeque<>();
        Deque<Object> after = new ArrayDeque<>();
        before.push(beforeRoot);
        after.push(afterRoot);
        while (!before.isEmpty() || !after.isEmpty()) {
            step(before, after);
        }
    }

    @SuppressWarnings("ReferenceEquality") // a shared node or object is the same instance
    private void step(Deque<Object> before, Deque<Object> after) {
        Object left = before.peek();
        Object right = after.peek();
        if (left == right) {
            before.pop();
            after.pop();
        } else if (left instanceof TreeNode node && !(right instanceof TreeNode second && isFirst(second, node))) {
            expand(before, node);
        } else if (right instanceof TreeNode node) {
            expand(after, node);
        } else {
            compare(before, after);
        }
    }

    /**
     * Returns whether a node is to be expanded before another one: the one that begins earlier, and of two that begin
     * with the same key the larger one, so that the other may be met again inside it.
     */
    private static boolean isFirst(TreeNode one, TreeNode another) {
        if (one.total() == 0 || another.total() == 0) {
            return one.total() == 0;
        }
        int order = one.first().compareTo(another.first());
        return order < 0 || (order == 0 && one.total() > another.total());
    }

    private void expand(Deque<Object> stack, TreeNode node) {
        stack.pop();
        if (node instanceof TreeBranch branch) {
            for (int i = branch.childFor(scope.to()); i >= branch.childFor(scope.from()); i--) {
                stack.push(branch.children[i]);
            }
        } else if (node instanceof TreeLeaf leaf) {
            for (int i = leaf.lowerBound(scope.to()) - 1; i >= leaf.lowerBound(scope.from()); i--) {
                stack.push(leaf.objects[i]);
            }
        }
    }

    private void compare(Deque<Object> before, Deque<Object> after) {
        StoredObject left = (StoredObject) before.peek();
        StoredObject right = (StoredObject) after.peek();
        int order = left == null ? 1 : right == null ? -1 : left.key().compareTo(right.key());
        if (order <= 0) {
            before.pop();
        }
        if (order >= 0) {
            after.pop();
        }
        if (order != 0 || !left.equals(right)) {
            found.add(new World.Difference(
                    Optional.ofNullable(order <= 0 ? left : null), Optional.ofNullable(order >= 0 ? right : null)));
        }
    }
}
