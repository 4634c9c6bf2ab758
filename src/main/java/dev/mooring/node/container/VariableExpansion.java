package dev.mooring.node.container;

import java.util.Map;

/** Expands Kubernetes' {@code $(NAME)} in values, commands and arguments. Stateless. */
final class VariableExpansion {
    private static final char OPERATOR = '$';
    private static final char OPENER = '(';
    private static final char CLOSER = ')';

    private VariableExpansion() {}

    /**
     * Expands {@code $(NAME)} to its value, or leaves it unchanged if there is none; {@code $$} becomes {@code $}.
     * Values are not expanded again.
     */
    static String expand(String text, Map<String, String> values) {
        if (text.indexOf(OPERATOR) < 0) {
            return text;
        }
        StringBuilder expanded = new StringBuilder();
        int at = 0;
        while (at < text.length()) {
            char next = at + 1 < text.length() ? text.charAt(at + 1) : 0;
            int closer = text.charAt(at) == OPERATOR && next == OPENER ? text.indexOf(CLOSER, at + 2) : -1;
            if (text.charAt(at) != OPERATOR) {
                expanded.append(text.charAt(at));
                at++;
            } else if (closer >= 0) {
                String value = values.get(text.substring(at + 2, closer));
                expanded.append(value == null ? text.substring(at, closer + 1) : value);
                at = closer + 1;
            } else {
                expanded.append(OPERATOR);
                // The character after an operator belongs to it: the second of two is no operator.
                if (next != 0 && next != OPERATOR) {
                    expanded.append(next);
                }
                at += 2;
            }
        }
        return expanded.toString();
    }
}
