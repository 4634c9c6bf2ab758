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
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A real process on a real disk, killed with SIGKILL under load, again and again. */
class KilledProcessTest {
    private static final int ROUNDS = 100;

    /** The log grows from life to life; a new one now and then keeps verifying it quick. */
    private static final int LIVES_PER_LOG = 10;

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void shouldLoseNothingAcknowledgedAndRepeatNothing(@TempDir Path directory) throws Exception {
        long seed = System.nanoTime();
        Random chance = new Random(seed);
        Map<Long, String> acknowledged = new HashMap<>();
        long total = 0;
        for (int round = 0; round < ROUNDS; round++) {
            String where = "seed " + seed + ", round " + round;
            Path log = directory.resolve("log" + round / LIVES_PER_LOG);
            if (round % LIVES_PER_LOG == 0) {
                acknowledged.clear();
            }
            int before = acknowledged.size();
            liveAndDie(log, "life" + round, chance.nextInt(1_500), acknowledged);
            total += acknowledged.size() - before;
            check(log, acknowledged, where);
        }
        assertThat(total).as("events acknowledged in all").isGreaterThan(ROUNDS * 100L);
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
