package dev.mooring.bench;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Closed-loop writers: each writes, waits for the answer, and writes again.
 *
 * <p>A writer is a chain of callbacks, not a thread: 256 threads on few cores would measure the scheduler. Each answer
 * is passed to the event loop {@code loop} before the next write, like in a server's request handler.
 */
final class ClosedLoop {
    /** A target of writes. */
    interface Target {
        CompletionStage<?> write(int writer, long sequence);
    }

    /** Result of a run. The processor time is that of this process, including clients. */
    static final class Result {
        private final long[] sortedLatencies;
        private final long nanos;
        private final long cpuNanos;

        private Result(long[] sortedLatencies, long nanos, long cpuNanos) {
            this.sortedLatencies = sortedLatencies;
            this.nanos = nanos;
            this.cpuNanos = cpuNanos;
        }

        int operations() {
            return sortedLatencies.length;
        }

        double perSecond() {
            return operations() / (nanos / 1e9);
        }

        double latencySeconds(double percent) {
            int index = (int) (operations() * percent / 100);
            return sortedLatencies[Math.min(operations() - 1, index)] / 1e9;
        }

        double cpuSecondsPerOperation() {
            return cpuNanos / 1e9 / operations();
        }
    }

    private static final long ANSWER_DEADLINE_SECONDS = 30;

    private final Target target;
    private final Executor loop;
    private final Writer[] writers;
    private final CountDownLatch ended;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final long deadline;

    private ClosedLoop(Target target, Executor loop, int count, long deadline) {
        this.target = target;
        this.loop = loop;
        this.deadline = deadline;
        this.ended = new CountDownLatch(count);
        this.writers = new Writer[count];
        Arrays.setAll(writers, Writer::new);
    }

    static Result run(Target target, Executor loop, int writers, Duration time) throws InterruptedException {
        long cpu = CpuTime.ofThisProcessNanos();
        long start = System.nanoTime();
        ClosedLoop all = new ClosedLoop(target, loop, writers, start + time.toNanos());
        loop.execute(() -> Arrays.stream(all.writers).forEach(Writer::write));
        if (!all.ended.await(time.toSeconds() + ANSWER_DEADLINE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("A write was not answered in time");
        }
        long nanos = System.nanoTime() - start;
        long cpuUsed = CpuTime.ofThisProcessNanos() - cpu;
        if (all.failure.get() != null) {
            throw new IllegalStateException("A write failed", all.failure.get());
        }
        long[] latencies = Arrays.stream(all.writers)
                .flatMapToLong(writer -> Arrays.stream(writer.latencies, 0, writer.count))
                .sorted()
                .toArray();
        return new Result(latencies, nanos, cpuUsed);
    }

    /** A writer. Its steps run one after another, possibly on different threads; the answers order them. */
    private final class Writer {
        private final int number;
        private long[] latencies = new long[1024];
        private int count;

        Writer(int number) {
            this.number = number;
        }

        void write() {
            long start = System.nanoTime();
            target.write(number, count).whenCompleteAsync((answer, problem) -> answered(start, problem), loop);
        }

        private void answered(long start, Throwable problem) {
            long now = System.nanoTime();
            if (problem != null) {
                failure.compareAndSet(null, problem);
                ended.countDown();
                return;
            }
            if (count == latencies.length) {
                latencies = Arrays.copyOf(latencies, 2 * count);
            }
            latencies[count++] = now - start;
            if (now < deadline) {
                write();
            } else {
                ended.countDown();
            }
        }
    }
}
