package dev.mooring.bench;

/** Starts and ends of Pods of one kind: percentiles of each round and of all rounds. For one thread. */
final class PodSeries {
    final Measurements seenP50 = new Measurements();
    final Measurements runningP50 = new Measurements();
    final Measurements goneP50 = new Measurements();
    private final Measurements allSeen = new Measurements();
    private Measurements seen = new Measurements();
    private Measurements running = new Measurements();
    private Measurements gone = new Measurements();

    void started(PodStart start) {
        seen.add(start.seen());
        running.add(start.running());
        allSeen.add(start.seen());
    }

    void ended(double seconds) {
        gone.add(seconds);
    }

    void endRound() {
        seenP50.add(seen.median());
        runningP50.add(running.median());
        goneP50.add(gone.median());
        seen = new Measurements();
        running = new Measurements();
        gone = new Measurements();
    }

    /** Returns the 99th percentile of all rounds; one round has too few values. */
    Measurements seenP99() {
        return Measurements.of(allSeen.percentile(99));
    }
}
