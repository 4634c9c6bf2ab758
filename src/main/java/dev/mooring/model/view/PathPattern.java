package dev.mooring.model.view;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The path of a volume's data below its base: text with variables, {@code ${pvc.namespace}/${pvc.name}}.
 *
 * <p>Invariant: for any values, {@link #expand} returns a relative path of at most {@link #MAX_LENGTH} characters,
 * whose segments consist of ASCII letters, digits, dots, dashes and underscores, and none of which is {@code .},
 * {@code ..} or reserved for Mooring. So no value leads out of the base, and only the pattern, never a value,
 * determines the depth. Symbolic links are handled by the node.
 *
 * <p>Immutable; thread-safe.
 */
public final class PathPattern {
    /** Maximum length of an expanded path. */
    public static final int MAX_LENGTH = 200;

    /** Maximum length of a pattern; with variables it may be longer than its expansion. */
    private static final int MAX_PATTERN_LENGTH = 1024;

    /** Maximum length of an invalid value in a message. */
    private static final int MAX_SHOWN = 63;

    /** Reserved prefixes of segments, case-insensitive, because some file systems are. */
    private static final List<String> RESERVED = List.of(".mooring", "archived-");

    private static final String VARIABLE_START = "${";

    /** The volume's name. */
    public static final PathPattern DEFAULT = new PathPattern("${pv.name}");

    /** A part of a pattern: literal text or a variable. */
    private sealed interface Part {}

    private record Text(String text) implements Part {}

    private record Variable(PathVariable variable) implements Part {}

    private final String pattern;
    private final List<Part> parts = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();

    private PathPattern(String pattern) {
        this.pattern = pattern;
        if (pattern.isEmpty()) {
            problems.add("must not be empty");
        } else if (pattern.length() > MAX_PATTERN_LENGTH) {
            problems.add("must be no more than " + MAX_PATTERN_LENGTH + " characters");
        } else {
            split();
            if (problems.isEmpty()) {
                checkSegments();
            }
        }
    }

    /** Parses a pattern, valid or not: see {@link #problems()}. */
    public static PathPattern parse(String pattern) {
        return pattern.equals(DEFAULT.pattern) ? DEFAULT : new PathPattern(pattern);
    }

    /** Returns the errors that are independent of the values; empty if there are none. */
    public List<String> problems() {
        return List.copyOf(problems);
    }

    private void split() {
        int at = 0;
        while (at < pattern.length()) {
            int start = pattern.indexOf(VARIABLE_START, at);
            int textEnd = start < 0 ? pattern.length() : start;
            if (textEnd > at) {
                text(pattern.substring(at, textEnd));
            }
            if (start < 0) {
                return;
            }
            int end = pattern.indexOf('}', start);
            if (end < 0) {
                problems.add("variable \"" + shown(pattern.substring(start)) + "\" has no closing brace");
                return;
            }
            variable(pattern.substring(start + VARIABLE_START.length(), end));
            at = end + 1;
        }
    }

    private void text(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c != '/' && !isAllowed(c)) {
                problems.add("must consist of variables, letters, digits, '.', '_', '-' and '/', but has " + shown(c));
                return;
            }
        }
        parts.add(new Text(text));
    }

    private void variable(String text) {
        Optional<PathVariable> variable = PathVariable.parse(text);
        if (variable.isEmpty()) {
            problems.add("unknown variable \"" + shown(text) + "\"; expected " + PathVariable.suggestionFor(text));
            return;
        }
        for (String problem : variable.get().problems()) {
            problems.add("variable \"" + shown(text) + "\": " + problem);
        }
        parts.add(new Variable(variable.get()));
    }

    /** Checks segments without values: a variable counts as one ordinary letter. */
    private void checkSegments() {
        StringBuilder likely = new StringBuilder();
        int textLength = 0;
        for (Part part : parts) {
            String text = part instanceof Text each ? each.text() : "";
            textLength += text.length();
            likely.append(text.isEmpty() ? "x" : text);
        }
        if (textLength > MAX_LENGTH) {
            problems.add("must be no more than " + MAX_LENGTH + " characters without the variables");
        }
        pathProblem(likely.toString()).ifPresent(problems::add);
    }

    /** The result of expanding a pattern. */
    public sealed interface Expansion {}

    /** A valid relative path. */
    public record Path(String text) implements Expansion {}

    /**
     * An expansion error.
     *
     * @param variable the invalid variable as in the pattern; the whole pattern if no single variable is invalid
     * @param value the variable's value; "" if it has none
     */
    public record Problem(String variable, String value, String message) implements Expansion {}

    /** Returns the path for one volume, or the error. */
    public Expansion expand(PathValues values) {
        if (!problems.isEmpty()) {
            return new Problem(pattern, "", "pathPattern \"" + shown(pattern) + "\": " + problems.get(0));
        }
        StringBuilder path = new StringBuilder();
        for (Part part : parts) {
            if (part instanceof Text text) {
                path.append(text.text());
            } else if (part instanceof Variable each) {
                Optional<String> value = values.of(each.variable());
                Optional<String> problem = valueProblem(value);
                if (problem.isPresent()) {
                    return unusable(each.variable().toString(), value.orElse(""), problem.get());
                }
                path.append(value.orElseThrow());
            }
        }
        String whole = path.toString();
        if (whole.length() > MAX_LENGTH) {
            return unusable(
                    pattern, whole, "must be no more than " + MAX_LENGTH + " characters, but is " + whole.length());
        }
        return pathProblem(whole)
                .<Expansion>map(problem -> unusable(pattern, whole, problem))
                .orElseGet(() -> new Path(whole));
    }

    private static Problem unusable(String variable, String value, String problem) {
        return new Problem(variable, value, variable + " is \"" + shown(value) + "\": " + problem);
    }

    private static Optional<String> valueProblem(Optional<String> value) {
        if (value.isEmpty()) {
            return Optional.of("not set on the claim");
        }
        if (value.get().isEmpty()) {
            return Optional.of("must not be empty");
        }
        for (int i = 0; i < value.get().length(); i++) {
            if (!isAllowed(value.get().charAt(i))) {
                return Optional.of("must consist of letters, digits, '.', '_' and '-', but has "
                        + shown(value.get().charAt(i)));
            }
        }
        return Optional.empty();
    }

    /** Returns the error of a path that has only allowed characters. */
    private static Optional<String> pathProblem(String path) {
        if (path.startsWith("/")) {
            return Optional.of("must be a relative path");
        }
        for (String segment : path.split("/", -1)) {
            if (segment.isEmpty()) {
                return Optional.of("must not have empty segments");
            }
            if (segment.equals(".") || segment.equals("..")) {
                return Optional.of("must not contain the segment '" + segment + "'");
            }
            String lower = segment.toLowerCase(Locale.ROOT);
            for (String reserved : RESERVED) {
                if (lower.startsWith(reserved)) {
                    return Optional.of("segments must not begin with '" + reserved + "'");
                }
            }
        }
        return Optional.empty();
    }

    private static boolean isAllowed(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '.'
                || c == '_'
                || c == '-';
    }

    private static String shown(char c) {
        return c > ' ' && c < 0x7f ? "'" + c + "'" : String.format(Locale.ROOT, "U+%04X", (int) c);
    }

    /** Returns a value for a message: truncated and without control characters. */
    private static String shown(String value) {
        StringBuilder shown = new StringBuilder();
        for (int i = 0; i < value.length() && i < MAX_SHOWN; i++) {
            char c = value.charAt(i);
            shown.append(Character.isISOControl(c) || Character.isSurrogate(c) ? '?' : c);
        }
        return value.length() > MAX_SHOWN ? shown + "…" : shown.toString();
    }

    @Override
    public String toString() {
        return pattern;
    }
}
