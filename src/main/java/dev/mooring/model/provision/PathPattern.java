package dev.mooring.model.provision;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Where below its base the data of a volume is made: text with variables, {@code ${pvc.namespace}/${pvc.name}}.
 *
 * <p>Invariant: whatever the values, what {@link #expand} gives is relative, at most {@link #MAX_LENGTH} long, and of segments that are made of
 * letters, digits, dots, dashes and underscores of ASCII, none of them {@code .}, {@code ..} or one of those that Mooring keeps for itself. So
 * no value leads out of the base, and only the pattern, never a value, decides how deep below it the data lies. Links in the file system are
 * the node's to look after.
 *
 * <p>Immutable; any thread.
 */
public final class PathPattern {
    /** Of the whole expanded path. */
    public static final int MAX_LENGTH = 200;

    /** Of a pattern; with variables it may be longer than what it becomes. */
    private static final int MAX_PATTERN_LENGTH = 1024;

    /** How much of a value that is not good is shown. */
    private static final int MAX_SHOWN = 63;

    /** What segments may not begin with, in whatever case: some file systems do not tell. */
    private static final List<String> RESERVED = List.of(".mooring", "archived-");

    private static final String VARIABLE_START = "${";

    /** Each volume under its own name. */
    public static final PathPattern DEFAULT = new PathPattern("${pv.name}");

    /** A part of a pattern: text as it is, or a variable. */
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

    /** What is written there, right or wrong: see {@link #problems()}. */
    public static PathPattern parse(String pattern) {
        return pattern.equals(DEFAULT.pattern) ? DEFAULT : new PathPattern(pattern);
    }

    /** What is wrong with it whatever the values; empty if nothing is. */
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
            problems.add("unknown variable \"" + shown(text) + "\"; expected " + PathVariable.meantBy(text));
            return;
        }
        for (String problem : variable.get().problems()) {
            problems.add("variable \"" + shown(text) + "\": " + problem);
        }
        parts.add(new Variable(variable.get()));
    }

    /** Looks at what can be said before there are values: a variable is at least one letter that is not special. */
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

    /** What came of a pattern and values. */
    public sealed interface Expansion {}

    /** A relative path that may be used below any base. */
    public record Path(String text) implements Expansion {}

    /**
     * The values make no path that may be used.
     *
     * @param variable the one at fault, as it stands in the pattern; the whole pattern if it is none in particular
     * @param value what it stands for, "" if for nothing
     */
    public record Problem(String variable, String value, String message) implements Expansion {}

    /** The path for one volume, or why there is none. */
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
            return Optional.of("the claim does not have it");
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

    /** What is wrong with a path of characters that are allowed. */
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

    /** A value as it may stand in a message: not too long, and nothing in it that does things to a terminal. */
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
