package dev.mooring.world;

import dev.mooring.log.Disk;
import dev.mooring.log.Encryption;
import dev.mooring.log.FileEventLog;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.Executor;

/**
 * The log and the components on top of it. All reads and writes of Mooring's state go through these.
 *
 * @param log the durable events
 * @param hub delivers new events
 * @param ledger the only writer; requires a {@link LedgerVerticle} to run
 * @param history past Worlds
 */
public record StateStore(FileEventLog log, WatchHub hub, Ledger ledger, History history) implements AutoCloseable {
    /**
     * Location and limits of the store.
     *
     * @param directory the log's directory
     * @param segmentBytes the size of a segment file
     * @param ledger limits of the ledger
     * @param recentEvents number of events kept in memory for watchers
     * @param recentBytes memory limit of these
     * @param encryption of Secrets in the log's files
     * @param restoredBytes memory limit of the objects in the log; opening fails above it
     * @param history limits of reading past Worlds
     */
    public record Options(
            Path directory,
            long segmentBytes,
            Ledger.Limits ledger,
            int recentEvents,
            long recentBytes,
            Encryption encryption,
            long restoredBytes,
            History.Limits history) {

        /** Creates options without encryption and limits. */
        public Options(Path directory, long segmentBytes, Ledger.Limits ledger, int recentEvents, long recentBytes) {
            this(
                    directory,
                    segmentBytes,
                    ledger,
                    recentEvents,
                    recentBytes,
                    Encryption.NONE,
                    Long.MAX_VALUE,
                    History.Limits.DEFAULT);
        }
    }

    /**
     * Opens the log and rebuilds the World from it.
     *
     * @param dispatcher runs one task at a time, to notify watchers
     */
    public static StateStore open(Disk disk, Options options, Clock clock, MeterRegistry registry, Executor dispatcher)
            throws IOException {
        WorldRestore restore = new WorldRestore(options.restoredBytes());
        LedgerMetrics metrics = new LedgerMetrics(registry);
        Timer.Sample sample = Timer.start(registry);
        FileEventLog log = FileEventLog.open(
                disk, options.directory(), options.segmentBytes(), clock, options.encryption(), restore);
        metrics.opened(sample, restore.events());
        WatchHub hub = new WatchHub(log, options.recentEvents(), options.recentBytes(), dispatcher);
        Ledger ledger = new Ledger(log, restore.world(), hub, clock, options.ledger(), metrics);
        metrics.observe(ledger, hub);
        History history = new History(log, ledger, hub, options.history());
        metrics.observe(history);
        return new StateStore(log, hub, ledger, history);
    }

    @Override
    public void close() throws IOException {
        log.close();
    }
}
