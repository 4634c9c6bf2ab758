package dev.mooring.conformance;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** A command that runs until it is closed, and its output. Not thread-safe. */
final class KubectlStream implements AutoCloseable {
    private final String line;
    private final Process process;
    private final BufferedReader output;
    private final List<String> seen = new ArrayList<>();

    /** @param deadline time after which the command is killed, so that {@link #await} does not block forever */
    KubectlStream(String line, Process process, Duration deadline) {
        this.line = line;
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
        CompletableFuture.delayedExecutor(deadline.toMillis(), TimeUnit.MILLISECONDS)
                .execute(() -> KubectlShell.kill(process));
    }

    /** Reads until a line contains the pattern, and returns that line. */
    String await(String pattern) {
        Pattern expected = Pattern.compile(pattern);
        try {
            for (String next = output.readLine(); next != null; next = output.readLine()) {
                seen.add(next);
                if (expected.matcher(next).find()) {
                    return next;
                }
            }
        } catch (IOException e) {
            throw new AssertionError(failureMessage(pattern), e);
        }
        throw new AssertionError(failureMessage(pattern));
    }

    boolean isRunning() {
        return process.isAlive();
    }

    private String failureMessage(String pattern) {
        return line + " ended without printing " + pattern + "; output: " + String.join("\n", seen);
    }

    @Override
    public void close() {
        KubectlShell.kill(process);
    }
}
