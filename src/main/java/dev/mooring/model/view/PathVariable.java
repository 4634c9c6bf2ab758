package dev.mooring.model.view;

import dev.mooring.model.LabelSyntax;
import dev.mooring.model.NearestMatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;

/**
 * A variable of a {@link PathPattern}. Immutable.
 *
 * @param key of the label or annotation; "" for other kinds
 */
record PathVariable(Kind kind, String key) {
    /** Kind of a variable. */
    enum Kind {
        VOLUME("pv.name"),
        NAMESPACE("pvc.namespace"),
        CLAIM("pvc.name"),
        UID("pvc.uid"),
        LABEL("pvc.labels"),
        ANNOTATION("pvc.annotations");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        boolean hasKey() {
            return this == LABEL || this == ANNOTATION;
        }

        /** Returns an example for messages. */
        private String example() {
            return hasKey() ? text + "['KEY']" : text;
        }
    }

    private static final String OPEN = "['";
    private static final String CLOSE = "']";

    /** Parses the text between the braces; empty if there is no such variable. */
    static Optional<PathVariable> parse(String text) {
        for (Kind kind : Kind.values()) {
            if (!kind.hasKey() && text.equals(kind.text)) {
                return Optional.of(new PathVariable(kind, ""));
            }
            int start = kind.text.length() + OPEN.length();
            int end = text.length() - CLOSE.length();
            if (kind.hasKey() && start <= end && text.startsWith(kind.text + OPEN) && text.endsWith(CLOSE)) {
                return Optional.of(new PathVariable(kind, text.substring(start, end)));
            }
        }
        return Optional.empty();
    }

    /** Returns the errors of the key of a label or annotation. */
    List<String> problems() {
        return kind.hasKey() ? LabelSyntax.problemsOfKey(key) : List.of();
    }

    /** Suggests a variable for an unknown one, including the names that other provisioners use. */
    static String suggestionFor(String text) {
        String plain = text.replace(".metadata.", ".");
        plain = plain.startsWith(".") ? plain.substring(1) : plain;
        for (Kind kind : Kind.values()) {
            if (kind.hasKey() && plain.toLowerCase(Locale.ROOT).startsWith(kind.text)) {
                return kind.example();
            }
        }
        return NearestMatch.ignoringCase(plain, new TreeSet<>(examples()))
                .orElseGet(() -> String.join(", ", examples()));
    }

    private static List<String> examples() {
        List<String> examples = new ArrayList<>();
        for (Kind each : Kind.values()) {
            examples.add(each.example());
        }
        return examples;
    }

    /** Returns the variable as in a pattern. */
    @Override
    public String toString() {
        return "${" + kind.text + (kind.hasKey() ? OPEN + key + CLOSE : "") + '}';
    }
}
