package dev.mooring.volume.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A part of this program in a process of its own, for what may hang: the same program and libraries, the same places for temporary files, and a small
 * heap, because nothing is kept in it. Any thread.
 */
public final class ChildJvm {
    private static final List<String> PLACES = List.of("java.io.tmpdir", "jna.tmpdir");

    private ChildJvm() {}

    /** @param input what it reads */
    public static Command command(Class<?> main, String input, Duration deadline) {
        List<String> arguments = new ArrayList<>(List.of(
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                // Children have no locale, but paths are what they are.
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

    /** A child begins in another directory. */
    private static String absolute(String classPath) {
        StringBuilder text = new StringBuilder();
        for (String each : classPath.split(":", -1)) {
            text.append(text.length() == 0 ? "" : ":").append(Path.of(each).toAbsolutePath());
        }
        return text.toString();
    }
}
