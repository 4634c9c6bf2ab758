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
 * Prints one line per test class as it ends, failures with the part of the stack that matters, skips with their reason,
 * and at the end the slowest tests. Tests may run in parallel: every method takes the lock of this object.
 */
final class SuiteProgress implements TestExecutionListener {

    private static final int SLOWEST = 10;
    private static final Duration WORTH_NAMING = Duration.ofMillis(100);

    private record Timed(String name, Duration time) {}

    /** What is known of one test class while it runs. */
    private static final class Group {
        long passed;
        long failed;
        long skipped;
        final List<String> details = new ArrayList<>();
    }

    private final PrintWriter out;
    private final Map<String, Long> startedAt = new HashMap<>();
    private final Map<String, Group> groups = new HashMap<>();
    private final List<Timed> times = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private TestPlan plan;
    private long passed;
    private long failed;
    private long skipped;

    SuiteProgress(PrintWriter out) {
        this.out = out;
    }

    @Override
    public synchronized void testPlanExecutionStarted(TestPlan testPlan) {
        plan = testPlan;
    }

    @Override
    public synchronized void executionStarted(TestIdentifier test) {
        startedAt.put(test.getUniqueId(), System.nanoTime());
    }

    @Override
    public synchronized void executionSkipped(TestIdentifier test, String reason) {
        // A skipped class is reported once, with as many skips as it has tests.
        long tests = test.isTest() ? 1 : Math.max(1, testsBelow(test));
        skip(test, reason, tests);
        if (isClassOfItsOwn(test)) {
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
        if (isClassOfItsOwn(test)) {
            printGroup(test, took);
        } else if (test.getParentId().isEmpty()) {
            // Failures of the engine itself belong to no class.
            Optional.ofNullable(groups.remove(test.getUniqueId())).ifPresent(this::printDetails);
        }
    }

    /** Prints what is worth knowing after the run; call it once. */
    synchronized SuiteSummary finish() {
        List<Timed> slowest = times.stream()
                .filter(timed -> timed.time().compareTo(WORTH_NAMING) >= 0)
                .sorted(Comparator.comparing(Timed::time).reversed())
                .limit(SLOWEST)
                .toList();
        if (!slowest.isEmpty()) {
            out.println();
            out.println("slowest tests");
            slowest.forEach(timed -> out.println("  " + seconds(timed.time()) + "  " + timed.name()));
        }
        if (!failures.isEmpty()) {
            out.println();
            out.println("failed tests");
            failures.forEach(out::println);
        }
        return new SuiteSummary(passed, failed, skipped);
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
        // Told once more at the end: the beginning of a long output gets lost.
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

    /** Nested classes are told within the line of the class around them. */
    private boolean isClassOfItsOwn(TestIdentifier test) {
        return classOf(test).isPresent()
                && plan.getParent(test).flatMap(SuiteProgress::classOf).isEmpty();
    }

    private Group groupOf(TestIdentifier test) {
        return groups.computeIfAbsent(ownerOf(test).getUniqueId(), id -> new Group());
    }

    private TestIdentifier ownerOf(TestIdentifier test) {
        return path(test).stream()
                .filter(this::isClassOfItsOwn)
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
                        .map(TestIdentifier::getDisplayName)
                        .toList());
    }

    /** From the engine down to the test. */
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
