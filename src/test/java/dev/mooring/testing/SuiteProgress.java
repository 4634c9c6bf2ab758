package dev.mooring.testing;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Prints one line per finished test class, failures with an excerpt of the stack trace and the last lines of output,
 * skipped tests with their reason, and at the end the slowest tests. Tests may run in parallel: every method is
 * synchronized.
 */
final class SuiteProgress implements TestExecutionListener {

    /** Headings of the lines that {@link #finish} prints. */
    static final String SLOWEST_TESTS = "slowest tests";

    static final String FAILED_TESTS = "failed tests";

    private static final int SLOWEST = 10;
    private static final Duration SLOW = Duration.ofMillis(100);

    private record Timed(String name, Duration time) {}

    /** Results of one test class while it runs. */
    private static final class Group {
        long passed;
        long failed;
        long skipped;
        final List<String> details = new ArrayList<>();
    }

    /** Maximum number of lines of the output of a failed test. */
    private static final int OUTPUT_LINES = 60;

    private final PrintWriter out;
    private final CapturedOutput output;
    private final Map<String, Long> startedAt = new HashMap<>();
    private final Map<String, Group> groups = new HashMap<>();
    private final List<Timed> times = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private TestPlan plan;
    private long passed;
    private long failed;
    private long skipped;

    SuiteProgress(PrintWriter out, CapturedOutput output) {
        this.out = out;
        this.output = output;
    }

    @Override
    public synchronized void testPlanExecutionStarted(TestPlan testPlan) {
        plan = testPlan;
    }

    @Override
    public synchronized void executionStarted(TestIdentifier test) {
        startedAt.put(test.getUniqueId(), System.nanoTime());
        output.restart();
    }

    @Override
    public synchronized void executionSkipped(TestIdentifier test, String reason) {
        // A skipped class is reported once, with as many skips as it has tests.
        long tests = test.isTest() ? 1 : Math.max(1, testsBelow(test));
        skip(test, reason, tests);
        if (isTopLevelClass(test)) {
            printGroup(test, Duration.ZERO);
        }
    }

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
        Duration took = Duration.ofNanos(System.nanoTime() - startedAt.remove(test.getUniqueId()));
        switch (result.getStatus()) {
            case SUCCESSFUL -> {
                if (test.isTest()) {
                    passed++;
                    groupOf(test).passed++;
                }
            }
            case ABORTED ->
                skip(test, result.getThrowable().map(Throwable::getMessage).orElse("aborted"), 1);
            case FAILED -> fail(test, result.getThrowable());
        }
        if (test.isTest()) {
            times.add(new Timed(nameOf(test), took));
        }
        if (isTopLevelClass(test)) {
            printGroup(test, took);
        } else if (test.getParentId().isEmpty()) {
            // Failures of the engine itself belong to no class.
            Optional.ofNullable(groups.remove(test.getUniqueId())).ifPresent(this::printDetails);
        }
    }

    /** Prints the summary after the run; call once. */
    synchronized SuiteSummary finish() {
        printSlowest(
                out,
                times.stream()
                        .filter(timed -> timed.time().compareTo(SLOW) >= 0)
                        .map(timed -> "  " + seconds(timed.time()) + "  " + timed.name())
                        .toList());
        printFailures(out, failures);
        return new SuiteSummary(passed, failed, skipped);
    }

    /**
     * Prints the slowest tests.
     *
     * @param lines each starts with aligned seconds
     */
    static void printSlowest(PrintWriter out, List<String> lines) {
        List<String> slowest =
                lines.stream().sorted(Comparator.reverseOrder()).limit(SLOWEST).toList();
        printSection(out, SLOWEST_TESTS, slowest);
    }

    static void printFailures(PrintWriter out, List<String> lines) {
        printSection(out, FAILED_TESTS, lines);
    }

    private static void printSection(PrintWriter out, String heading, List<String> lines) {
        if (!lines.isEmpty()) {
            out.println();
            out.println(heading);
            lines.forEach(out::println);
        }
    }

    private void skip(TestIdentifier test, String reason, long tests) {
        skipped += tests;
        Group group = groupOf(test);
        group.skipped += tests;
        group.details.add("  skipped " + nameInClass(test) + ": " + reason.strip());
    }

    private void fail(TestIdentifier test, Optional<Throwable> cause) {
        failed++;
        Group group = groupOf(test);
        group.failed++;
        List<String> excerpt = cause.map(StackExcerpt::of).orElse(List.of()).stream()
                .map(line -> "    " + line)
                .toList();
        group.details.add("  FAILED " + nameInClass(test));
        group.details.addAll(excerpt);
        List<String> written = output.lines();
        written.stream()
                .skip(Math.max(0, written.size() - OUTPUT_LINES))
                .forEach(line -> group.details.add("    | " + line));
        // Printed again at the end, because the beginning of a long output is easily missed.
        failures.add("  " + nameOf(test));
        failures.addAll(excerpt);
    }

    private void printGroup(TestIdentifier test, Duration took) {
        Group group = groups.getOrDefault(test.getUniqueId(), new Group());
        groups.remove(test.getUniqueId());
        String counts = group.passed + " passed"
                + (group.failed > 0 ? ", " + group.failed + " FAILED" : "")
                + (group.skipped > 0 ? ", " + group.skipped + " skipped" : "");
        out.println(seconds(took) + "  " + classNameOf(test) + "  " + counts);
        printDetails(group);
    }

    private void printDetails(Group group) {
        group.details.forEach(out::println);
    }

    private long testsBelow(TestIdentifier container) {
        return plan.getDescendants(container).stream()
                .filter(TestIdentifier::isTest)
                .count();
    }

    /** Returns whether it is a top-level class; nested classes are part of its line. */
    private boolean isTopLevelClass(TestIdentifier test) {
        return classOf(test).isPresent()
                && plan.getParent(test).flatMap(SuiteProgress::classOf).isEmpty();
    }

    private Group groupOf(TestIdentifier test) {
        return groups.computeIfAbsent(ownerOf(test).getUniqueId(), id -> new Group());
    }

    private TestIdentifier ownerOf(TestIdentifier test) {
        return path(test).stream()
                .filter(this::isTopLevelClass)
                .findFirst()
                .orElse(path(test).get(0));
    }

    private String nameOf(TestIdentifier test) {
        return classNameOf(ownerOf(test)) + " " + nameInClass(test);
    }

    private String nameInClass(TestIdentifier test) {
        TestIdentifier owner = ownerOf(test);
        if (owner.equals(test)) {
            return "(the whole class)";
        }
        List<TestIdentifier> path = path(test);
        return String.join(
                " > ",
                path.subList(path.indexOf(owner) + 1, path.size()).stream()
                        .map(each -> each.getDisplayName().replaceAll("\\R", " "))
                        .toList());
    }

    /** Returns the path from the engine to the test. */
    private List<TestIdentifier> path(TestIdentifier test) {
        Deque<TestIdentifier> path = new ArrayDeque<>();
        for (Optional<TestIdentifier> at = Optional.of(test); at.isPresent(); at = at.flatMap(plan::getParent)) {
            path.addFirst(at.get());
        }
        return List.copyOf(path);
    }

    private static String classNameOf(TestIdentifier test) {
        return classOf(test).orElse(test.getDisplayName());
    }

    private static Optional<String> classOf(TestIdentifier test) {
        return test.getSource()
                .filter(ClassSource.class::isInstance)
                .map(source -> ((ClassSource) source).getClassName());
    }

    private static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%7.2f s", time.toNanos() / 1e9);
    }
}
