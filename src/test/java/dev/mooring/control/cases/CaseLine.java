package dev.mooring.control.cases;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * One line of a case.
 *
 * @param verb the kind of object, or the action
 * @param words the words that follow; the first one of an object is its name
 * @param after the words after {@code =>}; empty without {@code =>}
 */
public record CaseLine(String verb, List<String> words, Optional<List<String>> after) {
    private static final String SAYS = "says ";

    public CaseLine {
        words = List.copyOf(words);
        after = after.map(List::copyOf);
    }

    static CaseLine parse(String line) {
        int arrow = line.indexOf("=>");
        List<String> words = split(arrow < 0 ? line : line.substring(0, arrow));
        Optional<List<String>> after =
                arrow < 0 ? Optional.empty() : Optional.of(split(line.substring(arrow + "=>".length())));
        return new CaseLine(words.get(0), words.subList(1, words.size()), after);
    }

    private static List<String> split(String text) {
        int says = text.indexOf(SAYS);
        String plain = says < 0 ? text : text.substring(0, says);
        List<String> words = new ArrayList<>(Arrays.asList(plain.strip().split("\\s+")));
        if (says >= 0) {
            words.add(SAYS.strip() + "=" + quoted(text.substring(says)));
        }
        return words;
    }

    /** Returns the text between the first and the last quotation mark. */
    static String quoted(String text) {
        return text.substring(text.indexOf('"') + 1, text.lastIndexOf('"'));
    }

    public String name() {
        return words.get(0);
    }

    /** Returns the kind of the object, or empty if the line is an action. */
    public Optional<String> kind() {
        return kind(verb);
    }

    static Optional<String> kind(String verb) {
        return switch (verb) {
            case "pv" -> Optional.of("PersistentVolume");
            case "pvc" -> Optional.of("PersistentVolumeClaim");
            case "class" -> Optional.of("StorageClass");
            case "node" -> Optional.of("Node");
            case "pod" -> Optional.of("Pod");
            case "actual" -> Optional.of("ActualVolume");
            default -> Optional.empty();
        };
    }

    /** Returns the value of a word such as {@code node=n1}. */
    static Optional<String> value(List<String> words, String field) {
        return words.stream()
                .filter(each -> each.startsWith(field + "="))
                .map(each -> each.substring(field.length() + 1))
                .map(each -> each.equals("\"\"") ? "" : each)
                .reduce((first, last) -> last);
    }

    boolean afterIs(String word) {
        return after.filter(words -> words.get(0).equals(word)).isPresent();
    }
}
