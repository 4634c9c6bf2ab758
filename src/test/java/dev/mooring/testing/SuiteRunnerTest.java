package dev.mooring.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.mooring.testing.SuiteRunner.Options;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;

/** Tests that the runner reports failures: it decides whether a change is accepted. */
class SuiteRunnerTest {

    @TempDir
    private Path reports;

    private final StringWriter printed = new StringWriter();

    @Test
    void run_testFails_failsAndPrintsTheCause() {
        SuiteSummary summary = run(MixedFixture.class);

        assertThat(summary).isEqualTo(new SuiteSummary(2, 1, 2));
        assertThat(summary.successful()).isFalse();
        assertThat(summary.line()).isEqualTo("2 passed, 1 failed, 2 skipped");
        assertThat(printed.toString())
                .contains("FAILED fails()", "deliberate", "SuiteRunnerTest.java:")
                .contains("skipped disabled(): waits for a kernel")
                .contains("skipped aborted(): no tmpfs here")
                .doesNotContain("at org.junit.");
    }

    @Test
    void run_passedAndFailedTests_showsOutputOfFailedTestsOnly() {
        PrintStream before = System.err;

        run(PrintingFixture.class);

        assertThat(printed.toString())
                .contains("| output of the failing test", "| output of its thread")
                .doesNotContain("output of the passing test", "line 0\n");
        assertThat(reports.resolve("output.log")).content().contains("output of the passing test", "line 0\n");
        assertThat(System.err).isSameAs(before);
    }

    @Test
    void run_classSetUpFails_countsAsFailure() {
        SuiteSummary summary = run(BrokenFixture.class);

        assertThat(summary).isEqualTo(new SuiteSummary(0, 1, 0));
        assertThat(printed.toString()).contains("FAILED (the whole class)", "no set-up today");
    }

    @Test
    void run_patternMatchesNothing_fails() {
        SuiteSummary summary = run(MixedFixture.class, "--tests", "NoSuchTest");

        assertThat(summary).isEqualTo(new SuiteSummary(0, 0, 0));
        assertThat(summary.successful()).isFalse();
        assertThat(printed.toString()).contains("No test ran");
    }

    @Test
    void run_classDisabled_countsAllItsTestsAsSkipped() {
        assertThat(run(SkippedFixture.class)).isEqualTo(new SuiteSummary(0, 0, 2));
        assertThat(printed.toString()).contains("skipped (the whole class): not on this machine");
    }

    @Test
    void run_withPattern_runsMatchingTestsOnly() {
        assertThat(run(MixedFixture.class, "--tests", "Mixed*#*Too")).isEqualTo(new SuiteSummary(1, 0, 0));
        assertThat(run(MixedFixture.class, "--tests", "Inner")).isEqualTo(new SuiteSummary(1, 0, 0));
    }

    @Test
    void run_withTag_runsTaggedTestsOnly() {
        assertThat(run(MixedFixture.class, "--tag", "red")).isEqualTo(new SuiteSummary(0, 1, 0));
    }

    @Test
    void run_writesXmlReports() {
        run(MixedFixture.class);

        assertThat(reports.resolve("TEST-junit-jupiter.xml")).content().contains("<failure message=\"deliberate\"");
    }

    @Test
    void run_withKernelScript_addsItsResults() throws IOException {
        Path script = script("echo \"$@\"", "echo 2 passed, 1 failed, 3 skipped", "exit 1");

        assertThat(run(KernelFixture.class, "--kernel", script.toString())).isEqualTo(new SuiteSummary(3, 1, 3));
        assertThat(printed.toString())
                .contains("[kernel] " + System.getProperty("java.class.path"))
                .contains("--class " + KernelFixture.class.getName() + " --tag kernel");
    }

    @Test
    void run_withKernelScriptAndPattern_passesThePattern() throws IOException {
        Path script = script("echo \"$@\"", "echo 1 passed, 0 failed, 0 skipped");

        SuiteSummary summary =
                run(KernelFixture.class, "--tests", "KernelFixture.mounts", "--kernel", script.toString());

        assertThat(summary).isEqualTo(new SuiteSummary(1, 0, 0));
        assertThat(printed.toString()).contains("--tests KernelFixture.mounts").doesNotContain("No test ran");
    }

    @Test
    void run_noKernelTestSelected_doesNotStartTheKernel() throws IOException {
        Path script = script("echo kernel started", "exit 3");

        SuiteSummary summary = run(KernelFixture.class, "--tests", "needsNoKernel", "--kernel", script.toString());

        assertThat(summary).isEqualTo(new SuiteSummary(1, 0, 0));
        assertThat(printed.toString()).doesNotContain("kernel started");
    }

    @Test
    void run_kernelUnsupported_skipsKernelTests() throws IOException {
        Path script = script("echo no kernel today", "exit 77");

        assertThat(run(KernelFixture.class, "--kernel", script.toString())).isEqualTo(new SuiteSummary(1, 0, 2));
        assertThat(printed.toString()).contains("[kernel] no kernel today", "[kernel] 2 tests skipped");
    }

    @Test
    void run_kernelTestsAborted_fails() throws IOException {
        Path silent = script("echo Kernel panic", "exit 0");
        assertThat(run(KernelFixture.class, "--kernel", silent.toString())).isEqualTo(new SuiteSummary(1, 1, 0));

        Path killed = script("echo 2 passed, 0 failed, 0 skipped", "exit 137");
        assertThat(run(KernelFixture.class, "--kernel", killed.toString())).isEqualTo(new SuiteSummary(3, 1, 0));
        assertThat(printed.toString()).contains("[kernel] Kernel panic", "aborted with status 137");
    }

