package dev.mooring.model;

import java.util.ArrayList;
import java.util.List;

/** Validation of label keys and values, with Kubernetes' messages. */
public final class LabelSyntax {
    private static final int MAX_LENGTH = 63;
    private static final int MAX_PREFIX_LENGTH = 253;
    private static final String NAME_REGEX = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
    private static final String NAME_RULE =
            "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric"
                    + " character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is"
                    + " '" + NAME_REGEX
                    + "')";
    private static final String KEY_RULE = "a valid label key " + NAME_RULE
            + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    private static final String VALUE_RULE =
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must"
                + " start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex"
                + " used for validation is '(" + NAME_REGEX + ")?')";
    private static final String SUBDOMAIN_RULE =
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must"
                    + " start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is"
                    + " '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

    private LabelSyntax() {}

    /** Returns the errors of a key: a name of at most 63 characters, optionally after a domain and a slash. */
    public static List<String> problemsOfKey(String key) {
        int slash = key.indexOf('/');
        if (slash != key.lastIndexOf('/')) {
            return List.of(KEY_RULE);
        }
        List<String> problems = new ArrayList<>(0);
        if (slash == 0) {
            problems.add("prefix part must be non-empty");
        } else if (slash > 0) {
            if (slash > MAX_PREFIX_LENGTH) {
                problems.add("prefix part " + tooLong(MAX_PREFIX_LENGTH));
            }
            if (!isSubdomain(key, slash)) {
                problems.add("prefix part " + SUBDOMAIN_RULE);
            }
        }
        int length = key.length() - slash - 1;
        if (length == 0) {
            problems.add("name part must be non-empty");
        } else if (length > MAX_LENGTH) {
            problems.add("name part " + tooLong(MAX_LENGTH));
        }
        if (!isName(key, slash + 1)) {
            problems.add("name part " + NAME_RULE);
        }
        return problems;
    }

    /** Returns the errors of a value: empty or a name of at most 63 characters. */
    public static List<String> problemsOfValue(String value) {
        List<String> problems = new ArrayList<>(0);
        if (value.length() > MAX_LENGTH) {
            problems.add(tooLong(MAX_LENGTH));
        }
        if (!value.isEmpty() && !isName(value, 0)) {
            problems.add(VALUE_RULE);
        }
        return problems;
    }

    private static String tooLong(int limit) {
        return "must be no more than " + limit + " bytes";
    }

    private static boolean isName(String text, int start) {
        int end = text.length();
        if (start == end || !isAlphanumeric(text.charAt(start)) || !isAlphanumeric(text.charAt(end - 1))) {
            return false;
        }
        for (int i = start + 1; i < end - 1; i++) {
            char c = text.charAt(i);
            if (!isAlphanumeric(c) && c != '-' && c != '_' && c != '.') {
                return false;
            }
        }
        return true;
    }

    private static boolean isSubdomain(String text, int end) {
        boolean mayEnd = false;
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            if (isLower(c)) {
                mayEnd = true;
            } else if (c == '.' && mayEnd) {
                mayEnd = false;
            } else if (c == '-' && i > 0 && text.charAt(i - 1) != '.') {
                mayEnd = false;
            } else {
                return false;
            }
        }
        return mayEnd;
    }

    private static boolean isLower(char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    }

    private static boolean isAlphanumeric(char c) {
        return isLower(c) || (c >= 'A' && c <= 'Z');
    }
}
