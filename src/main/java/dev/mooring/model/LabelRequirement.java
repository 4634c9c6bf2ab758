package dev.mooring.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * One requirement on one label. Immutable; keys and values are valid.
 *
 * @param values sorted if parsed; otherwise in the given order
 */
public record LabelRequirement(String key, Operator operator, List<String> values) {

    /** Operators, in the order of Kubernetes' error messages. */
    public enum Operator {
        IN("in"),
        NOT_IN("notin"),
        EQUALS("="),
        DOUBLE_EQUALS("=="),
        NOT_EQUALS("!="),
        GREATER_THAN("gt"),
        LESS_THAN("lt"),
        EXISTS("exists"),
        DOES_NOT_EXIST("!");

        private final String text;

        Operator(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    public LabelRequirement {
        values = List.copyOf(values);
        List<String> problems = new ArrayList<>(0);
        problemOfKey("key", key).ifPresent(problems::add);
        switch (operator) {
            case IN, NOT_IN -> {
                if (values.isEmpty()) {
                    problems.add("values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty");
                }
            }
            case EQUALS, DOUBLE_EQUALS, NOT_EQUALS ->
                requireOne(values, "exact-match compatibility requires one single value", problems);
            case GREATER_THAN, LESS_THAN -> {
                requireOne(values, "for 'Gt', 'Lt' operators, exactly one value is required", problems);
                for (int i = 0; i < values.size(); i++) {
                    if (number(values.get(i)).isEmpty()) {
                        problems.add(invalid("values[" + i + "]", values.get(i))
                                + "for 'Gt', 'Lt' operators, the value must be an integer");
                    }
                }
            }
            case EXISTS, DOES_NOT_EXIST -> {
                if (!values.isEmpty()) {
                    problems.add("values: Invalid value: " + quoted(values)
                            + ": values set must be empty for exists and does not exist");
                }
            }
        }
        for (int i = 0; i < values.size(); i++) {
            List<String> wrong = LabelSyntax.problemsOfValue(values.get(i));
            if (!wrong.isEmpty()) {
                problems.add(invalid("values[" + i + "][" + key + "]", values.get(i)) + String.join("; ", wrong));
            }
        }
        if (!problems.isEmpty()) {
            throw new SelectorException(
                    problems.size() == 1 ? problems.get(0) : "[" + String.join(", ", problems) + "]");
        }
    }

    private static void requireOne(List<String> values, String rule, List<String> problems) {
        if (values.size() != 1) {
            problems.add("values: Invalid value: " + quoted(values) + ": " + rule);
        }
    }

    private static String quoted(List<String> values) {
        List<String> each = new ArrayList<>();
        values.forEach(value -> each.add('"' + value + '"'));
        return "[" + String.join(",", each) + "]";
    }

    static Optional<String> problemOfKey(String field, String key) {
        List<String> wrong = LabelSyntax.problemsOfKey(key);
        return wrong.isEmpty() ? Optional.empty() : Optional.of(invalid(field, key) + String.join("; ", wrong));
    }

    private static String invalid(String field, String value) {
        return field + ": Invalid value: \"" + value + "\": ";
    }

    private static Optional<Long> number(String text) {
        try {
            return Optional.of(Long.parseLong(text));
        } catch (NumberFormatException expected) {
            return Optional.empty();
        }
    }

    /**
     * @param value of the label with this key, or null if there is none; not an Optional, because this is a hot path
     */
    boolean accepts(String value) {
        return switch (operator) {
            case IN, EQUALS, DOUBLE_EQUALS -> value != null && values.contains(value);
            case NOT_IN, NOT_EQUALS -> value == null || !values.contains(value);
            case EXISTS -> value != null;
            case DOES_NOT_EXIST -> value == null;
            case GREATER_THAN -> value != null && compare(value) > 0;
            case LESS_THAN -> value != null && compare(value) < 0;
        };
    }

    /** Compares the label's value; zero, which satisfies neither comparison, if it is not a number. */
    private int compare(String value) {
        return number(value)
                .map(number -> Long.compare(number, Long.parseLong(values.get(0))))
                .orElse(0);
    }

    /** Returns the requirement as Kubernetes prints it, which can be parsed again. */
    @Override
    public String toString() {
        List<String> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        String listed = String.join(",", sorted);
        return switch (operator) {
            case EXISTS -> key;
            case DOES_NOT_EXIST -> '!' + key;
            case GREATER_THAN -> key + '>' + listed;
            case LESS_THAN -> key + '<' + listed;
            case IN, NOT_IN -> key + ' ' + operator.text + " (" + listed + ')';
            case EQUALS, DOUBLE_EQUALS, NOT_EQUALS -> key + operator.text + listed;
        };
    }
}