    @Test
    void run_withWorkers_runsAllClassesAndSumsResults() {
        SuiteSummary summary = inWorkers("", MixedFixture.class, PrintingFixture.class, SkippedFixture.class);

        assertThat(summary).isEqualTo(new SuiteSummary(3, 2, 4));
        assertThat(printed.toString())
                .contains("FAILED fails()", "| output of the failing test", "skipped disabled(): waits for a kernel")
                .doesNotContain("output of the passing test")
                .containsOnlyOnce("failed tests\n  dev.mooring.testing.SuiteRunnerTest$")
                .endsWith(")\n");
        assertThat(reports.resolve("output.log")).content().contains("output of the passing test");
        assertThat(reports.resolve("TEST-" + MixedFixture.class.getName() + ".xml"))
                .content()
                .contains("<failure message=\"deliberate\"");
    }

    @Test
    void run_withWorkersAndPattern_runsMatchingTestsOnly() {
        assertThat(inWorkers("Inner", MixedFixture.class, PrintingFixture.class))
                .isEqualTo(new SuiteSummary(1, 0, 0));
    }

    @Test
    void run_workerExits_failsItsClassAndContinuesInAnotherWorker() {
        SuiteSummary summary = inWorkers("", HaltingFixture.class, SkippedFixture.class, KernelFixture.class);

        assertThat(summary).isEqualTo(new SuiteSummary(1, 3, 2));
        assertThat(printed.toString())
                .contains("failed tests\n", "  " + HaltingFixture.class.getName() + " (the whole class)\n")
                .contains("    JVM ended with status 3 during this class\n");
        assertThat(reports.resolve("TEST-" + HaltingFixture.class.getName() + ".xml"))
                .content()
                .contains("<failure message=\"JVM ended with status 3");
        assertThat(reports.resolve("output.log")).content().contains("about to halt");
    }

    @Test
    void suiteOrder_namesExistingClassesAndSortsThemFirst() {
        List<String> order = WorkerPool.order();

        assertThat(order)
                .isNotEmpty()
                .allSatisfy(each -> assertThat(Class.forName(each)).isNotNull());
        assertThat(WorkerPool.longestFirst(List.of("a.Test", order.get(1), order.get(0))))
                .containsExactly(order.get(0), order.get(1), "a.Test");
    }

    @Test
    void stackExcerpt_longMessage_isTruncated() {
        AssertionError longMessage = new AssertionError("x".repeat(10_000) + "\ny".repeat(10_000));

        assertThat(StackExcerpt.of(longMessage)).hasSizeLessThan(100).allMatch(line -> line.length() < 1_000);
    }

    @Test
    void optionsParse_unknownOptionOrMissingValue_fails() {
        assertThatThrownBy(() -> Options.parse("--test", "X")).hasMessageContaining("Unknown option --test");
        assertThatThrownBy(() -> Options.parse("--tests")).hasMessageContaining("Option --tests needs a value");
    }

    private Path script(String... lines) throws IOException {
        Path script = reports.resolve("run");
        Files.writeString(script, "#!/bin/sh\n" + String.join("\n", lines) + '\n');
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        return script;
    }

    private SuiteSummary inWorkers(String pattern, Class<?>... fixtures) {
        return SuiteRunner.run(
                () -> LauncherDiscoveryRequestBuilder.request()
                        .selectors(Arrays.stream(fixtures)
                                .map(DiscoverySelectors::selectClass)
                                .toList()),
                Options.parse(
                        "--reports",
                        reports.toString(),
                        "--tests",
                        pattern,
                        "--workers",
                        "2",
                        "--jvm",
                        "-XX:TieredStopAtLevel=1 -Xmx128m"),
                new PrintWriter(printed, true));
    }

    private SuiteSummary run(Class<?> fixture, String... filters) {
        String[] args = new String[filters.length + 2];
        args[0] = "--reports";
        args[1] = reports.toString();
        System.arraycopy(filters, 0, args, 2, filters.length);
        return SuiteRunner.run(
                () -> LauncherDiscoveryRequestBuilder.request().selectors(selectClass(fixture)),
                Options.parse(args),
                new PrintWriter(printed, true));
    }

    // The fixtures' names do not end in Test, so that the real run ignores them.

    static class MixedFixture {
        @Test
        void passes() {}

        @Test
        @Tag("red")
        void fails() {
            throw new AssertionError("deliberate");
        }

        @Test
        @Disabled("waits for a kernel")
        void disabled() {}

        @Test
        void aborted() {
            abort("no tmpfs here");
        }

        @Nested
        class Inner {
            @Test
            void passesToo() {}
        }
    }

    static class PrintingFixture {
        @Test
        void passes() {
            System.err.println("output of the passing test");
        }

        @Test
        void fails() throws InterruptedException {
            for (int i = 0; i < 100_000; i++) {
                System.out.println("line " + i);
            }
            System.err.println("output of the failing test");
            Thread thread = new Thread(() -> System.out.println("output of its thread"));
            thread.start();
            thread.join();
            throw new AssertionError("deliberate");
        }
    }

    static class HaltingFixture {
        @Test
        void halts() {
            System.out.println("about to halt");
            Runtime.getRuntime().halt(3);
        }
    }

    static class KernelFixture {
        @Test
        @Tag("kernel")
        void mounts() {
            throw new AssertionError("not here");
        }

        @Test
        @Tag("kernel")
        void unmounts() {
            throw new AssertionError("not here");
        }

        @Test
        void needsNoKernel() {}
    }

    static class BrokenFixture {
        @BeforeAll
        static void setUp() {
            throw new IllegalStateException("no set-up today");
        }

        @Test
        void neverRuns() {}
    }

    @Disabled("not on this machine")
    static class SkippedFixture {
        @Test
        void one() {}

        @Test
        void two() {}
    }
}
