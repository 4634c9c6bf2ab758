package dev.mooring.bench;

/** Measures one aspect and reports figures of it. */
interface Benchmark {
    /** Name on the command line and in the JSON. */
    String name();

    /** Heading of the figures. */
    String title();

    void run(BenchmarkRun run) throws Exception;
}
