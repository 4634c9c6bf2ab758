package dev.mooring.control.protect;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * A node that has a volume.
 *
 * @param node its name, "" if nobody said
 */
public record NodeHold(String node, Way way) {
    /** How it has it. */
    public enum Way {
        MOUNTED("mounted on "),
        UNCERTAIN("perhaps still mounted on "),
        ATTACHED("attached to ");

        private final String text;

        Way(String text) {
            this.text = text;
        }
    }

    /** For people: {@code mounted on nodes n1, n2; attached to node n3}. */
    public static String words(List<NodeHold> holds) {
        List<String> parts = new ArrayList<>();
        for (Way way : Way.values()) {
            TreeSet<String> nodes = new TreeSet<>();
            holds.stream().filter(hold -> hold.way == way).forEach(hold -> nodes.add(hold.node));
            if (!nodes.isEmpty()) {
                parts.add(way.text + Names.counted("node", nodes));
            }
        }
        return String.join("; ", parts);
    }
}
