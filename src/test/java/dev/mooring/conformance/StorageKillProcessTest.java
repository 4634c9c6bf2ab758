package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.conformance.StorageKillLoad.LoadRequest;
import dev.mooring.log.LogInspector;
import dev.mooring.log.RealDisk;
import dev.mooring.replay.LogVerifier;
import io.reactivex.rxjava3.core.Flowable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Creates claims over HTTP while the server process is killed with SIGKILL and restarted on the same data. */
class StorageKillProcessTest {
    private static final int CLAIMS = 1_000;
    private static final int WRITERS = 4;
    private static final int KILLS = 8;

    /** Round in which the process is also killed before it is ready. */
    private static final int EARLY_KILL_ROUND = 5;

    private static final int START_MILLIS = 2_000;

    /** Longest time from a response to the kill: the controllers and the node are working then. */
    private static final int MAX_KILL_DELAY_MILLIS = 300;

    private static final long TIMEOUT_SECONDS = 180;

    @TempDir
    private Path directory;

    @Test
    @Timeout(value = 14, unit = TimeUnit.MINUTES)
    void claims_processKilledRepeatedly_areBoundOnceAndNothingIsLeaked() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        StorageKillLoad load = new StorageKillLoad(CLAIMS, random);
        Path data = directory.resolve("data");
        Path errors = directory.resolve("stderr");
        ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
        try (StorageKillProcess server = new StorageKillProcess(data, errors)) {
            server.launch();
            server.awaitReady();
            for (LoadRequest each : StorageKillLoad.classes()) {
                server.send(each);
            }
            List<LoadRequest> requests = load.requests();
            // Limits the requests per process, so that some are left for each.
            Semaphore allowed = new Semaphore(0);
            List<Future<?>> writing = write(server, requests, allowed, writers);
            int share = requests.size() / (KILLS + 1) + 1;
            for (int round = 0; round < KILLS; round++) {
                allowed.release(share);
                int minimumAnswers = server.answers() + 1 + random.nextInt(share * 9 / 10);
                if (!server.awaitAnswers(minimumAnswers, Duration.ofSeconds(TIMEOUT_SECONDS))) {
                    awaitAll(writing);
                }
                server.killAfter(random.nextInt(MAX_KILL_DELAY_MILLIS));
                server.launch();
                if (round == EARLY_KILL_ROUND) {
                    server.killAfter(random.nextInt(START_MILLIS));
                    server.launch();
                }
                server.awaitReady();
            }
            allowed.release(share);
            awaitAll(writing);
            String where = "seed " + seed + ", stderr " + errors;
            assertThat(problemsAtRest(server, load.expectedState(data)))
                    .as(where)
                    .isEmpty();
            assertThat(server.stop()).as(Files.readString(errors)).isZero();
        } finally {
            writers.shutdownNow();
        }
        StorageKillHistory history = StorageKillHistory.of(data);
        assertThat(history.problems()).as("seed " + seed).isEmpty();
        assertThat(history.binds()).isGreaterThan(CLAIMS * 8 / 10);
        LogInspector log = new LogInspector(new RealDisk(), data.resolve("log"));
        assertThat(new LogVerifier(log, bytes -> {}).verify().problems()).isEmpty();
    }

    private static List<Future<?>> write(
            StorageKillProcess server, List<LoadRequest> requests, Semaphore allowed, ExecutorService writers) {
        List<Future<?>> writing = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            int writer = i;
            Callable<Void> task = () -> {
                for (LoadRequest each : requests) {
                    if (each.sequence() % WRITERS == writer) {
                        allowed.acquire();
                        server.send(each);
                    }
                }
                return null;
            };
            writing.add(writers.submit(task));
        }
        return writing;
    }

    /** Waits for all writers; fails with the first failure. */
    private static void awaitAll(List<Future<?>> writing) throws Exception {
        for (Future<?> each : writing) {
            each.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** Polls until there are no problems or the timeout has passed; returns the remaining problems. */
    private static List<String> problemsAtRest(StorageKillProcess server, StorageKillState.ExpectedState expected)
            throws Exception {
        Flowable.interval(0, 200, TimeUnit.MILLISECONDS)
                .onBackpressureDrop()
                .takeWhile(tick -> !problems(server, expected).isEmpty())
                .take(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .ignoreElements()
                .blockingAwait();
        return problems(server, expected);
    }

    private static List<String> problems(StorageKillProcess server, StorageKillState.ExpectedState expected)
            throws Exception {
        return new StorageKillState(
                        server.list(StorageProvisionFixture.CLAIMS),
                        server.list(StorageProvisionFixture.VOLUMES),
                        server.list(StorageProvisionFixture.OPERATIONS),
                        server.list(StorageProvisionFixture.PODS))
                .problems(expected);
    }
}
