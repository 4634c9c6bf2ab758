package dev.mooring.api.patch;

import java.util.ArrayList;
import java.util.List;

/**
 * RFC 6901: where in a document something is. Written {@code /spec/volumes/0/a~1b}.
 *
 * @param names of the fields and elements on the way, from the outside; none for the whole document
 */
record JsonPointer(List<String> names) {

    /** @throws PatchException if it is none */
    static JsonPointer parse(String text) {
        if (!text.isEmpty() && text.charAt(0) != '/') {
            throw PatchException.unfit("Expected a JSON pointer to start with a slash, but it is \"" + text + '"');
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

    /** The other order would make a slash of {@code ~01}. */
    private static String unescaped(String name) {
        return name.indexOf('~') < 0 ? name : name.replace("~1", "/").replace("~0", "~");
    }

    boolean isWhole() {
        return names.isEmpty();
    }

    /** The names up to the last. */
    List<String> parents() {
        return names.subList(0, names.size() - 1);
    }

    String last() {
        return names.get(names.size() - 1);
    }

    /** How many objects and lists there are around the place. */
    int depth() {
        return names.size();
    }
}
