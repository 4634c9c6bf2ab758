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
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * The tests that need a kernel with an NFS client and server to play with: {@code scripts/real-kernel/run} runs them in a JVM of its own,
 * in User-Mode Linux or in namespaces, while the others run here. What they print appears as it comes. Where the machine allows neither
 * they count as skipped; a run that breaks off counts as a failed test.
 */
final class KernelPart {
    static final String TAG = "kernel";

    private static final String PREFIX = "[kernel] ";
    private static final int CANNOT = 77;
    private static final List<String> HANDED_ON = List.of("mooring.chaos.seconds", "mooring.seed");

    private final Process process;
    private final Thread reader;
    private final PrintWriter out;
    private final long tests;
    private final List<String> failures = new ArrayList<>();
    private boolean explaining;
    private volatile Optional<SuiteSummary> told = Optional.empty();

    private KernelPart(Process process, long tests, PrintWriter out) {
        this.process = process;
        this.tests = tests;
        this.out = out;
        this.reader = new Thread(this::read, "kernel tests");
        this.reader.setDaemon(true);
    }

    /** Starts those of a plan, unless it has none. */
    static Optional<KernelPart> start(TestPlan plan, SuiteRunner.Options options, PrintWriter out) {
        List<TestIdentifier> leaves = plan.getRoots().stream()
                .map(plan::getDescendants)
                .flatMap(Collection::stream)
                .filter(each -> plan.getChildren(each).isEmpty())
                .toList();
        NavigableSet<String> classes = new TreeSet<>();
        for (TestIdentifier each : leaves) {
            each.getSource().flatMap(KernelPart::className).ifPresent(classes::add);
        }
        if (classes.isEmpty()) {
            return Optional.empty();
        }
        try {
            ProcessBuilder builder = new ProcessBuilder(command(classes, options))
                    .redirectErrorStream(true)
                    .redirectInput(Path.of("/dev/null").toFile());
            builder.environment().put("REAL_KERNEL_PROPERTIES", handedOn());
            Process process = builder.start();
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
            KernelPart part = new KernelPart(process, leaves.size(), out);
            part.reader.start();
            return Optional.of(part);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What was said to this JVM about the length and the choices of tests. */
    private static String handedOn() {
        StringBuilder properties = new StringBuilder();
        for (String name : HANDED_ON) {
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

    private static Optional<String> className(TestSource source) {
        Optional<String> name = Optional.empty();
        if (source instanceof MethodSource method) {
            name = Optional.of(method.getClassName());
        } else if (source instanceof ClassSource type) {
            name = Optional.of(type.getClassName());
        }
        return name;
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Optional<SuiteSummary> summary = SuiteSummary.parse(line);
                if (summary.isPresent()) {
                    told = summary;
                } else {
                    out.println(PREFIX + line.stripTrailing());
                    keepFailure(line.stripTrailing());
                }
            }
        } catch (IOException e) {
            out.println(PREFIX + e);
        }
    }

    /** A failure and the indented lines that explain it, to be told once more at the end: the beginning of a long output gets lost. */
    private void keepFailure(String line) {
        boolean explains = explaining && line.startsWith("    ");
        explaining = explains || line.startsWith("  FAILED ");
        if (explaining) {
            failures.add(line);
        }
    }

    /** Waits for its end. */
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
        if (exit == CANNOT) {
            out.println(PREFIX + tests + " tests skipped");
            return new SuiteSummary(0, 0, tests);
        }
        SuiteSummary summary = told.orElse(new SuiteSummary(0, 0, 0));
        failures.forEach(line -> out.println(PREFIX + line));
        out.println(PREFIX + summary.line());
        if (told.isEmpty() || exit != (summary.successful() ? 0 : 1)) {
            out.println(
                    PREFIX + "FAILED: Expected the tests to come to an end, but they broke off with status " + exit);
            return summary.plus(new SuiteSummary(0, 1, 0));
        }
        return summary;
    }
}
