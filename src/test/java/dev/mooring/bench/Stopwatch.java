package dev.mooring.bench;

/** Measures wall-clock time and processor time since its creation. */
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
