package dev.mooring.chaos.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.chaos.process.WatchClient.ResumePolicy;
import dev.mooring.log.LogInspector;
import dev.mooring.log.RealDisk;
import dev.mooring.replay.LogVerifier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a server process on a real disk repeatedly with SIGKILL, while clients write the same objects and others watch.
 * All responses must be consistent with one history, which must be that of the log.
 */
@Tag("chaos")
class KillRoundsTest {
    private static final int CLIENTS = 6;
    private static final int MIN_KILLS = 8;

    /** Maximum number of responses of one process before it is killed at a random moment. */
    private static final int ANSWERS_PER_INCARNATION = 400;

    private static final int MAX_KILL_DELAY_MILLIS = 100;

    /** Maximum run time of a process that is killed while it starts. */
    private static final int MAX_START_MILLIS = 2_500;

    private static final long TIMEOUT_SECONDS = 180;

    /** Small, so that kills hit changes of segments and snapshots. */
    private static final Map<String, String> SETTINGS = Map.of(
            "log.segmentBytes", "64Ki",
            "log.batch.maxBytes", "32Ki",
            "log.snapshot.everyBytes", "64Ki",
            "api.watchTick", "1s");

    @TempDir
    private Path directory;

    private TestReporter reporter;

    @BeforeEach
    void reportTo(TestReporter testReporter) {
        reporter = testReporter;
    }

    private final CurrentServer currentServer = new CurrentServer();
    private final ClientHistory history = new ClientHistory();
    private int kills;

    @Test
    @Timeout(value = 24, unit = TimeUnit.HOURS)
    void server_killedRepeatedly_responsesMatchTheHistoryOfTheLog() throws Exception {
        long seed = Optional.ofNullable(Long.getLong("mooring.seed")).orElseGet(System::nanoTime);
        Random random = new Random(seed);
        Path data = directory.resolve("data");
        List<WatchClient> watchers = watchers();
        ExecutorService threads = Executors.newCachedThreadPool();
        String description = "seed " + seed + "; repeat with -Dmooring.seed=" + seed;
        RecordedHistory logged = new RecordedHistory();
        long end;
        try (ServerProcess server = new ServerProcess(ServerProcess.Setup.of(data, SETTINGS), directory)) {
            clients(random).forEach(threads::execute);
            watchers.forEach(threads::execute);
            currentServer.started(server.start());
            killRepeatedly(server, random, logged, data);
            end = settle(server, watchers);
            currentServer.end();
            currentServer.stopping();
            assertThat(server.stop()).as(server.errors()).isZero();
            threads.shutdown();
            assertThat(threads.awaitTermination(TIMEOUT_SECONDS, TimeUnit.SECONDS))
                    .as("clients end")
                    .isTrue();
        } finally {
            currentServer.end();
            threads.shutdownNow();
        }
        check(data, logged, watchers, end, description);
    }

