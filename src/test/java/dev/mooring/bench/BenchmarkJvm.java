package dev.mooring.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs programs in a new JVM without compiled code, as users start them. */
final class BenchmarkJvm {
    /** Options of src/main/sh/mooring for the server. */
    private static final List<String> OPTIONS =
            List.of("-XX:+UseG1GC", "-Xms64m", "-Xmx1g", "-Xshare:auto", "-Dfile.encoding=UTF-8");

    private BenchmarkJvm() {}

    /** Runs a main class to its end and returns the first line it prints. */
    static String run(String classPath, Class<?> main, String... args) throws IOException, InterruptedException {
        Process process = start(classPath, main, args);
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            String line = output.readLine();
            int exit = process.waitFor();
            if (exit != 0 || line == null) {
                throw new IOException(main.getSimpleName() + " ended with " + exit + " and printed " + line);
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
