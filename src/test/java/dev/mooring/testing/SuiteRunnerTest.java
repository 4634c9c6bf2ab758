package dev.mooring.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.mooring.testing.SuiteRunner.Options;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;

/** The runner decides whether a change may go in, so it has to fail when a test does. */
class SuiteRunnerTest {

    @TempDir
    private Path reports;

    private final StringWriter printed = new StringWriter();

    @Test
    void shouldFailWhenATestFails() {
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
    void shouldFailWhenAClassCannotBeSetUp() {
        SuiteSummary summary = run(BrokenFixture.class);

        assertThat(summary).isEqualTo(new SuiteSummary(0, 1, 0));
        assertThat(printed.toString()).contains("FAILED (the whole class)", "no set-up today");
    }

    @Test
    void shouldFailWhenNothingRan() {
        SuiteSummary summary = run(MixedFixture.class, "--tests", "NoSuchTest");

        assertThat(summary).isEqualTo(new SuiteSummary(0, 0, 0));
        assertThat(summary.successful()).isFalse();
        assertThat(printed.toString()).contains("No test ran");
    }

    @Test
    void shouldCountEveryTestOfASkippedClass() {
        assertThat(run(SkippedFixture.class)).isEqualTo(new SuiteSummary(0, 0, 2));
        assertThat(printed.toString()).contains("skipped (the whole class): not on this machine");
    }

    @Test
    void shouldRunOnlyWhatThePatternNames() {
        assertThat(run(MixedFixture.class, "--tests", "Mixed*#*Too")).isEqualTo(new SuiteSummary(1, 0, 0));
        assertThat(run(MixedFixture.class, "--tests", "Inner")).isEqualTo(new SuiteSummary(1, 0, 0));
    }

    @Test
    void shouldRunOnlyWhatHasTheTag() {
        assertThat(run(MixedFixture.class, "--tag", "red")).isEqualTo(new SuiteSummary(0, 1, 0));
    }

    @Test
    void shouldWriteReports() {
        run(MixedFixture.class);

        assertThat(reports.resolve("TEST-junit-jupiter.xml")).content().contains("<failure message=\"deliberate\"");
    }

    @Test
    void shouldAddWhatRanOnARealKernel() throws IOException {
        Path script = script("echo \"$@\"", "echo 2 passed, 1 failed, 3 skipped", "exit 1");

        assertThat(run(KernelFixture.class, "--kernel", script.toString())).isEqualTo(new SuiteSummary(3, 1, 3));
        assertThat(printed.toString())
                .contains("[kernel] " + System.getProperty("java.class.path"))
                .contains("--class " + KernelFixture.class.getName() + " --tag kernel");
    }

    @Test
    void shouldHandThePatternOnToTheRealKernel() throws IOException {
        Path script = script("echo \"$@\"", "echo 1 passed, 0 failed, 0 skipped");

        SuiteSummary summary =
                run(KernelFixture.class, "--tests", "KernelFixture.mounts", "--kernel", script.toString());

        assertThat(summary).isEqualTo(new SuiteSummary(1, 0, 0));
        assertThat(printed.toString()).contains("--tests KernelFixture.mounts").doesNotContain("No test ran");
    }

    @Test
    void shouldNotWakeTheKernelForNothing() throws IOException {
        Path script = script("echo woken", "exit 3");

        SuiteSummary summary = run(KernelFixture.class, "--tests", "needsNoKernel", "--kernel", script.toString());

        assertThat(summary).isEqualTo(new SuiteSummary(1, 0, 0));
        assertThat(printed.toString()).doesNotContain("woken");
    }

    @Test
    void shouldSkipWhatNeedsAKernelWhereThereIsNone() throws IOException {
        Path script = script("echo no kernel today", "exit 77");

        assertThat(run(KernelFixture.class, "--kernel", script.toString())).isEqualTo(new SuiteSummary(1, 0, 2));
        assertThat(printed.toString()).contains("[kernel] no kernel today", "[kernel] 2 tests skipped");
    }

    @Test
    void shouldFailWhenTheKernelBreaksOff() throws IOException {
        Path silent = script("echo Kernel panic", "exit 0");
        assertThat(run(KernelFixture.class, "--kernel", silent.toString())).isEqualTo(new SuiteSummary(1, 1, 0));

        Path killed = script("echo 2 passed, 0 failed, 0 skipped", "exit 137");
        assertThat(run(KernelFixture.class, "--kernel", killed.toString())).isEqualTo(new SuiteSummary(3, 1, 0));
        assertThat(printed.toString()).contains("[kernel] Kernel panic", "broke off with status 137");
    }

    @Test
    void shouldKeepLongMessagesShort() {
        AssertionError endless = new AssertionError("x".repeat(10_000) + "\ny".repeat(10_000));

        assertThat(StackExcerpt.of(endless)).hasSizeLessThan(100).allMatch(line -> line.length() < 1_000);
    }

    @Test
    void shouldRefuseUnknownOptions() {
        assertThatThrownBy(() -> Options.parse("--test", "X")).hasMessageContaining("but found --test");
        assertThatThrownBy(() -> Options.parse("--tests")).hasMessageContaining("Expected a value after --tests");
    }

    private Path script(String... lines) throws IOException {
        Path script = reports.resolve("run");
        Files.writeString(script, "#!/bin/sh\n" + String.join("\n", lines) + '\n');
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        return script;
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

    // The fixtures' names do not end in Test, so that the real run passes them by.

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
