package dev.mooring.cli.supervise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.api.HealthChecks;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SupervisorTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final BackoffPolicy FAST =
            new BackoffPolicy(Duration.ofMillis(1), Duration.ofMillis(5), HOUR, Duration.ofSeconds(20));
    private static final BackoffPolicy NEVER_AGAIN = new BackoffPolicy(HOUR, HOUR, HOUR, Duration.ofSeconds(20));
    private static final BackoffPolicy IMPATIENT =
            new BackoffPolicy(Duration.ofMillis(1), Duration.ofMillis(5), HOUR, Duration.ofMillis(20));

    private final Vertx vertx = Vertx.vertx();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final HealthChecks health = new HealthChecks();
    private final RecordedVerticles api = new RecordedVerticles();

    @AfterEach
    void close() {
        vertx.close().await();
    }

    @Test
    void shouldReplaceAVerticleThatThrows() {
        Supervisor supervisor = supervisor(FAST);
        supervisor.supervise(api.named("api")).await();
        RecordedVerticles.Incarnation first = api.next();

        first.throwUncaught(new IllegalStateException("boom"));
        RecordedVerticles.Incarnation second = api.next();

        assertThat(second).isNotSameAs(first);
        assertThat(api.history()).containsExactly("start 1", "stop 1", "start 2");
        assertThat(restarts("api")).isEqualTo(1);
        supervisor.stop().await();
    }

    @Test
    void shouldReplaceAWorkerThatReportsItsOwnDeath() {
        Supervisor supervisor = supervisor(FAST);
        DeploymentOptions worker = new DeploymentOptions().setThreadingModel(ThreadingModel.WORKER);
        supervisor.supervise(api.named("api").withOptions(worker)).await();

        api.next().supervision().died(new IllegalStateException("disk gone"));

        assertThat(api.next().number()).isEqualTo(2);
    }

    @Test
    void shouldReplaceAVerticleThatIsKilled() {
        Supervisor supervisor = supervisor(FAST);
        supervisor.supervise(api.named("api")).await();
        api.next();

        supervisor.kill("api", "chaos").await();

        assertThat(api.next().number()).isEqualTo(2);
    }

    @Test
    void shouldSayWhichVerticlesCanBeKilled() {
        Supervisor supervisor = supervisor(FAST);
        supervisor.supervise(api.named("api")).await();

        assertThatThrownBy(() -> supervisor.kill("apu", "chaos").await())
                .hasMessageContaining("(api)")
                .hasMessageContaining("apu");
    }

    @Test
    void shouldKeepTryingWhenTheNewInstanceCannotStart() {
        Supervisor supervisor = supervisor(FAST);
        supervisor.supervise(api.named("api")).await();
        api.failStartsOf(2, 3, 4);

        api.next().throwUncaught(new IllegalStateException("boom"));

        assertThat(api.next().number()).isEqualTo(5);
        assertThat(restarts("api")).isEqualTo(4);
        supervisor.stop().await();
    }

    @Test
    void shouldGiveUpWhenARequiredFirstStartFails() {
        Supervisor supervisor = supervisor(FAST);
        api.failStartsOf(1);

        assertThatThrownBy(() -> supervisor.supervise(api.named("api")).await()).hasMessage("cannot start 1");

        supervisor.stop().await();
        assertThat(api.made()).isEqualTo(1);
    }

    @Test
    void shouldGiveUpWhenARequiredVerticleCannotEvenBeMade() {
        Supervisor supervisor = supervisor(FAST);
        ChildSpec broken = ChildSpec.required("broken", supervision -> {
            throw new IllegalStateException("no such class");
        });

        assertThatThrownBy(() -> supervisor.supervise(broken).await()).hasMessage("no such class");
    }

    @Test
    void shouldRetryAFirstStartThatIsNotRequired() {
        Supervisor supervisor = supervisor(FAST);
        api.failStartsOf(1, 2);

        supervisor.supervise(api.named("api").retried()).await();

        assertThat(api.next().number()).isEqualTo(3);
    }

    @Test
    void shouldRefuseTheSameNameTwice() {
        Supervisor supervisor = supervisor(FAST);
        supervisor.supervise(api.named("api")).await();

        assertThatThrownBy(() -> supervisor.supervise(api.named("api")).await())
                .hasMessageContaining("already supervised");
    }

    @Test
    void shouldCountADeathThatIsReportedTwiceOnce() {
        Supervisor supervisor = supervisor(FAST);
        supervisor.supervise(api.named("api")).await();
        RecordedVerticles.Incarnation first = api.next();

        first.supervision().died(new IllegalStateException("one"));
        first.supervision().died(new IllegalStateException("two"));
        first.throwUncaught(new IllegalStateException("three"));
        api.next();

        supervisor.stop().await();
        assertThat(api.made()).isEqualTo(2);
        assertThat(restarts("api")).isEqualTo(1);
    }

    @Test
    void shouldIgnoreTheLateDeathOfAPredecessor() {
        Supervisor supervisor = supervisor(FAST);
        supervisor.supervise(api.named("api")).await();
        RecordedVerticles.Incarnation first = api.next();
        first.supervision().died(new IllegalStateException("one"));
        api.next();
        awaitHealthy(supervisor, "api");

        first.supervision().died(new IllegalStateException("late"));
        barrier(supervisor);

        assertThat(problem("api")).isEqualTo("ok");
        supervisor.stop().await();
        assertThat(api.made()).isEqualTo(2);
    }

    @Test
    void shouldStopAVerticleThatDiedWhileStartingBeforeReplacingIt() {
        Supervisor supervisor = supervisor(FAST);
        Promise<Void> slow = api.holdStartOf(1);
        Future<Void> up = supervisor.supervise(api.named("api").retried());
        RecordedVerticles.Incarnation first = api.next();

        first.supervision().died(new IllegalStateException("while starting"));
        barrier(supervisor);
        assertThat(api.made()).isEqualTo(1);
        slow.complete();

        assertThat(api.next().number()).isEqualTo(2);
        up.await();
        assertThat(api.history()).containsExactly("start 1", "stop 1", "start 2");
    }

    @Test
    void shouldGoOnWithoutAVerticleThatNeverStops() {
        Supervisor supervisor = supervisor(IMPATIENT);
        api.holdStopOf(1);
        supervisor.supervise(api.named("api")).await();

        api.next().throwUncaught(new IllegalStateException("boom"));

        assertThat(api.next().number()).isEqualTo(2);
    }

    @Test
    void shouldUndeployAVerticleThatStartsAfterItWasGivenUpOn() throws Exception {
        Supervisor supervisor = supervisor(IMPATIENT);
        Promise<Void> slow = api.holdStartOf(1);
        supervisor.supervise(api.named("api").retried());
        api.next().supervision().died(new IllegalStateException("hangs"));
        api.next();

        slow.complete();

        assertThat(api.stopOf(1).get(20, TimeUnit.SECONDS)).isNull();
    }

    @Test
    void shouldReportCauseAndNextTryWhileDown() {
        Supervisor supervisor = supervisor(NEVER_AGAIN);
        supervisor.supervise(api.named("api")).await();
        awaitHealthy(supervisor, "api");
        assertThat(up("api")).isEqualTo(1);

        api.next().supervision().died(new IllegalStateException("disk gone"));
        api.awaitStopOf(1);
        while (!problem("api").contains("next try at")) {
            barrier(supervisor);
        }

        // NEVER_AGAIN waits an hour, give or take nothing: longer is cut off at the limit, shorter is jitter.
        assertThat(problem("api")).startsWith("disk gone; next try at 2031-05-06T0");
        assertThat(up("api")).isZero();
    }

    @Test
    void shouldNotStartEarlierBecauseOfAKillDuringBackOff() {
        Supervisor supervisor = supervisor(NEVER_AGAIN);
        supervisor.supervise(api.named("api")).await();
        api.next().supervision().died(new IllegalStateException("boom"));
        api.awaitStopOf(1);

        supervisor.kill("api", "again").await();
        supervisor.stop().await();

        assertThat(api.made()).isEqualTo(1);
        assertThat(api.history()).containsExactly("start 1", "stop 1");
    }

    @Test
    void shouldStopInReverseOrderAndStartNothingAfterwards() {
        Supervisor supervisor = supervisor(FAST);
        supervisor.supervise(api.named("one")).await();
        supervisor.supervise(api.named("two")).await();
        supervisor.supervise(api.named("three")).await();
        RecordedVerticles.Incarnation first = api.next();

        supervisor.stop().await();
        first.supervision().died(new IllegalStateException("too late"));

        assertThat(api.history()).containsExactly("start 1", "start 2", "start 3", "stop 3", "stop 2", "stop 1");
        assertThatThrownBy(() -> supervisor.supervise(api.named("four")).await())
                .hasMessageContaining("stopped");
        assertThat(api.made()).isEqualTo(3);
        supervisor.stop().await();
    }

    @Test
    void shouldStopTheOthersWhenOneHangs() {
        Supervisor supervisor = supervisor(IMPATIENT);
        supervisor.supervise(api.named("one")).await();
        supervisor.supervise(api.named("two")).await();
        api.holdStopOf(2);

        supervisor.stop().await();

        assertThat(api.history()).containsExactly("start 1", "start 2", "stop 2", "stop 1");
    }

    @Test
    void shouldStopWhileAVerticleIsStarting() {
        Supervisor supervisor = supervisor(FAST);
        Promise<Void> slow = api.holdStartOf(1);
        Future<Void> up = supervisor.supervise(api.named("api"));
        api.next();

        Future<Void> stopped = supervisor.stop();
        barrier(supervisor);
        slow.complete();

        stopped.await();
        assertThat(api.history()).containsExactly("start 1", "stop 1");
        assertThatThrownBy(up::await).hasMessageContaining("the supervisor was stopped");
    }

    @Test
    void shouldLeaveOthersAloneDuringARestartStorm() {
        Supervisor supervisor = supervisor(FAST);
        RecordedVerticles calm = new RecordedVerticles();
        supervisor.supervise(calm.named("calm")).await();
        supervisor.supervise(api.named("storm")).await();

        for (int i = 1; i <= 25; i++) {
            api.next().throwUncaught(new IllegalStateException("storm " + i));
        }

        assertThat(api.next().number()).isEqualTo(26);
        supervisor.stop().await();
        assertThat(calm.history()).containsExactly("start 1", "stop 1");
        assertThat(restarts("storm")).isEqualTo(25);
    }

    @Test
    void shouldBeginBackOffAnewAfterATimeOfHealth() {
        // Doubling from 1 ms, 18 deaths in a row would mean a wait of two minutes.
        Supervisor supervisor =
                supervisor(new BackoffPolicy(Duration.ofMillis(1), HOUR, Duration.ofMillis(5), Duration.ofSeconds(20)));
        supervisor.supervise(api.named("api")).await();

        for (int i = 0; i < 18; i++) {
            RecordedVerticles.Incarnation current = api.next();
            vertx.timer(25).await();
            current.supervision().died(new IllegalStateException("now and then"));
        }

        assertThat(api.next().number()).isEqualTo(19);
    }

    @Test
    void backOffShouldDoubleUpToItsLimitWithJitter() {
        Random random = new Random(42);
        for (int deaths : List.of(1, 2, 3, 8, 9, 10, 31, 1_000_000)) {
            long expected = deaths >= 10 ? 30_000 : Math.min(30_000, 100L << (deaths - 1));
            for (int i = 0; i < 100; i++) {
                assertThat(BackoffPolicy.DEFAULT.delay(deaths, random).toMillis())
                        .isBetween(Math.round(expected * 0.8), Math.min(30_000, Math.round(expected * 1.2)));
            }
        }
    }

    private Supervisor supervisor(BackoffPolicy policy) {
        Clock clock = Clock.fixed(Instant.parse("2031-05-06T07:08:09Z"), ZoneOffset.UTC);
        return new Supervisor(vertx, new SupervisorParts(policy, meters, clock, new Random(1)), health);
    }

    /** Whatever was reported to the supervisor before has been dealt with afterwards. */
    private static void barrier(Supervisor supervisor) {
        assertThatThrownBy(() -> supervisor.kill("nobody", "barrier").await()).isNotNull();
    }

    private void awaitHealthy(Supervisor supervisor, String name) {
        while (!problem(name).equals("ok")) {
            barrier(supervisor);
        }
    }

    private String problem(String name) {
        return health.problemOf("verticle-" + name).orElse("ok");
    }

    private double restarts(String name) {
        return meters.get("mooring.verticle.restarts")
                .tag("verticle", name)
                .counter()
                .count();
    }

    private double up(String name) {
        return meters.get("mooring.verticle.up").tag("verticle", name).gauge().value();
    }
}
