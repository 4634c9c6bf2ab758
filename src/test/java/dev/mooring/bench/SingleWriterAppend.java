package dev.mooring.bench;

import dev.mooring.model.Draft;
import dev.mooring.world.Proposal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The yardstick for sequential durable steps: one writer that appends to a ledger in this process and waits each time.
 */
final class SingleWriterAppend implements AutoCloseable {
    private static final int OBJECTS = 256;
    private static final int JSON_BYTES = 1000;

    private final ExecutorService loop =
            Executors.newSingleThreadExecutor(r -> RunningLedger.daemon(r, "bench-lone-writer"));
    private final RunningLedger ledger;
    private final Draft[] drafts = new Draft[OBJECTS];
    final Measurements p50 = new Measurements();
    final Measurements p99 = new Measurements();

    SingleWriterAppend(Path directory) throws IOException, InterruptedException {
        Random random = new Random(1);
        for (int i = 0; i < OBJECTS; i++) {
            drafts[i] = SampleObjects.draft(i, JSON_BYTES, random);
        }
        ledger = RunningLedger.open(directory);
    }

    void warmUp(Duration time) throws InterruptedException {
        append(time);
    }

    /** Adds a round. */
    void round(Duration time) throws InterruptedException {
        ClosedLoop.Result result = append(time);
        p50.add(result.latencySeconds(50));
        p99.add(result.latencySeconds(99));
    }

    private ClosedLoop.Result append(Duration time) throws InterruptedException {
        return ClosedLoop.run((writer, sequence) -> ledger.commit(put(sequence)), loop, 1, time);
    }

    private Proposal put(long sequence) {
        return Proposal.by("bench", "ClaimChanged")
                .put(drafts[(int) (sequence % OBJECTS)])
                .build();
    }

    @Override
    public void close() throws IOException, InterruptedException {
        ledger.close();
        loop.shutdown();
    }
}
