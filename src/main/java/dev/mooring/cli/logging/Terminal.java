package dev.mooring.cli.logging;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** What is known about the terminal that stderr may be connected to. */
public final class Terminal {
    private static final Path STDERR = Path.of("/proc/self/fd/2");

    private Terminal() {}

    /** Java only knows of a console when stdin and stdout are terminals, too; the kernel knows better. */
    public static boolean stderrIsTerminal() {
        try {
            String target = Files.readSymbolicLink(STDERR).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException | UnsupportedOperationException e) {
            return false; // no Linux: better no colours than wrong ones
        }
    }

    /** Whether colours are welcome, by the conventions of NO_COLOR (no-color.org) and TERM. */
    public static boolean environmentAllowsColor(Map<String, String> environment) {
        return environment.getOrDefault("NO_COLOR", "").isEmpty() && !"dumb".equals(environment.get("TERM"));
    }
}
