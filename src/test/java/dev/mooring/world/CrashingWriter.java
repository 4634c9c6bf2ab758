package dev.mooring.world;

import dev.mooring.log.RealDisk;
import dev.mooring.log.Retention;
import dev.mooring.testing.Samples;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.Executors;
import org.slf4j.LoggerFactory;

/** Writes to a log from several threads and prints acknowledged events until killed by {@link KilledProcessTest}. */
final class CrashingWriter {
    static final int WRITERS = 8;
    static final long SEGMENT_BYTES = 100_000;

    private CrashingWriter() {}

    public static void main(String[] args) throws Exception {
        Path directory = Path.of(args[0]);
        String run = args[1];
        // One call per line, so that a kill leaves only complete lines in the pipe.
        PrintStream out = new PrintStream(
                new java.io.FileOutputStream(java.io.FileDescriptor.out), false, StandardCharsets.UTF_8);
        StateStore store = StateStore.open(
                new RealDisk(),
                new StateStore.Options(directory, SEGMENT_BYTES, new Ledger.Limits(1_000, 64, 1 << 20), 256, 1 << 20),
                Clock.systemUTC(),
                new SimpleMeterRegistry(),
                Executors.newSingleThreadExecutor());
        Snapshotter.Policy often = new Snapshotter.Policy(150_000, Duration.ofHours(1), Retention.KEEP_ALL);
        new Snapshotter(store.log(), store.ledger(), store.hub(), often, Schedulers.io(), new SimpleMeterRegistry())
                .start(e -> Runtime.getRuntime().halt(1));
        Thread ledger = new Thread(() -> {
            try {
                store.ledger().run(() -> {}, () -> false);
            } catch (Exception e) {
                LoggerFactory.getLogger(CrashingWriter.class).error("Ledger ended before the process was killed", e);
                Runtime.getRuntime().halt(1);
            }
        });
        ledger.start();
        for (int w = 0; w < WRITERS; w++) {
            int writer = w;
            new Thread(() -> write(store.ledger(), run + "-" + writer, out)).start();
        }
    }

    private static void write(Ledger ledger, String prefix, PrintStream out) {
        for (int i = 0; ; i++) {
            String name = prefix + "-" + i;
            Proposal proposal = Proposal.by("writer", "Created")
                    .create(Samples.draft(Samples.claim(name), "x".repeat(i % 700)))
                    .build();
            Outcome outcome = ledger.propose(proposal).toCompletableFuture().join();
            if (!(outcome instanceof Outcome.Committed committed)) {
                throw new AssertionError(outcome);
            }
            byte[] line = (committed.event().revision() + " " + name + "\n").getBytes(StandardCharsets.UTF_8);
            synchronized (out) {
                out.write(line, 0, line.length);
                out.flush();
            }
        }
    }
}
