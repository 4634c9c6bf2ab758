package dev.mooring.api.rules;

import java.util.ArrayList;
import java.util.List;

/**
 * Checks the syntax of names. Each check returns the problems with Kubernetes' messages, or an empty list. Scans
 * without regular expressions, because every write checks several names. Stateless; thread-safe.
 */
public final class NameSyntax {
    private static final int LABEL_MAX = 63;
    private static final int SUBDOMAIN_MAX = 253;

    private static final String LABEL_FORM = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
    private static final String LABEL_1035_FORM = "[a-z]([-a-z0-9]*[a-z0-9])?";
    private static final String KEY_FORM = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

    private static final String LABEL_MESSAGE = expected(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and"
                    + " end with an alphanumeric character",
            LABEL_FORM,
            "my-name",
            "123-abc");
    private static final String SUBDOMAIN_MESSAGE = expected(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must"
                    + " start and end with an alphanumeric character",
            LABEL_FORM + "(\\." + LABEL_FORM + ")*",
            "example.com");
    private static final String LABEL_1035_MESSAGE = expected(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic"
                    + " character, and end with an alphanumeric character",
            LABEL_1035_FORM,
            "my-name",
            "abc-123");
    private static final String KEY_MESSAGE = expected(
            "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric"
                    + " character",
            KEY_FORM,
            "MyName",
            "my.name",
            "123-abc");
    private static final String LABEL_VALUE_MESSAGE = expected(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must"
                    + " start and end with an alphanumeric character",
            "(" + KEY_FORM + ")?",
            "MyValue",
            "my_value",
            "12345");
    private static final String CONFIG_KEY_MESSAGE = expected(
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
            "[-._a-zA-Z0-9]+",
            "key.name",
            "KEY_NAME",
            "key-name");
    private static final String ENVIRONMENT_NAME_MESSAGE =
            "a valid environment variable name must consist only of printable ASCII characters other than '='";
    private static final String EMPTY = "must be non-empty";

    private NameSyntax() {}

    /** Checks a DNS label: {@code web-1}. */
    public static List<String> dns1123Label(String name) {
        if (name.length() <= LABEL_MAX && isLabel(name, 0, name.length())) {
            return List.of();
        }
        List<String> problems = tooLong(name, LABEL_MAX);
        if (!isLabel(name, 0, name.length())) {
            problems.add(isSubdomain(name) ? "must not contain dots" : LABEL_MESSAGE);
        }
        return problems;
    }

    /** Checks a DNS subdomain: {@code data.example.com}. */
    public static List<String> dns1123Subdomain(String name) {
        if (name.length() <= SUBDOMAIN_MAX && isSubdomain(name)) {
            return List.of();
        }
        List<String> problems = tooLong(name, SUBDOMAIN_MAX);
        if (!isSubdomain(name)) {
            problems.add(SUBDOMAIN_MESSAGE);
        }
        return problems;
    }

    /** Checks a DNS label that starts with a letter. */
    public static List<String> dns1035Label(String name) {
        boolean right = isLabel(name, 0, name.length()) && !isDigit(name.charAt(0));
        if (right && name.length() <= LABEL_MAX) {
            return List.of();
        }
        List<String> problems = tooLong(name, LABEL_MAX);
        if (!right) {
            problems.add(LABEL_1035_MESSAGE);
        }
        return problems;
    }

