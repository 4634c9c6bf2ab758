package dev.mooring.api.rules.pod;

/** Rules of file paths that must stay within their directory. Stateless. */
final class PathRules {
    private PathRules() {}

    /** Requires a relative path without {@code ..}. */
    static void relativeWithoutBacksteps(FieldCursor at) {
        if (at.text().startsWith("/")) {
            at.invalid("must be a relative path");
        }
        noBacksteps(at);
    }

    /** As {@link #relativeWithoutBacksteps}, and rejects names that a volume reserves ({@code ..data}). */
    static void relativeAndNotReserved(FieldCursor at) {
        relativeWithoutBacksteps(at);
        String path = at.text();
        if (path.startsWith("..") && !path.startsWith("../")) {
            at.invalid("must not start with '..'");
        }
    }

    static void noBacksteps(FieldCursor at) {
        if (hasBackstep(at.text())) {
            at.invalid("must not contain '..'");
        }
    }

    static boolean hasBackstep(String path) {
        if (!path.contains("..")) {
            return false;
        }
        int from = 0;
        while (true) {
            int to = path.indexOf('/', from);
            int end = to < 0 ? path.length() : to;
            if (end - from == 2 && path.startsWith("..", from)) {
                return true;
            }
            if (to < 0) {
                return false;
            }
            from = to + 1;
        }
    }
}
