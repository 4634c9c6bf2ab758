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

/** A real process on a real disk, killed with SIGKILL under load, again and again. */
class KilledProcessTest {
    private static final int ROUNDS = 100;

    /** The log grows from life to life; a new one now and then keeps verifying it quick. */
    private static final int LIVES_PER_LOG = 10;

    /** Most of a life is starting and waiting for the disk. */
    private static final int LOGS_AT_ONCE = 2;

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void shouldLoseNothingAcknowledgedAndRepeatNothing(@TempDir Path directory) throws Exception {
        long seed = Long.getLong("mooring.seed", System.nanoTime());
        ExecutorService lanes = Executors.newFixedThreadPool(LOGS_AT_ONCE);
        long total = 0;
        try {
            List<Future<Long>> logs = new ArrayList<>();
            for (int i = 0; i < ROUNDS / LIVES_PER_LOG; i++) {
                int log = i;
                logs.add(lanes.submit(() -> livesOf(directory.resolve("log" + log), seed, log)));
            }
            for (Future<Long> each : logs) {
                total += each.get();
            }
        } finally {
            lanes.shutdownNow();
        }
        assertThat(total).as("events acknowledged in all").isGreaterThan(ROUNDS * 100L);
    }

    /** All lives of one log. Answers with how many events were acknowledged. */
    private static long livesOf(Path log, long seed, int number) throws IOException, InterruptedException {
        Random chance = new Random(seed + number);
        Map<Long, String> acknowledged = new HashMap<>();
        for (int life = 0; life < LIVES_PER_LOG; life++) {
            String where = "-Dmooring.seed=" + seed + ", " + log.getFileName() + ", life " + life;
            liveAndDie(log, "life" + life, chance.nextInt(1_500), acknowledged);
            check(log, acknowledged, where);
        }
        return acknowledged.size();
    }

    /** @param acknowledgements the process is killed after so many */
    private static void liveAndDie(Path log, String life, int acknowledgements, Map<Long, String> acknowledged)
            throws IOException, InterruptedException {
        Process process = JavaProcess.start(CrashingWriter.class, log.toString(), life);
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            int seen = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                int space = line.indexOf(' ');
                String other = acknowledged.put(Long.parseLong(line.substring(0, space)), line.substring(space + 1));
                assertThat(other).as("a revision acknowledged twice").isNull();
                if (seen++ == acknowledgements) {
                    // Through the handle: Process.destroyForcibly would close the pipe with lines still in it.
                    process.toHandle().destroyForcibly();
                }
            }
        }
        assertThat(process.waitFor()).as("killed, not ended by itself").isEqualTo(137);
    }

    private static void check(Path log, Map<Long, String> acknowledged, String where) throws IOException {
        LogInspector inspector = new LogInspector(new RealDisk(), log);
        Map<Long, String> found = new HashMap<>();
        Set<String> names = new HashSet<>();
        inspector.walk(1, (batch, end) -> {
            for (Event event : batch.events()) {
                assertThat(event.revision()).as(where).isEqualTo(found.size() + 1L);
                Change change = event.changes().get(0);
                found.put(event.revision(), change.key().name());
                assertThat(names.add(change.key().name()))
                        .as(where + ": " + change.key() + " twice")
                        .isTrue();
            }
            return true;
        });
        assertThat(found).as(where).containsAllEntriesOf(acknowledged);
        LogVerifier.Report report = new LogVerifier(inspector, bytes -> {}).verify();
        assertThat(report.problems()).as(where).isEmpty();
    }
}
