package dev.mooring.control.schedule;

import dev.mooring.model.view.Node;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Collects why nodes are infeasible and formats the message as Kubernetes does: each reason once, with its number of
 * nodes. Not thread-safe.
 */
final class Diagnosis {
    /** Limit of details in a message. */
    private static final int MAX_DETAILS = 3;

    private final int nodes;
    private final Map<String, List<String>> details = new TreeMap<>();
    private final Map<String, Integer> counts = new TreeMap<>();
    private final List<String> notes = new ArrayList<>();
    private final Set<String> topics = new HashSet<>();
    private final List<SchedulingReport.UnsuitableNode> unsuitable = new ArrayList<>();
    private boolean temporary;

    Diagnosis(int nodes) {
        this.nodes = nodes;
    }

    void add(Node node, UnschedulableReason reason) {
        unsuitable.add(
                new SchedulingReport.UnsuitableNode(node.name(), reason.message(), reason.detail(), reason.blocker()));
        counts.merge(reason.message(), 1, Integer::sum);
        List<String> found = details.computeIfAbsent(reason.message(), reasonText -> new ArrayList<>());
        if (!reason.detail().isEmpty() && !found.contains(reason.detail())) {
            found.add(reason.detail());
        }
        topics.addAll(reason.topics());
        temporary |= reason.temporary();
    }

    List<SchedulingReport.UnsuitableNode> unsuitable() {
        return unsuitable;
    }

    /** Adds a sentence after the reasons. */
    void addNote(String sentence) {
        notes.add(sentence);
    }

    Set<String> topics() {
        return topics;
    }

    /** Returns whether a pending decision contributed, so that it is too early to report. */
    boolean isTemporary() {
        return temporary;
    }

    String message() {
        List<String> parts = new ArrayList<>();
        counts.forEach((reason, count) -> parts.add(count + " " + reason + inParentheses(details.get(reason))));
        parts.sort(null);
        StringBuilder message = new StringBuilder(message(nodes, String.join(", ", parts)));
        notes.forEach(remark -> message.append(' ').append(remark));
        return message.toString();
    }

    /** Returns the message for a reason that is independent of the nodes. */
    static String message(int nodes, String reason) {
        return "0/" + nodes + " nodes are available: " + reason + ".";
    }

    private static String inParentheses(List<String> found) {
        if (found.isEmpty()) {
            return "";
        }
        String more = found.size() > MAX_DETAILS ? "; …" : "";
        return " (" + String.join("; ", found.subList(0, Math.min(MAX_DETAILS, found.size()))) + more + ")";
    }
}
