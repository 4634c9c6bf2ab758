package dev.mooring.chaos.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.chaos.process.Follower.Habit;
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
 * The server as a process on a real disk, killed with SIGKILL again and again, while clients race for a few objects and others watch. All they were
 * told has to fit one history, and that one has to be the log's.
 */
@Tag("chaos")
class KillRoundsTest {
    private static final int CLIENTS = 6;
    private static final int FEWEST_KILLS = 8;

    /** A life ends after so many answers at most, and then at any moment. */
    private static final int LIFE_ANSWERS = 400;

    private static final int LAST_MILLIS = 100;

    /** How long a process that is not to serve may live at most. */
    private static final int START_MILLIS = 2_500;

    private static final long LONGEST_SECONDS = 60;

    /** Small, so that lives end while files change hands. */
    private static final Map<String, String> SETTINGS = Map.of(
            "log.segmentBytes", "64Ki",
            "log.batch.maxBytes", "32Ki",
            "log.snapshot.everyBytes", "64Ki",
            "api.watchTick", "1s");

    @TempDir
    private Path directory;

    private TestReporter reporter;

    @BeforeEach
    void reportTo(TestReporter figures) {
        reporter = figures;
    }

    private final Lives lives = new Lives();
    private final Diary diary = new Diary();
    private int kills;

    @Test
    @Timeout(value = 24, unit = TimeUnit.HOURS)
    void whatClientsWereToldFitsOneHistoryAndThatIsTheLogs() throws Exception {
        long seed = Optional.ofNullable(Long.getLong("mooring.seed")).orElseGet(System::nanoTime);
        Random chance = new Random(seed);
        Path data = directory.resolve("data");
        List<Follower> followers = followers();
        ExecutorService threads = Executors.newCachedThreadPool();
        String where = "seed " + seed + "; again with -Dmooring.seed=" + seed;
        Truth truth = new Truth();
        long end;
        try (ServerProcess server = new ServerProcess(ServerProcess.Setup.of(data, SETTINGS), directory)) {
            clients(chance).forEach(threads::execute);
            followers.forEach(threads::execute);
            lives.began(server.start());
            killAgainAndAgain(server, chance, truth, data);
            end = settle(server, followers);
            lives.over();
            lives.ends();
            assertThat(server.stop()).as(server.errors()).isZero();
            threads.shutdown();
            assertThat(threads.awaitTermination(LONGEST_SECONDS, TimeUnit.SECONDS))
                    .as("clients end")
                    .isTrue();
        } finally {
            lives.over();
            threads.shutdownNow();
        }
        check(data, truth, followers, end, where);
    }

    private List<Runnable> clients(Random chance) {
        List<Subject> subjects = Stream.concat(
                        IntStream.range(0, 6).mapToObj(Subject::map),
                        IntStream.range(0, 2).mapToObj(Subject::claim))
                .toList();
        List<Runnable> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(new RacingClient("c" + i, i == 0, lives, diary, subjects, new Random(chance.nextLong())));
        }
        return clients;
    }

    private List<Follower> followers() {
        String maps = "configmaps";
        return List.of(
                new Follower(maps, Api.MAPS, Habit.RESUMES, false, lives, diary),
                new Follower(maps, "/api/v1/configmaps", Habit.RESUMES, true, lives, diary),
                new Follower(maps, Api.MAPS, Habit.STARTS_OVER, false, lives, diary),
                new Follower("persistentvolumeclaims", Api.CLAIMS, Habit.RESUMES, false, lives, diary),
                new Follower("persistentvolumes", "/api/v1/persistentvolumes", Habit.RESUMES, false, lives, diary));
    }

    private void killAgainAndAgain(ServerProcess server, Random chance, Truth truth, Path data) throws Exception {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(Integer.getInteger("mooring.chaos.seconds", 15));
        while (kills < FEWEST_KILLS || System.nanoTime() - until < 0) {
            awaitAnswers(server, diary.answers() + 1 + chance.nextInt(LIFE_ANSWERS));
            assertThat(server.endsWithin(Duration.ofMillis(chance.nextInt(LAST_MILLIS))))
                    .as(server.errors())
                    .isFalse();
            kill(server);
            // What a dead process left is not to be another thing later.
            truth.readOn(data);
            for (int again = chance.nextInt(4); again > 1; again--) {
                server.launch();
                assertThat(server.endsWithin(Duration.ofMillis(chance.nextInt(START_MILLIS))))
                        .as(server.errors())
                        .isFalse();
                kill(server);
            }
            lives.began(server.start());
        }
    }

    private void awaitAnswers(ServerProcess server, int number) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONGEST_SECONDS);
        while (diary.answers() < number) {
            assertThat(System.nanoTime()).as("the clients are answered").isLessThan(deadline);
            assertThat(server.endsWithin(Duration.ofMillis(5)))
                    .as(server.errors())
                    .isFalse();
        }
    }

    private void kill(ServerProcess server) throws Exception {
        lives.ends();
        server.kill();
        kills++;
    }

    /** Waits until all watchers have come to a revision that is newer than all answers, and returns it. */
    private long settle(ServerProcess server, List<Follower> followers) throws Exception {
        Api api = lives.await().orElseThrow();
        assertThat(server.endsWithin(Duration.ofMillis(500))).isFalse();
        long end = api.get(Api.MAPS).revision();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONGEST_SECONDS);
        while (followers.stream().anyMatch(each -> each.position() < end) && System.nanoTime() - deadline < 0) {
            assertThat(server.endsWithin(Duration.ofMillis(50))).isFalse();
        }
        return end;
    }

    private void check(Path data, Truth known, List<Follower> followers, long end, String where) throws Exception {
        Truth truth = Truth.read(data);
        List<Call> calls = diary.calls();
        assertThat(truth.versions().subList(0, known.versions().size()))
                .as(where)
                .isEqualTo(known.versions());
        assertThat(diary.problems()).as(where).isEmpty();
        assertThat(WriteCheck.problems(truth, calls, "admin")).as(where).isEmpty();
        assertThat(OrderCheck.problems(truth, calls, diary.listings()))
                .as(where)
                .isEmpty();
        long told = 0;
        for (Follower each : followers) {
            List<WatchStep> steps = each.steps();
            told += steps.stream().filter(WatchStep.Told.class::isInstance).count();
            assertThat(WatchCheck.problems(truth, each.resource(), steps, end))
                    .as(where + ", " + each.resource())
                    .isEmpty();
        }
        LogVerifier.Report report =
                new LogVerifier(new LogInspector(new RealDisk(), data.resolve("log")), bytes -> {}).verify();
        assertThat(report.problems()).as(where).isEmpty();
        assertThat(ServerProcess.mooring(0, "log", "verify", "--data", data.toString()))
                .isNotEmpty();
        long done = calls.stream()
                .filter(each -> each.answer() instanceof Call.Written)
                .count();
        long unknown = calls.stream().filter(Call::isUnknown).count();
        reporter.publishEntry(Figures.text(
                "{} kills, {} calls ({} writes acknowledged, {} unknown), {} lists, {} events of watches, {} revisions,"
                        + " {} snapshots checked; {}",
                kills,
                calls.size(),
                done,
                unknown,
                diary.listings().size(),
                told,
                truth.last(),
                report.snapshots(),
                where));
        assertThat(done).as("writes acknowledged; " + where).isGreaterThan(kills);
    }
}
