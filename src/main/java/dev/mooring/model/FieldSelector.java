package dev.mooring.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A field selector; all requirements must match: {@code spec.nodeName=n1,status.phase!=Failed}. Immutable.
 * {@link Selection} maps the fields to paths.
 *
 * @param requirements in the order of the text
 */
public record FieldSelector(List<Requirement> requirements) {

    private static final FieldSelector EVERYTHING = new FieldSelector(List.of());

    public enum Operator {
        EQUALS("="),
        NOT_EQUALS("!=");

        private final String text;

        Operator(String text) {
            this.text = text;
        }
    }

    public record Requirement(String field, Operator operator, String value) {
        boolean accepts(String found) {
            return found.equals(value) == (operator == Operator.EQUALS);
        }

        @Override
        public String toString() {
            return field
                    + operator.text
                    + value.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=");
        }
    }

    public FieldSelector {
        requirements = List.copyOf(requirements);
    }

    public static FieldSelector everything() {
        return EVERYTHING;
    }

    /**
     * Parses {@code k=v,k==v,k!=v}. In a value, commas, equals signs and backslashes are escaped with a backslash.
     *
     * @throws SelectorException if the text is invalid
     */
    public static FieldSelector parse(String text) {
        List<String> terms = terms(text);
        Collections.sort(terms);
        List<Requirement> requirements = new ArrayList<>(terms.size());
        for (String term : terms) {
            if (!term.isEmpty()) {
                requirements.add(requirement(term, text));
            }
        }
        return requirements.isEmpty() ? EVERYTHING : new FieldSelector(requirements);
    }

    public boolean isEverything() {
        return requirements.isEmpty();
    }

    private static List<String> terms(String text) {
        List<String> terms = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\') {
                i++;
            } else if (c == ',') {
                terms.add(text.substring(start, i));
                start = i + 1;
            }
        }
        terms.add(text.substring(start));
        return terms;
    }

    private static Requirement requirement(String term, String selector) {
        int equals = term.indexOf('=');
        if (equals < 0) {
            throw new SelectorException("invalid selector: '" + selector + "'; can't understand '" + term + "'");
        }
        if (equals > 0 && term.charAt(equals - 1) == '!') {
            return new Requirement(
                    term.substring(0, equals - 1), Operator.NOT_EQUALS, unescaped(term.substring(equals + 1)));
        }
        int value = term.startsWith("==", equals) ? equals + 2 : equals + 1;
        return new Requirement(term.substring(0, equals), Operator.EQUALS, unescaped(term.substring(value)));
    }

    private static String unescaped(String value) {
        StringBuilder plain = new StringBuilder(value.length());
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '\\') {
                int next = ++i == value.length() ? -1 : value.codePointAt(i);
                if (next != '\\' && next != ',' && next != '=') {
                    throw new SelectorException("invalid field selector: invalid escape sequence: \\"
                            + (next < 0 ? "" : Character.toString(next)));
                }
                c = (char) next;
            } else if (c == ',' || c == '=') {
                // Kubernetes shows the character's number, too.
                throw new SelectorException("invalid field selector: unescaped character in value: " + (int) c);
            }
            plain.append(c);
        }
        return plain.toString();
    }

    /** Returns the selector as Kubernetes prints it, which can be parsed again. */
    @Override
    public String toString() {
        List<String> each = new ArrayList<>(requirements.size());
        requirements.forEach(requirement -> each.add(requirement.toString()));
        return String.join(",", each);
    }
}
