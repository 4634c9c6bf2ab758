package dev.mooring.api.patch;

import java.util.ArrayList;
import java.util.List;

/**
 * A JSON pointer (RFC 6901), such as {@code /spec/volumes/0/a~1b}.
 *
 * @param names fields and elements from the root; empty for the whole document
 */
record JsonPointer(List<String> names) {

    /** @throws PatchException if it is not a JSON pointer */
    static JsonPointer parse(String text) {
        if (!text.isEmpty() && text.charAt(0) != '/') {
            throw PatchException.notApplicable("JSON pointer must start with a slash, got \"" + text + '"');
        }
        List<String> names = new ArrayList<>();
        int start = 1;
        while (start <= text.length()) {
            int slash = text.indexOf('/', start);
            int end = slash < 0 ? text.length() : slash;
            names.add(unescaped(text.substring(start, end)));
            start = end + 1;
        }
        return new JsonPointer(List.copyOf(names));
    }

    /** Unescapes a name; the other order would turn {@code ~01} into a slash. */
    private static String unescaped(String name) {
        return name.indexOf('~') < 0 ? name : name.replace("~1", "/").replace("~0", "~");
    }

    boolean isWhole() {
        return names.isEmpty();
    }

    /** Returns all names but the last. */
    List<String> parents() {
        return names.subList(0, names.size() - 1);
    }

    String last() {
        return names.get(names.size() - 1);
    }

    /** Returns the number of objects and lists around the location. */
    int depth() {
        return names.size();
    }
}
