package dev.mooring.sim;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * {@code make chaos}: lives seeds for a time, or one exactly. Ends with 1 if something was found, which is then told with its seed.
 *
 * <pre>--seed N [--acts N] | --seconds N [--acts N] [--first SEED] [--threads N]</pre>
 */
public final class Chaos {
    private static final int MINIMIZING_LIVES = 400;
    private static final int TELL_AFTER_SECONDS = 10;

    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private Chaos() {}

    public static void main(String[] args) throws InterruptedException {
        Quiet.please();
        System.exit(new Chaos().run(args));
    }

    private int run(String... args) throws InterruptedException {
        long seconds = 60;
        long first = System.currentTimeMillis() * 1000;
        int threads = Runtime.getRuntime().availableProcessors();
        int length = Plan.ACTS;
        OptionalLong seed = OptionalLong.empty();
        for (int i = 0; i + 1 < args.length; i += 2) {
            long value = Long.parseLong(args[i + 1]);
            switch (args[i]) {
                case "--seed" -> seed = OptionalLong.of(value);
                case "--acts" -> length = (int) value;
                case "--seconds" -> seconds = value;
                case "--first" -> first = value;
                case "--threads" -> threads = (int) value;
                default ->
                    throw new IllegalArgumentException(
                            "Expected --seed, --acts, --seconds, --first or --threads, but found " + args[i]);
            }
        }
        return seed.isPresent()
                ? one(Plan.of(seed.getAsLong(), length))
                : many(first, seconds, new Lives(threads, length));
    }

    /** The same life again, twice, to show that it is the same. */
    private int one(Plan plan) {
        Life.Outcome outcome = new Life(plan).live();
        Life.Outcome again = new Life(plan).live();
        outcome.diary().forEach(out::println);
        out.println("seed " + plan.seed() + ": " + outcome.steps() + " steps, trace "
                + Long.toHexString(outcome.trace())
                + (outcome.trace() == again.trace() ? ", and again the same" : ", but another the second time"));
        if (outcome.finding().isEmpty()) {
            out.println("nothing was found");
            return 0;
        }
        tell(outcome);
        return 1;
    }

    private int many(long first, long seconds, Lives lives) throws InterruptedException {
        long start = System.nanoTime();
        long end = start + TimeUnit.SECONDS.toNanos(seconds);
        long[] told = {start};
        out.println("simulation: seeds from " + first + " for " + seconds + " s");
        lives.live(first, Long.MAX_VALUE - first, () -> System.nanoTime() > end, outcome -> {
            outcome.finding()
                    .ifPresent(found -> out.println("  seed " + outcome.plan().seed() + ": " + found));
            if (System.nanoTime() - told[0] > TimeUnit.SECONDS.toNanos(TELL_AFTER_SECONDS)) {
                told[0] = System.nanoTime();
                out.println("  " + lives.lived() + " lives, " + lives.steps() + " steps, "
                        + lives.failed().size() + " failed");
            }
        });
        out.println("faults and phases reached:");
        CoverageReport.lines(lives.coverage()).forEach(out::println);
        out.println(lives.lived() + " lives, " + lives.steps() + " steps, "
                + lives.failed().size() + " failed");
        lives.failed().stream().limit(3).forEach(this::tell);
        lives.failed().stream()
                .skip(3)
                .forEach(each -> out.println(
                        "seed " + each.plan().seed() + ": " + each.finding().orElseThrow()));
        return lives.failed().isEmpty() ? 0 : 1;
    }

    private void tell(Life.Outcome failed) {
        List<String> report = FailureReport.of(failed, new Minimizer(MINIMIZING_LIVES).minimize(failed));
        report.forEach(out::println);
    }
}
