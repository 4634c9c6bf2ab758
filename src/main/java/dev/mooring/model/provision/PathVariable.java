package dev.mooring.model.provision;

import dev.mooring.model.select.LabelSyntax;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A variable of a {@link PathPattern}. Immutable.
 *
 * @param key of the label or annotation; "" for all others
 */
record PathVariable(Kind kind, String key) {
    /** What a variable can stand for. */
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

        /** As a user would write it. */
        private String example() {
            return hasKey() ? text + "['KEY']" : text;
        }
    }

    private static final String OPEN = "['";
    private static final String CLOSE = "']";

    /** The variable that is written between the braces; nothing if there is none of that name. */
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

    /** What is wrong with the key of a label or an annotation. */
    List<String> problems() {
        return kind.hasKey() ? LabelSyntax.problemsOfKey(key) : List.of();
    }

    /** What somebody probably meant who wrote something that is no variable, among them the names other provisioners use. */
    static String meantBy(String text) {
        String plain = text.replace(".metadata.", ".");
        plain = plain.startsWith(".") ? plain.substring(1) : plain;
        for (Kind kind : Kind.values()) {
            if (kind.hasKey() && plain.toLowerCase(Locale.ROOT).startsWith(kind.text)) {
                return kind.example();
            }
        }
        return NearestName.to(plain, examples()).orElseGet(() -> String.join(", ", examples()));
    }

    private static List<String> examples() {
        List<String> examples = new ArrayList<>();
        for (Kind each : Kind.values()) {
            examples.add(each.example());
        }
        return examples;
    }

    /** As it stands in a pattern. */
    @Override
    public String toString() {
        return "${" + kind.text + (kind.hasKey() ? OPEN + key + CLOSE : "") + '}';
    }
}
