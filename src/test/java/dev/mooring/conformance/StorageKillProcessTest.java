package dev.mooring.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.conformance.StorageKillLoad.Request;
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

/** Claims through HTTP, while the process that serves them is killed with SIGKILL and started again on the same data. */
class StorageKillProcessTest {
    private static final int CLAIMS = 1_000;
    private static final int WRITERS = 4;
    private static final int DEATHS = 8;

    /** In this round it dies before it serves. */
    private static final int EARLY_DEATH = 5;

    private static final int START_MILLIS = 2_000;

    /** How long it may go on after a request was answered: the controllers and the node are at work then. */
    private static final int LAST_WORK_MILLIS = 300;

    private static final long LONGEST_SECONDS = 90;

    @TempDir
    private Path directory;

    @Test
    @Timeout(value = 6, unit = TimeUnit.MINUTES)
    void everyClaimIsBoundOnceAndNothingIsLeftOver() throws Exception {
        long seed = System.nanoTime();
        Random chance = new Random(seed);
        StorageKillLoad load = new StorageKillLoad(CLAIMS, chance);
        Path data = directory.resolve("data");
        Path errors = directory.resolve("stderr");
        ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
        try (StorageKillProcess server = new StorageKillProcess(data, errors)) {
            server.launch();
            server.awaitReady();
            for (Request each : StorageKillLoad.classes()) {
                server.send(each);
            }
            List<Request> requests = load.requests();
            // So that some are left for each life, however short it is.
            Semaphore allowed = new Semaphore(0);
            List<Future<?>> writing = write(server, requests, allowed, writers);
            int share = requests.size() / (DEATHS + 1) + 1;
            for (int round = 0; round < DEATHS; round++) {
                allowed.release(share);
                int enough = server.answers() + 1 + chance.nextInt(share * 9 / 10);
                if (!server.awaitAnswers(enough, Duration.ofSeconds(LONGEST_SECONDS))) {
                    endOf(writing);
                }
                server.killAfter(chance.nextInt(LAST_WORK_MILLIS));
                server.launch();
                if (round == EARLY_DEATH) {
                    server.killAfter(chance.nextInt(START_MILLIS));
                    server.launch();
                }
                server.awaitReady();
            }
            allowed.release(share);
            endOf(writing);
            String where = "seed " + seed + ", stderr " + errors;
            assertThat(problemsAtRest(server, load.wanted(data))).as(where).isEmpty();
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
            StorageKillProcess server, List<Request> requests, Semaphore allowed, ExecutorService writers) {
        List<Future<?>> writing = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            int writer = i;
            Callable<Void> task = () -> {
                for (Request each : requests) {
                    if (each.lane() % WRITERS == writer) {
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

    /** Waits for all, or fails as the first of them did. */
    private static void endOf(List<Future<?>> writing) throws Exception {
        for (Future<?> each : writing) {
            each.get(LONGEST_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** What is not as it must be; looks now and then until nothing is, or the time has passed. */
    private static List<String> problemsAtRest(StorageKillProcess server, StorageKillState.Wanted wanted)
            throws Exception {
        Flowable.interval(0, 200, TimeUnit.MILLISECONDS)
                .onBackpressureDrop()
                .takeWhile(tick -> !problems(server, wanted).isEmpty())
                .take(LONGEST_SECONDS, TimeUnit.SECONDS)
                .ignoreElements()
                .blockingAwait();
        return problems(server, wanted);
    }

    private static List<String> problems(StorageKillProcess server, StorageKillState.Wanted wanted) throws Exception {
        return new StorageKillState(
                        server.list(StorageProvisionApi.CLAIMS),
                        server.list(StorageProvisionApi.VOLUMES),
                        server.list(StorageProvisionApi.OPERATIONS),
                        server.list(StorageProvisionApi.PODS))
                .problems(wanted);
    }
}
