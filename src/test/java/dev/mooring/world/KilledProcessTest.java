package dev.mooring.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.log.LogInspector;
import dev.mooring.log.RealDisk;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.replay.LogVerifier;
import dev.mooring.testing.JavaProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Kills a real process with SIGKILL under load, repeatedly, and verifies its log. */
class KilledProcessTest {
    private static final int ROUNDS = 100;

    /** The log grows with every run; a new log now and then keeps its verification fast. */
    private static final int RUNS_PER_LOG = 10;

    /** Most of a run is process start and disk I/O. */
    private static final int CONCURRENT_LOGS = 2;

    @Test
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void eventLog_processKilledUnderLoad_keepsEachAcknowledgedEventOnce(@TempDir Path directory) throws Exception {
        long seed = Long.getLong("mooring.seed", System.nanoTime());
        ExecutorService executor = Executors.newFixedThreadPool(CONCURRENT_LOGS);
        long total = 0;
        try {
            List<Future<Long>> logs = new ArrayList<>();
            for (int i = 0; i < ROUNDS / RUNS_PER_LOG; i++) {
                int log = i;
                logs.add(executor.submit(() -> runRepeatedly(directory.resolve("log" + log), seed, log)));
            }
            for (Future<Long> each : logs) {
                total += each.get();
            }
        } finally {
            executor.shutdownNow();
        }
        assertThat(total).as("acknowledged events").isGreaterThan(ROUNDS * 100L);
    }

    /** Runs and kills the writer repeatedly on one log. Returns the number of acknowledged events. */
    private static long runRepeatedly(Path log, long seed, int number) throws IOException, InterruptedException {
        Random random = new Random(seed + number);
        Map<Long, String> acknowledged = new HashMap<>();
        for (int run = 0; run < RUNS_PER_LOG; run++) {
            String description = "-Dmooring.seed=" + seed + ", " + log.getFileName() + ", run " + run;
            runAndKill(log, "run" + run, random.nextInt(1_500), acknowledged);
            check(log, acknowledged, description);
        }
        return acknowledged.size();
    }

    /** @param acknowledgements the number of acknowledgements after which the process is killed */
    private static void runAndKill(Path log, String run, int acknowledgements, Map<Long, String> acknowledged)
            throws IOException, InterruptedException {
        Process process = JavaProcess.start(CrashingWriter.class, log.toString(), run);
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            int seen = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                int space = line.indexOf(' ');
                String other = acknowledged.put(Long.parseLong(line.substring(0, space)), line.substring(space + 1));
                assertThat(other).as("former acknowledgement of the revision").isNull();
                if (seen++ == acknowledgements) {
                    // Through the handle: Process.destroyForcibly would close the pipe with lines still in it.
                    process.toHandle().destroyForcibly();
                }
            }
        }
        assertThat(process.waitFor()).as("exit code of the killed process").isEqualTo(137);
    }

    private static void check(Path log, Map<Long, String> acknowledged, String description) throws IOException {
        LogInspector inspector = new LogInspector(new RealDisk(), log);
        Map<Long, String> found = new HashMap<>();
        Set<String> names = new HashSet<>();
        inspector.walk(1, (batch, end) -> {
            for (Event event : batch.events()) {
                assertThat(event.revision()).as(description).isEqualTo(found.size() + 1L);
                Change change = event.changes().get(0);
                found.put(event.revision(), change.key().name());
                assertThat(names.add(change.key().name()))
                        .as(description + ": " + change.key() + " twice")
                        .isTrue();
            }
            return true;
        });
        assertThat(found).as(description).containsAllEntriesOf(acknowledged);
        LogVerifier.Report report = new LogVerifier(inspector, bytes -> {}).verify();
        assertThat(report.problems()).as(description).isEmpty();
    }
}
