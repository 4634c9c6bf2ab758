package dev.mooring.bench;

/** Some starts and ends of the same sort: percentiles, round by round, and of all together. For one thread. */
final class PodSeries {
    final Rounds seenP50 = new Rounds();
    final Rounds runningP50 = new Rounds();
    final Rounds goneP50 = new Rounds();
    private final Rounds allSeen = new Rounds();
    private Rounds seen = new Rounds();
    private Rounds running = new Rounds();
    private Rounds gone = new Rounds();

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
        seen = new Rounds();
        running = new Rounds();
        gone = new Rounds();
    }

    /** A round has too few for it. */
    Rounds seenP99() {
        return Rounds.of(allSeen.percentile(99));
    }
}
