package dev.mooring.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Many lives, on as many threads as are given; each is the business of one of them. */
final class Lives {
    private final int threads;
    private final int length;
    private final Coverage coverage = new Coverage();
    private final List<Life.Outcome> failed = new ArrayList<>();
    private long lived;
    private long steps;

    /** @param length acts of each */
    Lives(int threads, int length) {
        this.threads = threads;
        this.length = length;
    }

    /**
     * Lives seeds from {@code first} on.
     *
     * @param enough asked before each
     * @param each told of each outcome, one at a time
     */
    void live(long first, long count, BooleanSupplier enough, Consumer<Life.Outcome> each) throws InterruptedException {
        AtomicLong next = new AtomicLong(first);
        List<Thread> all = new ArrayList<>();
        List<Throwable> broken = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(
                    () -> {
                        try {
                            for (long seed = next.getAndIncrement();
                                    seed < first + count && !enough.getAsBoolean();
                                    seed = next.getAndIncrement()) {
                                Life.Outcome outcome = new Life(Plan.of(seed, length)).live();
                                synchronized (this) {
                                    note(outcome);
                                    each.accept(outcome);
                                }
                            }
                        } catch (RuntimeException | Error e) {
                            synchronized (this) {
                                broken.add(e);
                            }
                        }
                    },
                    "lives-" + i);
            thread.start();
            all.add(thread);
        }
        for (Thread thread : all) {
            thread.join();
        }
        if (!broken.isEmpty()) {
            throw new AssertionError("The simulation itself broke", broken.get(0));
        }
    }

    private void note(Life.Outcome outcome) {
        lived++;
        steps += outcome.steps();
        coverage.add(outcome.coverage());
        if (outcome.finding().isPresent()) {
            failed.add(outcome);
        }
    }

    Coverage coverage() {
        return coverage;
    }

    Optional<Life.Outcome> firstFailure() {
        return failed.stream().findFirst();
    }

    List<Life.Outcome> failed() {
        return failed;
    }

    long lived() {
        return lived;
    }

    long steps() {
        return steps;
    }
}
