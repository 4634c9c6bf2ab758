package dev.mooring.model;

import dev.mooring.model.LabelRequirement.Operator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Parses a label selector in a query: {@code tier in (gold,silver),!legacy,rank>3}. For single use; not thread-safe.
 *
 * <p>{@code in} and {@code notin} are operators only after a key; elsewhere they are names. Errors have Kubernetes'
 * wording.
 */
final class LabelSelectorParser {
    private static final String SYMBOLS = "=!(),><";
    private static final String END = "";
    private static final String OPERATORS = Arrays.stream(Operator.values())
            .filter(operator -> operator != Operator.EXISTS && operator != Operator.DOES_NOT_EXIST)
            .map(Operator::text)
            .collect(Collectors.joining(", "));

    private final String text;
    private int position;
    private String token;

    LabelSelectorParser(String text) {
        this.text = text;
        advance();
    }

    List<LabelRequirement> parse() {
        List<LabelRequirement> requirements = new ArrayList<>();
        while (!token.equals(END)) {
            if (!isName() && !token.equals("!")) {
                throw unexpected("!, identifier, or 'end of string'");
            }
            try {
                requirements.add(requirement());
            } catch (SelectorException e) {
                throw new SelectorException("unable to parse requirement: " + e.getMessage());
            }
            if (token.equals(",")) {
                advance();
                if (!isName() && !token.equals("!")) {
                    throw unexpected("identifier after ','");
                }
            } else if (!token.equals(END)) {
                throw unexpected("',' or 'end of string'");
            }
        }
        return requirements;
    }

    private LabelRequirement requirement() {
        boolean negated = token.equals("!");
        if (negated) {
            advance();
        }
        if (!isName()) {
            throw unexpected("identifier");
        }
        String key = token;
        LabelRequirement.problemOfKey("<nil>", key).ifPresent(problem -> {
            throw new SelectorException(problem);
        });
        advance();
        if (negated) {
            return new LabelRequirement(key, Operator.DOES_NOT_EXIST, List.of());
        }
        if (token.equals(END) || token.equals(",")) {
            return new LabelRequirement(key, Operator.EXISTS, List.of());
        }
        Operator operator = operator();
        List<String> values = operator == Operator.IN || operator == Operator.NOT_IN ? values() : List.of(value());
        return new LabelRequirement(key, operator, values);
    }

    private Operator operator() {
        Operator operator = switch (token) {
            case "in" -> Operator.IN;
            case "notin" -> Operator.NOT_IN;
            case "=" -> Operator.EQUALS;
            case "==" -> Operator.DOUBLE_EQUALS;
            case "!=" -> Operator.NOT_EQUALS;
            case ">" -> Operator.GREATER_THAN;
            case "<" -> Operator.LESS_THAN;
            default -> throw unexpected(OPERATORS);
        };
        advance();
        return operator;
    }

    private String value() {
        if (token.equals(END) || token.equals(",")) {
            return "";
        }
        if (!isName()) {
            throw unexpected("identifier");
        }
        String value = token;
        advance();
        return value;
    }

    /** Parses a list of values; the text between two commas, or between a comma and a parenthesis, may be empty. */
    private List<String> values() {
        if (!token.equals("(")) {
            throw new SelectorException("found '" + token + "' expected: '('");
        }
        advance();
        if (!isName() && !token.equals(",") && !token.equals(")")) {
            throw unexpected("',', ')' or identifier");
        }
        SortedSet<String> values = new TreeSet<>();
        while (true) {
            if (isName()) {
                values.add(token);
                advance();
                if (!token.equals(",") && !token.equals(")")) {
                    throw unexpected("',' or ')'");
                }
            } else if (token.equals(",") || token.equals(")")) {
                values.add("");
            } else {
                throw unexpected("',', or identifier");
            }
            boolean last = token.equals(")");
            advance();
            if (last) {
                return List.copyOf(values);
            }
        }
    }

    private boolean isName() {
        return !token.equals(END) && SYMBOLS.indexOf(token.charAt(0)) < 0;
    }

    private SelectorException unexpected(String expected) {
        return new SelectorException("found '" + token + "', expected: " + expected);
    }

    private void advance() {
        while (position < text.length() && isSpace(text.charAt(position))) {
            position++;
        }
        int start = position;
        if (start == text.length()) {
            token = END;
            return;
        }
        if (SYMBOLS.indexOf(text.charAt(start)) >= 0) {
            boolean two = text.startsWith("==", start) || text.startsWith("!=", start);
            position += two ? 2 : 1;
        } else {
            while (position < text.length()
                    && !isSpace(text.charAt(position))
                    && SYMBOLS.indexOf(text.charAt(position)) < 0) {
                position++;
            }
        }
        token = text.substring(start, position);
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\n';
    }
}
