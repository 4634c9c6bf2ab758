package dev.mooring.world;

/** A value of an index that applies to one node, so that the entries of a node are adjacent. */
public record NodeValue<V extends Comparable<? super V>>(String node, V value) implements Comparable<NodeValue<V>> {
    /** Returns the entries of a node. */
    public static Index.Entries<NodeValue<String>> entriesOf(String node, Index.Entries<NodeValue<String>> all) {
        return all.range(new NodeValue<>(node, ""), new NodeValue<>(node + '\0', ""));
    }

    @Override
    public int compareTo(NodeValue<V> other) {
        int byNode = node.compareTo(other.node);
        return byNode == 0 ? value.compareTo(other.value) : byNode;
    }
}