    private List<Runnable> clients(Random random) {
        List<ContendedObject> subjects = Stream.concat(
                        IntStream.range(0, 6).mapToObj(ContendedObject::map),
                        IntStream.range(0, 2).mapToObj(ContendedObject::claim))
                .toList();
        List<Runnable> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(
                    new RacingClient("c" + i, i == 0, currentServer, history, subjects, new Random(random.nextLong())));
        }
        return clients;
    }

    private List<WatchClient> watchers() {
        String maps = "configmaps";
        return List.of(
                new WatchClient(maps, ServerApi.MAPS, ResumePolicy.RESUMES, false, currentServer, history),
                new WatchClient(maps, "/api/v1/configmaps", ResumePolicy.RESUMES, true, currentServer, history),
                new WatchClient(maps, ServerApi.MAPS, ResumePolicy.STARTS_OVER, false, currentServer, history),
                new WatchClient(
                        "persistentvolumeclaims",
                        ServerApi.CLAIMS,
                        ResumePolicy.RESUMES,
                        false,
                        currentServer,
                        history),
                new WatchClient(
                        "persistentvolumes",
                        "/api/v1/persistentvolumes",
                        ResumePolicy.RESUMES,
                        false,
                        currentServer,
                        history));
    }

    private void killRepeatedly(ServerProcess server, Random random, RecordedHistory logged, Path data)
            throws Exception {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(Integer.getInteger("mooring.chaos.seconds", 15));
        while (kills < MIN_KILLS || System.nanoTime() - until < 0) {
            awaitAnswers(server, history.answers() + 1 + random.nextInt(ANSWERS_PER_INCARNATION));
            assertThat(server.endsWithin(Duration.ofMillis(random.nextInt(MAX_KILL_DELAY_MILLIS))))
                    .as(server.errors())
                    .isFalse();
            kill(server);
            // The events that a killed process left must not change later.
            logged.readNewEvents(data);
            for (int again = random.nextInt(4); again > 1; again--) {
                server.launch();
                assertThat(server.endsWithin(Duration.ofMillis(random.nextInt(MAX_START_MILLIS))))
                        .as(server.errors())
                        .isFalse();
                kill(server);
            }
            currentServer.started(server.start());
        }
    }

    private void awaitAnswers(ServerProcess server, int number) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
        while (history.answers() < number) {
            assertThat(System.nanoTime())
                    .as("time until the clients get responses")
                    .isLessThan(deadline);
            assertThat(server.endsWithin(Duration.ofMillis(5)))
                    .as(server.errors())
                    .isFalse();
        }
    }

    private void kill(ServerProcess server) throws Exception {
        currentServer.stopping();
        server.kill();
        kills++;
    }

    /** Waits until all watchers have reached a revision that is newer than all responses, and returns it. */
    private long settle(ServerProcess server, List<WatchClient> watchers) throws Exception {
        ServerApi api = currentServer.await().orElseThrow();
        assertThat(server.endsWithin(Duration.ofMillis(500))).isFalse();
        long end = api.get(ServerApi.MAPS).revision();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
        while (watchers.stream().anyMatch(each -> each.position() < end) && System.nanoTime() - deadline < 0) {
            assertThat(server.endsWithin(Duration.ofMillis(50))).isFalse();
        }
        return end;
    }

    private void check(Path data, RecordedHistory known, List<WatchClient> watchers, long end, String description)
            throws Exception {
        RecordedHistory logged = RecordedHistory.read(data);
        List<RecordedCall> calls = history.calls();
        assertThat(logged.versions().subList(0, known.versions().size()))
                .as(description)
                .isEqualTo(known.versions());
        assertThat(history.problems()).as(description).isEmpty();
        assertThat(WriteCheck.problems(logged, calls, "admin")).as(description).isEmpty();
        assertThat(LinearizabilityCheck.problems(logged, calls, history.listings()))
                .as(description)
                .isEmpty();
        long events = 0;
        for (WatchClient each : watchers) {
            List<WatchStep> steps = each.steps();
            events +=
                    steps.stream().filter(WatchStep.Received.class::isInstance).count();
            assertThat(WatchCheck.problems(logged, each.resource(), steps, end))
                    .as(description + ", " + each.resource())
                    .isEmpty();
        }
        LogVerifier.Report report =
                new LogVerifier(new LogInspector(new RealDisk(), data.resolve("log")), bytes -> {}).verify();
        assertThat(report.problems()).as(description).isEmpty();
        assertThat(ServerProcess.mooring(0, "log", "verify", "--data", data.toString()))
                .isNotEmpty();
        long done = calls.stream()
                .filter(each -> each.answer() instanceof RecordedCall.Written)
                .count();
        long unknown = calls.stream().filter(RecordedCall::isUnknown).count();
        reporter.publishEntry(MeasurementText.text(
                "{} kills, {} calls ({} writes acknowledged, {} unknown), {} lists, {} events of watches, {} revisions,"
                        + " {} snapshots checked; {}",
                kills,
                calls.size(),
                done,
                unknown,
                history.listings().size(),
                events,
                logged.last(),
                report.snapshots(),
                description));
        assertThat(done).as("writes acknowledged; " + description).isGreaterThan(kills);
    }
}
