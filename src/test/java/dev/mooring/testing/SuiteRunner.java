package dev.mooring.testing;

import static org.junit.platform.engine.discovery.ClassNameFilter.STANDARD_INCLUDE_PATTERN;
import static org.junit.platform.engine.discovery.ClassNameFilter.includeClassNamePatterns;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClasspathRoots;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.reporting.legacy.xml.LegacyXmlReportGeneratingListener;

/**
 * Runs every test of the project in one JVM, with whatever JUnit engines are on the class path, and ends with the line
 * {@code N passed, N failed, N skipped}. It takes the place of Gradle's Test task, which in the Gradle of Debian 12 does
 * not know JUnit 5. Tests that need a kernel to play with run beside them in another JVM ({@link KernelPart}), and are
 * counted here.
 *
 * <p>Test classes are called {@code …Test} or, for properties of jqwik, {@code …Properties}.
 *
 * <p>A run in which nothing passed is a failed run: a filter that matches nothing must not look like success.
 */
public final class SuiteRunner {

    /**
     * What to run: all test classes below {@code classes}, or those of JUnit's own kind that are {@code named}; of them all, or only the tests whose
     * {@code Class.method} contains {@code pattern} ({@code *} stands for anything), or only those with {@code tag}.
     *
     * @param kernel the script that runs tests on a real kernel; without it they run here, where they skip themselves
     */
    record Options(
            List<Path> classes,
            List<String> named,
            Path reports,
            Optional<String> pattern,
            Optional<String> tag,
            Optional<Path> kernel) {

        static Options parse(String... args) {
            List<Path> classes = new ArrayList<>();
            List<String> named = new ArrayList<>();
            Path reports = Path.of("build", "test-results");
            Optional<String> pattern = Optional.empty();
            Optional<String> tag = Optional.empty();
            Optional<Path> kernel = Optional.empty();
            for (int i = 0; i < args.length; i += 2) {
                if (i + 1 == args.length) {
                    throw new IllegalArgumentException("Expected a value after " + args[i] + ", but found none");
                }
                String value = args[i + 1];
                switch (args[i]) {
                    case "--classes" -> classes.add(Path.of(value));
                    case "--class" -> named.add(value);
                    case "--reports" -> reports = Path.of(value);
                    case "--tests" -> pattern = nonBlank(value);
                    case "--tag" -> tag = nonBlank(value);
                    case "--kernel" -> kernel = nonBlank(value).map(Path::of);
                    default ->
                        throw new IllegalArgumentException(
                                "Expected --classes, --class, --reports, --tests, --tag or --kernel, but found "
                                        + args[i]);
                }
            }
            return new Options(List.copyOf(classes), List.copyOf(named), reports, pattern, tag, kernel);
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
        SuiteSummary summary = run(options, out);
        out.println(summary.line());
        out.flush();
        // Not a return: a thread that a test left behind must not keep the run alive.
        System.exit(summary.successful() ? 0 : 1);
    }

    private static SuiteSummary run(Options options, PrintWriter out) {
        return run(() -> everything(options), options, out);
    }

    private static LauncherDiscoveryRequestBuilder everything(Options options) {
        LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request()
                .filters(includeClassNamePatterns(STANDARD_INCLUDE_PATTERN, "^.*Properties$"));
        options.named().forEach(each -> request.selectors(selectClass(each)));
        if (!options.named().isEmpty()) {
            request.filters(EngineFilter.includeEngines("junit-jupiter"));
        }
        return request.selectors(selectClasspathRoots(new HashSet<>(options.classes())));
    }

    /** Runs what is requested, prints everything to {@code out} but the last line, and says how it went. */
    static SuiteSummary run(Supplier<LauncherDiscoveryRequestBuilder> requests, Options options, PrintWriter out) {
        Launcher launcher = LauncherFactory.create();
        LauncherDiscoveryRequestBuilder here = chosen(requests.get(), options);
        Optional<KernelPart> kernel = Optional.empty();
        if (options.kernel().isPresent()) {
            here.filters(TagFilter.excludeTags(KernelPart.TAG));
            LauncherDiscoveryRequestBuilder there =
                    chosen(requests.get(), options).filters(TagFilter.includeTags(KernelPart.TAG));
            kernel = KernelPart.start(launcher.discover(there.build()), options, out);
        }
        SuiteProgress progress = new SuiteProgress(out);
        TestExecutionListener xml = new LegacyXmlReportGeneratingListener(options.reports(), out);
        try (Watchdog watchdog =
                new Watchdog(out, Watchdog.LIMIT, () -> Runtime.getRuntime().halt(1))) {
            launcher.execute(here.build(), progress, xml, watchdog);
        }
        SuiteSummary summary = progress.finish();
        if (kernel.isPresent()) {
            summary = summary.plus(kernel.get().await());
        }
        if (summary.passed() + summary.failed() == 0) {
            out.println("No test ran: does the pattern or the tag name an existing test?");
        }
        return summary;
    }

    private static LauncherDiscoveryRequestBuilder chosen(LauncherDiscoveryRequestBuilder request, Options options) {
        options.pattern().ifPresent(pattern -> request.filters(nameContains(pattern)));
        options.tag().ifPresent(tag -> request.filters(TagFilter.includeTags(tag)));
        return request;
    }

    /** JUnit asks for the leaves of the tree only. */
    private static PostDiscoveryFilter nameContains(String pattern) {
        NamePattern names = new NamePattern(pattern);
        return descriptor -> FilterResult.includedIf(names.matches(descriptor));
    }
}
