package dev.mooring.bench;

/** Time on the wall and on the processors since it was made. */
final class Stopwatch {
    private final long cpu = CpuTime.ofThisProcessNanos();
    private final long start = System.nanoTime();

    double seconds() {
        return (System.nanoTime() - start) / 1e9;
    }

    double cpuSeconds() {
        return (CpuTime.ofThisProcessNanos() - cpu) / 1e9;
    }
}
