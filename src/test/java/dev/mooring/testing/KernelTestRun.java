package dev.mooring.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.junit.platform.launcher.TestPlan;

/**
 * Runs the tests that need a real kernel with an NFS client and server: {@code scripts/real-kernel/run} executes them
 * in a separate JVM, in User-Mode Linux or in namespaces, in parallel with the other tests. Prints their output as it
 * arrives. If the machine supports neither, the tests count as skipped; an aborted run counts as a failed test.
 */
final class KernelTestRun {
    static final String TAG = "kernel";

    private static final String PREFIX = "[kernel] ";
    private static final int EXIT_UNSUPPORTED = 77;
    private static final List<String> PASSED_PROPERTIES = List.of("mooring.chaos.seconds", "mooring.seed");

    private final Process process;
    private final Thread reader;
    private final PrintWriter out;
    private final long tests;
    private final List<String> failures = new ArrayList<>();
    private boolean inFailure;
    private volatile Optional<SuiteSummary> parsedSummary = Optional.empty();

    private KernelTestRun(Process process, long tests, PrintWriter out) {
        this.process = process;
        this.tests = tests;
        this.out = out;
        this.reader = new Thread(this::read, "kernel tests");
        this.reader.setDaemon(true);
    }

    /** Starts the tests of a plan; empty if it has none. */
    static Optional<KernelTestRun> start(TestPlan plan, SuiteRunner.Options options, PrintWriter out) {
        long tests = plan.countTestIdentifiers(
                each -> each.getParentId().isPresent() && plan.getChildren(each).isEmpty());
        List<String> classes = SuiteRunner.classesOf(plan);
        if (classes.isEmpty()) {
            return Optional.empty();
        }
        try {
            ProcessBuilder builder = new ProcessBuilder(command(classes, options))
                    .redirectErrorStream(true)
                    .redirectInput(Path.of("/dev/null").toFile());
            builder.environment().put("REAL_KERNEL_PROPERTIES", passedProperties());
            Process process = builder.start();
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
            KernelTestRun run = new KernelTestRun(process, tests, out);
            run.reader.start();
            return Optional.of(run);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the properties of this JVM for the duration and seed of tests. */
    private static String passedProperties() {
        StringBuilder properties = new StringBuilder();
        for (String name : PASSED_PROPERTIES) {
            Optional.ofNullable(Long.getLong(name))
                    .ifPresent(value ->
                            properties.append(" -D").append(name).append('=').append(value));
        }
        return properties.toString().strip();
    }

    private static List<String> command(Collection<String> classes, SuiteRunner.Options options) {
        List<String> command = new ArrayList<>();
        command.add(options.kernel().orElseThrow().toAbsolutePath().toString());
        command.add(System.getProperty("java.class.path"));
        command.add(options.reports().resolve("kernel").toString());
        classes.forEach(each -> command.addAll(List.of("--class", each)));
        options.pattern().ifPresent(each -> command.addAll(List.of("--tests", each)));
        command.addAll(List.of("--tag", options.tag().orElse(TAG)));
        return command;
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Optional<SuiteSummary> summary = SuiteSummary.parse(line);
                if (summary.isPresent()) {
                    parsedSummary = summary;
                } else {
                    out.println(PREFIX + line.stripTrailing());
                    keepFailure(line.stripTrailing());
                }
            }
        } catch (IOException e) {
            out.println(PREFIX + e);
        }
    }

    /** Keeps a failure and its indented details for the end of the output, where they are printed again. */
    private void keepFailure(String line) {
        boolean isDetail = inFailure && line.startsWith("    ");
        inFailure = isDetail || line.startsWith("  FAILED ");
        if (inFailure) {
            failures.add(line);
        }
    }

    /** Waits for the end of the run. */
    SuiteSummary await() {
        int exit;
        try {
            exit = process.waitFor();
            reader.join();
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            return new SuiteSummary(0, 1, 0);
        }
        if (exit == EXIT_UNSUPPORTED) {
            out.println(PREFIX + tests + " tests skipped");
            return new SuiteSummary(0, 0, tests);
        }
        SuiteSummary summary = parsedSummary.orElse(new SuiteSummary(0, 0, 0));
        failures.forEach(line -> out.println(PREFIX + line));
        out.println(PREFIX + summary.line());
        if (parsedSummary.isEmpty() || exit != (summary.successful() ? 0 : 1)) {
            out.println(PREFIX + "FAILED: the tests were aborted with status " + exit);
            return summary.plus(new SuiteSummary(0, 1, 0));
        }
        return summary;
    }
}
