package dev.mooring.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs lines of bash in their own directory, with {@code $K} set to the kubectl under test and the flags for the
 * server under test. Only the PATH of the environment is passed on, and nothing is written outside the directory. Runs
 * one line at a time.
 */
final class KubectlShell {
    /** Far longer than any line takes on a busy machine. */
    private static final Duration DEADLINE = Duration.ofMinutes(3);

    private final Path directory;
    private final Path kubectl;
    private final List<String> flags;

    /** @param flags flags of every kubectl command; must include the address of the server */
    KubectlShell(Path directory, KubectlBinary kubectl, List<String> flags) {
        this.directory = directory;
        this.kubectl = kubectl.path();
        this.flags = List.copyOf(flags);
    }

    /** Exit code, output and errors of a line. */
    record Result(int code, String out, String err) {}

    Path directory() {
        return directory;
    }

    /** Writes a file to which lines can refer. */
    void write(String name, String text) {
        try {
            Files.writeString(directory.resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Result run(String line) {
        try {
            Path out = Files.createTempFile(scratch(), "out", "");
            Path err = Files.createTempFile(scratch(), "err", "");
            Process process = builder(line)
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile())
                    .start();
            int code = awaitExit(line, process);
            Result result = new Result(code, Files.readString(out), Files.readString(err));
            Files.delete(out);
            Files.delete(err);
            return result;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts a line that does not end by itself; its errors are part of the output. */
    KubectlStream start(String line) {
        try {
            return new KubectlStream(
                    line, builder(line).redirectErrorStream(true).start(), DEADLINE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ProcessBuilder builder(String line) throws IOException {
        Path bash = KubectlBinary.inPath("bash").orElseThrow();
        ProcessBuilder builder = new ProcessBuilder(bash.toString(), "-c", line).directory(directory.toFile());
        builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        Map<String, String> environment = builder.environment();
        String path = Optional.ofNullable(environment.get("PATH")).orElse("/usr/bin:/bin");
        environment.clear();
        environment.put("PATH", path);
        environment.put("LC_ALL", "C");
        environment.put("HOME", directory.toString());
        environment.put("TMPDIR", scratch().toString());
        environment.put("K", kubectl + " --cache-dir=" + directory.resolve("cache") + " " + String.join(" ", flags));
        return builder;
    }

    private Path scratch() throws IOException {
        return Files.createDirectories(directory.resolve("tmp"));
    }

    private static int awaitExit(String line, Process process) {
        try {
            return process.onExit()
                    .get(DEADLINE.toMillis(), TimeUnit.MILLISECONDS)
                    .exitValue();
        } catch (TimeoutException e) {
            kill(process);
            throw new AssertionError("Command did not end within " + DEADLINE + ": " + line, e);
        } catch (InterruptedException e) {
            kill(process);
            Thread.currentThread().interrupt();
            throw new CompletionException(e);
        } catch (ExecutionException e) {
            throw new CompletionException(e);
        }
    }

    /** Kills the process and its descendants: bash does not forward signals. */
    static void kill(Process process) {
        if (!process.isAlive()) {
            return; // its process id may belong to another process
        }
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
