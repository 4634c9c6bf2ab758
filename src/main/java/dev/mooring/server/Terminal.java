package dev.mooring.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Detects whether the standard streams are terminals, and their colour support. */
public final class Terminal {
    private static final Path STDIN = Path.of("/proc/self/fd/0");
    private static final Path STDOUT = Path.of("/proc/self/fd/1");
    private static final Path STDERR = Path.of("/proc/self/fd/2");

    private Terminal() {}

    /**
     * Returns whether stderr is a terminal. Asks the kernel, because Java's console requires stdin and stdout to be
     * terminals too.
     */
    public static boolean stderrIsTerminal() {
        return isTerminal(STDERR);
    }

    /** Returns whether stdout is a terminal. */
    public static boolean stdoutIsTerminal() {
        return isTerminal(STDOUT);
    }

    /** Returns whether a user can type commands and see their output. */
    public static boolean isInteractive() {
        return isTerminal(STDIN) && isTerminal(STDOUT);
    }

    private static boolean isTerminal(Path descriptor) {
        try {
            String target = Files.readSymbolicLink(descriptor).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException | UnsupportedOperationException e) {
            return false; // not Linux: no colours
        }
    }

    /** Returns whether NO_COLOR (no-color.org) and TERM allow colours. */
    public static boolean environmentAllowsColor(Map<String, String> environment) {
        return environment.getOrDefault("NO_COLOR", "").isEmpty() && !"dumb".equals(environment.get("TERM"));
    }
}
