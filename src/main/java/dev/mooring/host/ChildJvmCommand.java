package dev.mooring.host;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs a class of this program in a child JVM, for operations that may hang: same class path and temporary directory,
 * with a small heap. Thread-safe.
 */
public final class ChildJvmCommand {
    private static final List<String> PLACES = List.of("java.io.tmpdir", "jna.tmpdir");

    private ChildJvmCommand() {}

    /**
     * Returns the command.
     *
     * @param input stdin of the child
     */
    public static Command command(Class<?> main, String input, Duration deadline) {
        List<String> arguments = new ArrayList<>(List.of(
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                // The child has no locale, but path names must be decoded as UTF-8.
                "-Dsun.jnu.encoding=UTF-8"));
        for (String each : PLACES) {
            String place = System.getProperty(each);
            if (place != null) {
                arguments.add("-D" + each + '=' + Path.of(place).toAbsolutePath());
            }
        }
        arguments.addAll(List.of("-cp", absolute(System.getProperty("java.class.path")), main.getName()));
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new Command(java, arguments, input, deadline);
    }

    /** Returns the class path with absolute entries, because a child has another working directory. */
    private static String absolute(String classPath) {
        StringBuilder text = new StringBuilder();
        for (String each : classPath.split(":", -1)) {
            text.append(text.length() == 0 ? "" : ":").append(Path.of(each).toAbsolutePath());
        }
        return text.toString();
    }
}
