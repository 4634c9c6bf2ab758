package dev.mooring.model.view;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Validation of single parameter values. Each check returns the end of an error message; empty if the value is valid.
 * Pure; thread-safe.
 */
final class ParameterChecks {
    private static final int MAX_PATH_LENGTH = 1024;
    private static final int MAX_HOST_LENGTH = 253;
    private static final int MAX_ID_DIGITS = 10;
    private static final int MODE_DIGITS = 3;

    private ParameterChecks() {}

    static Optional<String> oneOf(String value, Set<String> allowed) {
        return check(allowed.contains(value), "must be one of " + String.join(", ", allowed));
    }

    static Optional<String> pattern(String value) {
        List<String> problems = PathPattern.parse(value).problems();
        return problems.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", problems));
    }

    /** Validates permissions: three octal digits, optionally after a zero; no setuid, setgid or sticky bits. */
    static Optional<String> mode(String value) {
        boolean zero = value.length() == MODE_DIGITS + 1 && value.startsWith("0");
        boolean digits = value.chars().allMatch(c -> c >= '0' && c <= '7');
        return check(
                digits && (zero || value.length() == MODE_DIGITS),
                "must be an octal number from 0000 to 0777, such as 0770");
    }

    /** Validates a user or group id within the limits of Linux and Kubernetes. */
    static Optional<String> id(String value) {
        boolean number = !value.isEmpty()
                && value.length() <= MAX_ID_DIGITS
                && value.chars().allMatch(c -> c >= '0' && c <= '9')
                && Long.parseLong(value) <= Integer.MAX_VALUE;
        return check(number, "must be a number from 0 to 2147483647");
    }

    /** Validates a directory: absolute and normalized. */
    static Optional<String> directory(String value) {
        return value.equals("/") ? Optional.of("must not be the root directory") : absolutePath(value);
    }

    /** Validates an NFS export, which may be the root. */
    static Optional<String> share(String value) {
        if (value.chars().anyMatch(c -> c == ' ' || c == ',')) {
            return Optional.of("must not contain spaces or commas");
        }
        return value.equals("/") ? Optional.empty() : absolutePath(value);
    }

    private static Optional<String> absolutePath(String value) {
        if (!value.startsWith("/")) {
            return Optional.of("must be an absolute path");
        }
        if (value.length() > MAX_PATH_LENGTH) {
            return Optional.of("must be no more than " + MAX_PATH_LENGTH + " characters");
        }
        if (value.chars().anyMatch(Character::isISOControl)) {
            return Optional.of("must not contain control characters");
        }
        for (String segment : value.substring(1).split("/", -1)) {
            if (segment.isEmpty() || segment.equals(".") || segment.equals("..")) {
                return Optional.of("must be normalized: without '.', '..', '//' and a '/' at the end");
            }
            if (segment.startsWith(".mooring")) {
                return Optional.of("segments must not begin with '.mooring'");
            }
        }
        return Optional.empty();
    }

    /**
     * Validates a host name or address. It becomes part of a mount source, so it must not look like an option or
     * contain a separator.
     */
    static Optional<String> host(String value) {
        boolean colons = value.indexOf(':') >= 0;
        boolean valid =
                !value.isEmpty() && value.length() <= MAX_HOST_LENGTH && (colons ? isAddress(value) : isName(value));
        return check(valid, "must be the name or the address of a host");
    }

    private static boolean isName(String value) {
        return value.chars().allMatch(c -> isLetterOrDigit(c) || c == '-' || c == '.')
                && isLetterOrDigit(value.charAt(0))
                && isLetterOrDigit(value.charAt(value.length() - 1))
                && !value.contains("..");
    }

    private static boolean isAddress(String value) {
        boolean brackets = value.startsWith("[") && value.endsWith("]");
        String bare = brackets ? value.substring(1, value.length() - 1) : value;
        return bare.length() > 1
                && bare.chars().allMatch(c -> (c < 0x7f && Character.digit(c, 16) >= 0) || c == ':' || c == '.')
                && bare.indexOf(':') != bare.lastIndexOf(':');
    }

    private static boolean isLetterOrDigit(int c) {
        return c < 0x7f && Character.isLetterOrDigit(c);
    }

    private static Optional<String> check(boolean valid, String otherwise) {
        return valid ? Optional.empty() : Optional.of(otherwise);
    }
}
