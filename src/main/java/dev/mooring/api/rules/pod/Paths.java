package dev.mooring.api.rules.pod;

/** Paths of files that must not lead out of where they are to be. Stateless. */
final class Paths {
    private Paths() {}

    /** Relative, and without a step upwards. */
    static void descending(Spot at) {
        if (at.text().startsWith("/")) {
            at.invalid("must be a relative path");
        }
        noBacksteps(at);
    }

    /** {@link #descending}, and not one of the names a volume keeps for itself ({@code ..data}). */
    static void descendingAndNotReserved(Spot at) {
        descending(at);
        String path = at.text();
        if (path.startsWith("..") && !path.startsWith("../")) {
            at.invalid("must not start with '..'");
        }
    }

    static void noBacksteps(Spot at) {
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
