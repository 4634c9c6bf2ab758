package dev.mooring.world;

import dev.mooring.log.Disk;
import dev.mooring.log.FileEventLog;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.Executor;

/**
 * The log and what stands on it, put together: everything that changes or reads the state of Mooring goes through these.
 *
 * @param log the durable history
 * @param hub how it goes on
 * @param ledger the only way to change it; needs a {@link LedgerVerticle} to work
 * @param history what it was
 */
public record Spine(FileEventLog log, WatchHub hub, Ledger ledger, History history) implements AutoCloseable {
    /**
     * Where the log is and how much is held.
     *
     * @param directory the log's directory
     * @param segmentBytes the size of a segment file
     * @param ledger how much the ledger takes at once
     * @param recentEvents how many events are kept in memory for watchers
     * @param recentBytes how many bytes these may take
     */
    public record Options(
            Path directory, long segmentBytes, Ledger.Limits ledger, int recentEvents, long recentBytes) {}

    /**
     * Opens the log and rebuilds the World from it.
     *
     * @param dispatcher runs one task at a time, to wake watchers
     */
    public static Spine open(Disk disk, Options options, Clock clock, MeterRegistry registry, Executor dispatcher)
            throws IOException {
        WorldRestore restore = new WorldRestore();
        LedgerMetrics metrics = new LedgerMetrics(registry);
        Timer.Sample sample = Timer.start(registry);
        FileEventLog log = FileEventLog.open(disk, options.directory(), options.segmentBytes(), clock, restore);
        metrics.opened(sample, restore.events());
        WatchHub hub = new WatchHub(log, options.recentEvents(), options.recentBytes(), dispatcher);
        Ledger ledger = new Ledger(log, restore.world(), hub, clock, options.ledger(), metrics);
        metrics.observe(ledger, hub);
        return new Spine(log, hub, ledger, new History(log, ledger, hub));
    }

    @Override
    public void close() throws IOException {
        log.close();
    }
}
