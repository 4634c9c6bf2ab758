package dev.mooring.testing;

import static org.junit.platform.engine.discovery.ClassNameFilter.STANDARD_INCLUDE_PATTERN;
import static org.junit.platform.engine.discovery.ClassNameFilter.includeClassNamePatterns;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClasspathRoots;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.reporting.legacy.xml.LegacyXmlReportGeneratingListener;

/**
 * Runs all tests of the project, in this JVM or in several others ({@link WorkerPool}), with all JUnit engines on the
 * class path, and ends with the line {@code N passed, N failed, N skipped}. It replaces Gradle's Test task, which in
 * the Gradle of Debian 12 does not support JUnit 5. Tests that need a real kernel run in parallel in another JVM
 * ({@link KernelTestRun}) and are included in the result. The output of all tests is in {@code output.log} among the
 * reports; only that of failed tests is printed.
 *
 * <p>Test classes are named {@code …Test} or, for properties of jqwik, {@code …Properties}.
 *
 * <p>A run without a passed test fails, so that a filter that matches nothing is noticed.
 */
public final class SuiteRunner {

    /**
     * Options: runs all test classes below {@code classes}, or the Jupiter classes in {@code named}; of these all
     * tests, or only those whose {@code Class.method} contains {@code pattern} ({@code *} is a wildcard), or only those
     * with {@code tag}.
     *
     * @param kernel the script that runs tests on a real kernel; without it they run here and skip themselves
     * @param workers number of JVMs that run the classes; 0 for this one
     * @param jvm options of these JVMs
     * @param worker file for the captured output of a JVM that a {@link WorkerPool} has started
     */
    record Options(
            List<Path> classes,
            List<String> named,
            Path reports,
            Optional<String> pattern,
            Optional<String> tag,
            Optional<Path> kernel,
            int workers,
            List<String> jvm,
            Optional<Path> worker) {

        static Options parse(String... args) {
            List<Path> classes = new ArrayList<>();
            List<String> named = new ArrayList<>();
            Path reports = Path.of("build", "test-results");
            Optional<String> pattern = Optional.empty();
            Optional<String> tag = Optional.empty();
            Optional<Path> kernel = Optional.empty();
            int workers = 0;
            List<String> jvm = List.of();
            Optional<Path> worker = Optional.empty();
            for (int i = 0; i < args.length; i += 2) {
                if (i + 1 == args.length) {
                    throw new IllegalArgumentException("Option " + args[i] + " needs a value");
                }
                String value = args[i + 1];
                switch (args[i]) {
                    case "--classes" -> classes.add(Path.of(value));
                    case "--class" -> named.add(value);
                    case "--reports" -> reports = Path.of(value);
                    case "--tests" -> pattern = nonBlank(value);
                    case "--tag" -> tag = nonBlank(value);
                    case "--kernel" -> kernel = nonBlank(value).map(Path::of);
                    case "--workers" -> workers = Integer.parseInt(value);
                    case "--jvm" -> jvm = List.of(value.strip().split("\\s+"));
                    case "--worker" -> worker = Optional.of(Path.of(value));
                    default ->
                        throw new IllegalArgumentException("Unknown option " + args[i]
                                + "; use --classes, --class, --reports, --tests, --tag, --kernel,"
                                + " --workers or --jvm");
                }
            }
            return new Options(
                    List.copyOf(classes), List.copyOf(named), reports, pattern, tag, kernel, workers, jvm, worker);
        }

        private static Optional<String> nonBlank(String value) {
            return Optional.of(value).filter(text -> !text.isBlank());
        }
    }

    private SuiteRunner() {}

    public static void main(String[] args) {
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        Options options;
        try {
            options = Options.parse(args);
        } catch (IllegalArgumentException wrongUsage) {
            out.println(wrongUsage.getMessage());
            System.exit(2);
            return;
        }
        if (options.worker().isPresent()) {
            runClassesOf(System.in, options, out);
            return;
        }
        SuiteSummary summary = run(options, out);
        out.println(summary.line());
        out.flush();
        // Not a return: a thread left by a test must not keep the JVM running.
        System.exit(summary.successful() ? 0 : 1);
    }

    private static SuiteSummary run(Options options, PrintWriter out) {
        return run(() -> allTests(options), options, out);
    }

    private static LauncherDiscoveryRequestBuilder allTests(Options options) {
        LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request()
                .filters(includeClassNamePatterns(STANDARD_INCLUDE_PATTERN, "^.*Properties$"));
        options.named().forEach(each -> request.selectors(selectClass(each)));
        if (!options.named().isEmpty()) {
            request.filters(EngineFilter.includeEngines("junit-jupiter"));
        }
        return request.selectors(selectClasspathRoots(new HashSet<>(options.classes())));
    }

    /**
     * Runs the requested tests and prints everything to {@code out} except the last line.
     *
     * @return the summary
     */
    static SuiteSummary run(Supplier<LauncherDiscoveryRequestBuilder> requests, Options options, PrintWriter out) {
        // First, because logging keeps the stream that it finds when the first class is loaded.
        try (CapturedOutput output = new CapturedOutput(options.reports().resolve("output.log"))) {
            return run(requests, options, out, output);
        }
    }

