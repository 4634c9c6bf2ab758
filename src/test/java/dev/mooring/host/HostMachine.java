package dev.mooring.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Library;
import com.sun.jna.Native;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Operations of tests on the real machine, independent of the tested code. */
public final class HostMachine {
    private interface C extends Library {
        int umask(int mask);

        int geteuid();
    }

    private static final C LIBC = Native.load("c", C.class);

    private HostMachine() {}

    /** Sets the umask of the whole process, which must be restored, and returns the old one. */
    public static int umask(int mask) {
        return LIBC.umask(mask);
    }

    public static void assumeRoot() {
        assumeTrue(LIBC.geteuid() == 0, "only root can mount, chown and attach loop devices");
    }

    /** Runs a command, requires that it succeeds and returns its output. */
    public static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s: %s", List.of(command), output).isZero();
        return output.strip();
    }

    /** Returns the relative paths of everything below the directory, sorted. */
    public static List<String> below(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(each -> !each.equals(directory))
                    .map(each -> directory.relativize(each).toString())
                    .sorted()
                    .toList();
        }
    }

    public static String permissions(Path path) throws IOException {
        return Integer.toOctalString((int) Files.getAttribute(path, "unix:mode") & 07777);
    }
}
