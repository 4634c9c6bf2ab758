package dev.mooring.volume.subpath;

import dev.mooring.volume.VolumeException;
import java.util.Map;
import java.util.TreeSet;

/** Expands environment variables in {@code subPathExpr}. */
public final class SubPathExpr {
    private static final char OPERATOR = '$';
    private static final char OPENER = '(';
    private static final char CLOSER = ')';

    private SubPathExpr() {}

    /**
     * Replaces $(NAME) with the value of the variable and $$ with $. Values are not expanded again.
     *
     * @throws VolumeException if a variable is missing or empty, or if the result is not a valid subPath
     */
    public static String expand(String expr, Map<String, String> environment) throws VolumeException {
        TreeSet<String> missing = new TreeSet<>();
        StringBuilder text = new StringBuilder();
        int at = 0;
        while (at < expr.length()) {
            char each = expr.charAt(at);
            int closer = isOpening(expr, at) ? expr.indexOf(CLOSER, at + 2) : -1;
            if (closer >= 0) {
                String name = expr.substring(at + 2, closer);
                String value = environment.getOrDefault(name, "");
                if (value.isEmpty()) {
                    missing.add(name);
                }
                text.append(value);
                at = closer + 1;
            } else {
                text.append(each);
                at += isEscape(expr, at) ? 2 : 1;
            }
        }
        if (!missing.isEmpty()) {
            throw VolumeException.clean("MissingValue", "missing value for " + String.join(", ", missing));
        }
        return valid(text.toString());
    }

    private static boolean isOpening(String expr, int at) {
        return expr.startsWith("" + OPERATOR + OPENER, at);
    }

    private static boolean isEscape(String expr, int at) {
        return expr.startsWith("" + OPERATOR + OPERATOR, at);
    }

    private static String valid(String subPath) throws VolumeException {
        String problem = SubPathValidation.problem(subPath).orElse("");
        if (!problem.isEmpty()) {
            throw VolumeException.clean(SubPaths.INVALID, problem);
        }
        return subPath;
    }
}