    private static SuiteSummary run(
            Supplier<LauncherDiscoveryRequestBuilder> requests,
            Options options,
            PrintWriter out,
            CapturedOutput output) {
        Launcher launcher = LauncherFactory.create();
        LauncherDiscoveryRequestBuilder localTests = filtered(requests.get(), options);
        Optional<KernelTestRun> kernel = Optional.empty();
        if (options.kernel().isPresent()) {
            localTests.filters(TagFilter.excludeTags(KernelTestRun.TAG));
            LauncherDiscoveryRequestBuilder kernelTests =
                    filtered(requests.get(), options).filters(TagFilter.includeTags(KernelTestRun.TAG));
            kernel = KernelTestRun.start(launcher.discover(kernelTests.build()), options, out);
        }
        SuiteSummary summary = options.workers() == 0
                ? execute(launcher, localTests, options.reports(), out, output)
                : WorkerPool.run(classesOf(launcher.discover(localTests.build())), options, out, output);
        if (kernel.isPresent()) {
            summary = summary.plus(kernel.get().await());
        }
        if (summary.passed() + summary.failed() == 0) {
            out.println("No test ran: does the pattern or the tag name an existing test?");
        }
        return summary;
    }

    private static SuiteSummary execute(
            Launcher launcher,
            LauncherDiscoveryRequestBuilder request,
            Path reports,
            PrintWriter out,
            CapturedOutput output) {
        SuiteProgress progress = new SuiteProgress(out, output);
        try (Watchdog watchdog =
                new Watchdog(out, Watchdog.LIMIT, () -> Runtime.getRuntime().halt(1))) {
            launcher.execute(request.build(), progress, new LegacyXmlReportGeneratingListener(reports, out), watchdog);
        }
        return progress.finish();
    }

    /**
     * The worker's side of {@link WorkerPool}: runs the classes named by the lines of {@code names}, and exits when
     * {@code names} ends.
     */
    private static void runClassesOf(InputStream names, Options options, PrintWriter out) {
        System.setIn(InputStream.nullInputStream());
        BlockingQueue<String> queue = new LinkedBlockingQueue<>();
        Thread reader = new Thread(
                () -> {
                    new BufferedReader(new InputStreamReader(names, StandardCharsets.UTF_8))
                            .lines()
                            .forEach(queue::add);
                    System.exit(0);
                },
                "names of test classes");
        reader.setDaemon(true);
        reader.start();
        try (CapturedOutput output = new CapturedOutput(options.worker().orElseThrow())) {
            Launcher launcher = LauncherFactory.create();
            while (true) {
                out.println(
                        runClass(launcher, queue.take(), options, out, output).line());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static SuiteSummary runClass(
            Launcher launcher, String name, Options options, PrintWriter out, CapturedOutput output)
            throws IOException {
        Path seeds = Files.createDirectories(options.reports().resolve("jqwik")).resolve(name);
        LauncherDiscoveryRequestBuilder request = filtered(LauncherDiscoveryRequestBuilder.request(), options)
                .selectors(selectClass(name))
                .configurationParameter("jqwik.database", seeds.toString());
        if (options.kernel().isPresent()) {
            request.filters(TagFilter.excludeTags(KernelTestRun.TAG));
        }
        Path directory = Files.createTempDirectory(options.reports(), "class");
        SuiteSummary summary = execute(launcher, request, directory, out, output);
        try (DirectoryStream<Path> written = Files.newDirectoryStream(directory)) {
            for (Path each : written) {
                // An engine without tests in this class also writes a report.
                if (Files.readString(each).contains("<testcase")) {
                    Files.move(each, report(options, name), StandardCopyOption.REPLACE_EXISTING);
                } else {
                    Files.delete(each);
                }
            }
        }
        Files.delete(directory);
        return summary;
    }

    /** Returns the XML report of a class that a {@link WorkerPool} runs. */
    static Path report(Options options, String name) {
        return options.reports().resolve("TEST-" + name + ".xml");
    }

    /** Returns the names of the test classes of a plan, without nested ones. */
    static List<String> classesOf(TestPlan plan) {
        return plan.getRoots().stream()
                .flatMap(root -> plan.getChildren(root).stream())
                .map(SuiteRunner::className)
                .distinct()
                .sorted()
                .toList();
    }

    private static String className(TestIdentifier test) {
        return test.getSource()
                .filter(ClassSource.class::isInstance)
                .map(source -> ((ClassSource) source).getClassName())
                .orElseThrow(() -> new IllegalStateException("Test has no class: " + test.getUniqueId()));
    }

    private static LauncherDiscoveryRequestBuilder filtered(LauncherDiscoveryRequestBuilder request, Options options) {
        options.pattern().ifPresent(pattern -> request.filters(nameContains(pattern)));
        options.tag().ifPresent(tag -> request.filters(TagFilter.includeTags(tag)));
        return request;
    }

    /** Filters tests by name; JUnit applies it to the leaves of the tree only. */
    private static PostDiscoveryFilter nameContains(String pattern) {
        NamePattern names = new NamePattern(pattern);
        return descriptor -> FilterResult.includedIf(names.matches(descriptor));
    }
}