    /**
     * Checks a qualified name, such as a label key, finalizer or condition: {@code example.com/Name} or {@code Name}.
     */
    public static List<String> qualifiedName(String name) {
        int slash = name.indexOf('/');
        if (slash >= 0 && name.indexOf('/', slash + 1) >= 0) {
            return List.of("a valid label key " + KEY_MESSAGE
                    + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
        }
        List<String> problems = new ArrayList<>(0);
        if (slash == 0) {
            problems.add("prefix part " + EMPTY);
        } else if (slash > 0) {
            for (String problem : dns1123Subdomain(name.substring(0, slash))) {
                problems.add("prefix part " + problem);
            }
        }
        int length = name.length() - slash - 1;
        if (length == 0) {
            problems.add("name part " + EMPTY);
        } else if (length > LABEL_MAX) {
            problems.add("name part " + noMoreThan(LABEL_MAX));
        }
        if (!isKey(name, slash + 1)) {
            problems.add("name part " + KEY_MESSAGE);
        }
        return problems;
    }

    public static List<String> labelValue(String value) {
        boolean right = value.isEmpty() || isKey(value, 0);
        if (right && value.length() <= LABEL_MAX) {
            return List.of();
        }
        List<String> problems = tooLong(value, LABEL_MAX);
        if (!right) {
            problems.add(LABEL_VALUE_MESSAGE);
        }
        return problems;
    }

    /** Checks a key of a ConfigMap or Secret, which becomes a file name. */
    public static List<String> configMapKey(String key) {
        List<String> problems = tooLong(key, SUBDOMAIN_MAX);
        if (!isFileName(key)) {
            problems.add(CONFIG_KEY_MESSAGE);
        }
        if (key.equals(".")) {
            problems.add("must not be '.'");
        } else if (key.equals("..")) {
            problems.add("must not be '..'");
        } else if (key.startsWith("..")) {
            problems.add("must not start with '..'");
        }
        return problems;
    }

    /** Checks the name of an environment variable; Kubernetes 1.34 and later accept nearly everything. */
    public static List<String> environmentName(String name) {
        if (name.isEmpty()) {
            return List.of("environment variable name " + EMPTY);
        }
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c < ' ' || c > '~' || c == '=') {
                return List.of(ENVIRONMENT_NAME_MESSAGE);
            }
        }
        return List.of();
    }

    /** Checks a URL path segment. */
    public static List<String> pathSegment(String name) {
        if (name.equals(".") || name.equals("..")) {
            return List.of("may not be '" + name + "'");
        }
        return pathSegmentPrefix(name);
    }

    static List<String> pathSegmentPrefix(String name) {
        List<String> problems = new ArrayList<>(0);
        if (name.indexOf('/') >= 0) {
            problems.add("may not contain '/'");
        }
        if (name.indexOf('%') >= 0) {
            problems.add("may not contain '%'");
        }
        return problems;
    }

    /** Checks the name of a network port: {@code http}. */
    public static List<String> portName(String name) {
        List<String> problems = tooLong(name, 15);
        if (name.isEmpty() || !name.chars().allMatch(c -> isLowerOrDigit((char) c) || c == '-')) {
            problems.add("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
        }
        if (name.chars().noneMatch(c -> c >= 'a' && c <= 'z')) {
            problems.add("must contain at least one letter (a-z)");
        }
        if (name.contains("--")) {
            problems.add("must not contain consecutive hyphens");
        }
        if (name.startsWith("-") || name.endsWith("-")) {
            problems.add("must not begin or end with a hyphen");
        }
        return problems;
    }

    /** Returns whether the text is a UUID: hexadecimal digits in groups of 8, 4, 4, 4 and 12 with dashes. */
    public static boolean isUid(String text) {
        if (text.length() != 36) {
            return false;
        }
        for (int i = 0; i < 36; i++) {
            char c = text.charAt(i);
            boolean dash = i == 8 || i == 13 || i == 18 || i == 23;
            if (dash ? c != '-' : Character.digit(c, 16) < 0 || c >= 0x80) {
                return false;
            }
        }
        return true;
    }

    /** Returns {@code must be between 0 and 255, inclusive}. */
    public static String between(long least, long most) {
        return "must be between " + least + " and " + most + ", inclusive";
    }

    private static boolean isLabel(String text, int from, int to) {
        if (from >= to || !isLowerOrDigit(text.charAt(from)) || !isLowerOrDigit(text.charAt(to - 1))) {
            return false;
        }
        for (int i = from + 1; i < to - 1; i++) {
            char c = text.charAt(i);
            if (!isLowerOrDigit(c) && c != '-') {
                return false;
            }
        }
        return true;
    }

    private static boolean isSubdomain(String text) {
        int from = 0;
        for (int dot = text.indexOf('.'); dot >= 0; dot = text.indexOf('.', from)) {
            if (!isLabel(text, from, dot)) {
                return false;
            }
            from = dot + 1;
        }
        return isLabel(text, from, text.length());
    }

    private static boolean isKey(String text, int from) {
        int to = text.length();
        if (from >= to || !isLetterOrDigit(text.charAt(from)) || !isLetterOrDigit(text.charAt(to - 1))) {
            return false;
        }
        for (int i = from + 1; i < to - 1; i++) {
            char c = text.charAt(i);
            if (!isLetterOrDigit(c) && c != '-' && c != '_' && c != '.') {
                return false;
            }
        }
        return true;
    }

    private static boolean isFileName(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!isLetterOrDigit(c) && c != '-' && c != '_' && c != '.') {
                return false;
            }
        }
        return !text.isEmpty();
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isLowerOrDigit(char c) {
        return (c >= 'a' && c <= 'z') || isDigit(c);
    }

    private static boolean isLetterOrDigit(char c) {
        return isLowerOrDigit(c) || (c >= 'A' && c <= 'Z');
    }

    private static List<String> tooLong(String text, int most) {
        List<String> problems = new ArrayList<>(0);
        if (JsonFields.bytes(text) > most) {
            problems.add(noMoreThan(most));
        }
        return problems;
    }

    private static String noMoreThan(int most) {
        return "must be no more than " + most + " characters";
    }

    private static String expected(String what, String form, String... examples) {
        return what + " (e.g. '" + String.join("',  or '", examples) + "', regex used for validation is '" + form
                + "')";
    }
}
