package dev.mooring.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Programs in a JVM of their own, which has compiled nothing yet: what a user has who starts one. */
final class ChildJvm {
    /** As src/main/sh/mooring starts the server. */
    private static final List<String> OPTIONS =
            List.of("-XX:+UseG1GC", "-Xms64m", "-Xmx1g", "-Xshare:auto", "-Dfile.encoding=UTF-8");

    private ChildJvm() {}

    /** Runs a main class to its end and returns the first line it prints. */
    static String run(String classPath, Class<?> main, String... args) throws IOException, InterruptedException {
        Process process = start(classPath, main, args);
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            String line = output.readLine();
            int exit = process.waitFor();
            if (exit != 0 || line == null) {
                throw new IOException("Expected " + main.getSimpleName()
                        + " to print a line and end with 0, but it ended with " + exit);
            }
            return line;
        } finally {
            process.destroyForcibly();
        }
    }

    private static Process start(String classPath, Class<?> main, String... args) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(OPTIONS);
        command.addAll(List.of("-cp", classPath, main.getName()));
        command.addAll(List.of(args));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
