package dev.mooring.api.discovery;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** An installed kubectl of one version, connected to a server without credentials. */
record Kubectl(Path program, String server, Path directory) {
    private static final Path PROGRAMS = Path.of("/usr/lib/google-cloud-sdk/bin");

    /** Returns the installed {@code kubectl.1.NN}, oldest first. */
    static List<Path> installed() {
        return IntStream.rangeClosed(27, 40)
                .mapToObj(minor -> PROGRAMS.resolve("kubectl.1." + minor))
                .filter(Files::isExecutable)
                .toList();
    }

    /** Returns two versions: kubectl 1.28 and older use OpenAPI version 2 for most commands, newer ones version 3. */
    static List<Path> oldestAndNewest() {
        List<Path> all = installed();
        return all.size() < 2 ? all : List.of(all.get(0), all.get(all.size() - 1));
    }

    /** Runs kubectl; returns its standard output and standard error as one text. */
    String run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program.toString(), "--server=" + server));
        command.add("--cache-dir=" + directory.resolve("cache-" + program.getFileName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().put("KUBECONFIG", "/dev/null");
        builder.environment().put("HOME", directory.toString());
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        return output;
    }
}
