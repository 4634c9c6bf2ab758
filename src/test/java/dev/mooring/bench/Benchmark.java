package dev.mooring.bench;

/** Measures one aspect and reports figures of it. */
interface Benchmark {
    /** What it is called on the command line and in the JSON. */
    String name();

    /** The heading of its figures. */
    String title();

    void run(Run run) throws Exception;
}
