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

/** A command that goes on until it is closed, and what it prints meanwhile. For one thread. */
final class KubectlStream implements AutoCloseable {
    private final String line;
    private final Process process;
    private final BufferedReader output;
    private final List<String> seen = new ArrayList<>();

    /** @param deadline after which it is killed, so that whoever waits for a line does not wait for ever */
    KubectlStream(String line, Process process, Duration deadline) {
        this.line = line;
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
        CompletableFuture.delayedExecutor(deadline.toMillis(), TimeUnit.MILLISECONDS)
                .execute(() -> KubectlShell.kill(process));
    }

    /** Reads on until a line in which the pattern is found, and returns that line. */
    String await(String pattern) {
        Pattern wanted = Pattern.compile(pattern);
        try {
            for (String next = output.readLine(); next != null; next = output.readLine()) {
                seen.add(next);
                if (wanted.matcher(next).find()) {
                    return next;
                }
            }
        } catch (IOException e) {
            throw new AssertionError(told(pattern), e);
        }
        throw new AssertionError(told(pattern));
    }

    private String told(String pattern) {
        return "Expected " + line + " to print " + pattern + ", but it ended after: " + String.join("\n", seen);
    }

    @Override
    public void close() {
        KubectlShell.kill(process);
    }
}
