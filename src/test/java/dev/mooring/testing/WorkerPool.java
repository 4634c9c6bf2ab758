package dev.mooring.testing;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs test classes in several parallel JVMs. Each JVM gets its next class when it has finished the previous one, so
 * all end at about the same time; the slowest classes, listed in {@code suite-order.txt}, start first. The output of a
 * class is printed when the class ends. If a JVM exits during a class, the class counts as a failed test, and a new JVM
 * runs the rest.
 *
 * <p>Protocol: a line with the name of the class on the worker's stdin; on its stdout the output of {@link SuiteRunner}
 * for this class, up to and including the line {@code N passed, N failed, N skipped}. The worker exits when its stdin
 * ends.
 */
final class WorkerPool {
    private static final String ORDER = "/suite-order.txt";

    private final SuiteRunner.Options options;
    private final PrintWriter out;
    private final CapturedOutput output;
    private final Queue<String> classes;
    private final AtomicInteger started = new AtomicInteger();
    private final List<String> slowest = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    private WorkerPool(List<String> classes, SuiteRunner.Options options, PrintWriter out, CapturedOutput output) {
        this.options = options;
        this.out = out;
        this.output = output;
        this.classes = new ConcurrentLinkedQueue<>(longestFirst(classes));
    }

    static SuiteSummary run(List<String> classes, SuiteRunner.Options options, PrintWriter out, CapturedOutput output) {
        return new WorkerPool(classes, options, out, output).run(Math.min(options.workers(), classes.size()));
    }

    /** Returns the slowest classes, in the order in which they are started. */
    static List<String> order() {
        try (InputStream file = WorkerPool.class.getResourceAsStream(ORDER)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<String> longestFirst(List<String> classes) {
        List<String> order = order();
        return classes.stream()
                .sorted(Comparator.comparingInt(each -> order.contains(each) ? order.indexOf(each) : order.size()))
                .toList();
    }

    private SuiteSummary run(int workers) {
        SuiteSummary sum = new SuiteSummary(0, 0, 0);
        ExecutorService threads = Executors.newFixedThreadPool(Math.max(1, workers));
        try {
            removeFormerReports();
            List<Callable<SuiteSummary>> loops = new ArrayList<>();
            for (int i = 0; i < workers; i++) {
                loops.add(this::runClasses);
            }
            for (Future<SuiteSummary> each : threads.invokeAll(loops)) {
                sum = sum.plus(each.get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException | IOException e) {
            throw new IllegalStateException("Failed to run tests in other JVMs", e);
        } finally {
            threads.shutdownNow();
        }
        SuiteProgress.printSlowest(out, slowest);
        SuiteProgress.printFailures(out, failures);
        return sum;
    }

    private void removeFormerReports() throws IOException {
        try (DirectoryStream<Path> former = Files.newDirectoryStream(options.reports(), "TEST-*.xml")) {
            for (Path each : former) {
                Files.delete(each);
            }
        }
    }

    /** Runs classes in a JVM until none is left; replaces a JVM that exits. */
    private SuiteSummary runClasses() throws IOException, InterruptedException {
        SuiteSummary sum = new SuiteSummary(0, 0, 0);
        Optional<Worker> worker = Optional.empty();
        try {
            for (String name = classes.poll(); name != null; name = classes.poll()) {
                if (worker.isEmpty()) {
                    worker = Optional.of(new Worker(started.incrementAndGet()));
                }
                List<String> lines = new ArrayList<>();
                Optional<SuiteSummary> summary = worker.get().run(name, lines);
                if (summary.isEmpty()) {
                    String reason = "JVM ended with status " + worker.get().close() + " during this class";
                    worker = Optional.empty();
                    lines.addAll(List.of(name + "  1 FAILED", "  FAILED (the whole class)", "    " + reason, ""));
                    lines.addAll(
                            List.of(SuiteProgress.FAILED_TESTS, "  " + name + " (the whole class)", "    " + reason));
                    writeReport(name, reason);
                }
                print(lines);
                sum = sum.plus(summary.orElse(new SuiteSummary(0, 1, 0)));
            }
        } finally {
            if (worker.isPresent()) {
                worker.get().close();
            }
        }
        return sum;
    }

    /** Prints the results of a class; keeps the sections of {@link SuiteProgress#finish} for the end of the run. */
    private synchronized void print(List<String> lines) {
        Optional<List<String>> section = Optional.empty();
        for (String line : lines) {
            if (line.equals(SuiteProgress.SLOWEST_TESTS)) {
                section = Optional.of(slowest);
            } else if (line.equals(SuiteProgress.FAILED_TESTS)) {
                section = Optional.of(failures);
            } else if (!line.isEmpty()) {
                section.ifPresentOrElse(to -> to.add(line), () -> out.println(line));
            }
        }
    }

    private void writeReport(String name, String reason) throws IOException {
        Files.writeString(SuiteRunner.report(options, name), """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuite name="%1$s" tests="1" skipped="0" failures="1" errors="0">
            <testcase name="(the whole class)" classname="%1$s"><failure message="%2$s"/></testcase>
            </testsuite>
            """.formatted(name, reason));
    }

    /** A JVM that runs test classes, one at a time. Confined to one thread. */
    private final class Worker {
        private final Path captured;
        private final Process process;
        private final BufferedWriter names;
        private final BufferedReader lines;

        Worker(int number) throws IOException {
            captured = options.reports().resolve("output-" + number + ".log");
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(options.jvm());
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), SuiteRunner.class.getName()));
            command.addAll(List.of(
                    "--worker",
                    captured.toString(),
                    "--reports",
                    options.reports().toString()));
            options.pattern().ifPresent(each -> command.addAll(List.of("--tests", each)));
            options.tag().ifPresent(each -> command.addAll(List.of("--tag", each)));
            options.kernel().ifPresent(each -> command.addAll(List.of("--kernel", each.toString())));
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            names = process.outputWriter(StandardCharsets.UTF_8);
            lines = process.inputReader(StandardCharsets.UTF_8);
        }

        /** Runs a class and adds its output to {@code to}; empty if the JVM exited before the class ended. */
        Optional<SuiteSummary> run(String name, List<String> to) {
            try {
                names.write(name + "\n");
                names.flush();
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    Optional<SuiteSummary> summary = SuiteSummary.parse(line);
                    if (summary.isPresent()) {
                        return summary;
                    }
                    to.add(line);
                }
            } catch (IOException e) {
                to.add(e.toString());
            }
            return Optional.empty();
        }

        /** Ends the JVM, adds its captured output to that of the run, and returns its exit status. */
        int close() throws IOException, InterruptedException {
            try {
                names.close();
            } catch (IOException e) {
                // The JVM has ended already.
                assert !process.isAlive() : e;
            }
            int status = process.waitFor();
            if (Files.exists(captured)) {
                output.append(captured);
                Files.delete(captured);
            }
            return status;
        }
    }
}
