package dev.mooring.control.schedule;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Collects why no node will do, and says it as Kubernetes does: each reason once, with how many nodes it is true of. For one thread. */
final class Diagnosis {
    /** So that the words stay readable where there are many nodes. */
    private static final int MAX_DETAILS = 3;

    private final int nodes;
    private final Map<String, List<String>> details = new TreeMap<>();
    private final Map<String, Integer> counts = new TreeMap<>();
    private final List<String> remarks = new ArrayList<>();
    private final Set<String> topics = new HashSet<>();
    private boolean passing;

    Diagnosis(int nodes) {
        this.nodes = nodes;
    }

    void add(Reason reason) {
        counts.merge(reason.words(), 1, Integer::sum);
        List<String> said = details.computeIfAbsent(reason.words(), words -> new ArrayList<>());
        if (!reason.detail().isEmpty() && !said.contains(reason.detail())) {
            said.add(reason.detail());
        }
        topics.addAll(reason.topics());
        passing |= reason.passing();
    }

    /** A sentence to stand behind the reasons. */
    void remark(String sentence) {
        remarks.add(sentence);
    }

    Set<String> topics() {
        return topics;
    }

    /** Whether something that is being decided had to do with it, so that it is too early to say anything. */
    boolean isPassing() {
        return passing;
    }

    String message() {
        List<String> parts = new ArrayList<>();
        counts.forEach((words, count) -> parts.add(count + " " + words + inBrackets(details.get(words))));
        parts.sort(null);
        StringBuilder message = new StringBuilder(message(nodes, String.join(", ", parts)));
        remarks.forEach(remark -> message.append(' ').append(remark));
        return message.toString();
    }

    /** The same for a reason that has nothing to do with any node. */
    static String message(int nodes, String reason) {
        return "0/" + nodes + " nodes are available: " + reason + ".";
    }

    private static String inBrackets(List<String> said) {
        if (said.isEmpty()) {
            return "";
        }
        String more = said.size() > MAX_DETAILS ? "; …" : "";
        return " (" + String.join("; ", said.subList(0, Math.min(MAX_DETAILS, said.size()))) + more + ")";
    }
}
