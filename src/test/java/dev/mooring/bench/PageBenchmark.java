package dev.mooring.bench;

import com.microsoft.playwright.Page;
import dev.mooring.ui.PageFixture;
import java.util.List;
import java.util.Map;

/** Measures the web page in a real browser: bytes to load, time until objects are shown, time of a step in time. */
final class PageBenchmark implements Benchmark {
    private static final double GOAL_BYTES = 400 * 1024;
    private static final double GOAL_SHOWN_SECONDS = 1;
    private static final double GOAL_STEP_SECONDS = 0.05;

    /** Returns the milliseconds since the navigation once objects are shown; null before. */
    private static final String SHOWN =
            "() => document.querySelectorAll('[role=group][aria-label^=Graph] button').length > 0 && performance.now()";

    /** Returns the compressed sizes of the page and of all files that it has loaded. */
    private static final String SIZES = """
        () => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
          .filter((each) => new URL(each.name).pathname.startsWith("/ui/"))
          .map((each) => each.encodedBodySize)\
        """;

    /** Presses a key repeatedly and returns the milliseconds until the frame that shows each step is drawn. */
    private static final String STEPS = """
        async ([key, count]) => {
          const slider = document.querySelector("[role=slider]");
          const times = [];
          for (let i = 0; i < count; i++) {
            const before = slider.getAttribute("aria-valuenow");
            const begin = performance.now();
            document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
            do {
              await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
            } while (slider.getAttribute("aria-valuenow") === before);
            times.push(performance.now() - begin);
          }
          return times;
        }\
        """;

    @Override
    public String name() {
        return "page";
    }

    @Override
    public String title() {
        return "The web page with 1,000 objects";
    }

    @Override
    public void run(BenchmarkRun run) throws Exception {
        try (PageFixture fixture = PageFixture.start(run.newDirectory("page"), Map.of("without", "node,pods"))) {
            run.step("creating 1,000 objects");
            fixture.fill(400);
            try (PageFixture.Window window = fixture.signIn()) {
                // A reload ends requests for the past, whose reads on the server may still count for the user.
                window.expectingErrors("429");
                Page page = window.page();
                page.waitForFunction(SHOWN);
                measureSize(run, page);
                measureFirstPaint(run, page);
                measureSteps(run, page);
            }
        }
    }

    private static void measureSize(BenchmarkRun run, Page page) {
        List<?> sizes = (List<?>) page.evaluate(SIZES);
        run.report(Figure.of(
                        "files, compressed",
                        MeasureUnit.BYTES,
                        Measurements.of(sizes.stream()
                                .mapToInt(each -> ((Number) each).intValue())
                                .sum()))
                .goal(Goal.below(GOAL_BYTES))
                .note("files", Integer.toString(sizes.size())));
    }

    private static void measureFirstPaint(BenchmarkRun run, Page page) {
        Measurements shown = new Measurements();
        Measurements painted = new Measurements();
        int rounds = run.choose(10, 3);
        for (int round = 0; round < rounds; round++) {
            run.step("loading the page, " + (round + 1) + " of " + rounds);
            page.reload();
            shown.add(((Number) page.waitForFunction(SHOWN).jsonValue()).doubleValue() / 1e3);
            painted.add(((Number) page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
                            .doubleValue()
                    / 1e3);
        }
        run.report(Figure.of("from reload to shown objects", MeasureUnit.SECONDS, shown)
                .goal(Goal.below(GOAL_SHOWN_SECONDS))
                .detail("first paint", MeasureUnit.SECONDS, painted.median()));
    }

    private static void measureSteps(BenchmarkRun run, Page page) {
        run.step("stepping back in time");
        int count = run.choose(200, 50);
        Measurements steps = new Measurements();
        for (Object each : (List<?>) page.evaluate(STEPS, List.of("[", count))) {
            steps.add(((Number) each).doubleValue() / 1e3);
        }
        run.report(Figure.of("step to the event before", MeasureUnit.SECONDS, Measurements.of(steps.median()))
                .goal(Goal.below(GOAL_STEP_SECONDS))
                .detail("p99", MeasureUnit.SECONDS, steps.percentile(99))
                .note("steps", Integer.toString(count)));
    }
}
