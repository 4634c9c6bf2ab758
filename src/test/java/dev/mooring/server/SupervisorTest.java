package dev.mooring.server;

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

@Timeout(180)
class SupervisorTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Supervisor.BackoffPolicy FAST =
            new Supervisor.BackoffPolicy(Duration.ofMillis(1), Duration.ofMillis(5), HOUR, Duration.ofSeconds(20));
    private static final Supervisor.BackoffPolicy HOURLY =
            new Supervisor.BackoffPolicy(HOUR, HOUR, HOUR, Duration.ofSeconds(20));
    private static final Supervisor.BackoffPolicy SHORT_TIMEOUT =
            new Supervisor.BackoffPolicy(Duration.ofMillis(1), Duration.ofMillis(5), HOUR, Duration.ofMillis(20));

    /** Long enough for a verticle that does not hang to stop on a busy machine. */
    private static final Supervisor.BackoffPolicy SUFFICIENT_TIMEOUT =
            new Supervisor.BackoffPolicy(Duration.ofMillis(1), Duration.ofMillis(5), HOUR, Duration.ofSeconds(2));

    private final Vertx vertx = Vertx.vertx();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final HealthChecks health = new HealthChecks();
    private final FakeVerticles api = new FakeVerticles();

    @AfterEach
    void close() {
        vertx.close().await();
    }

    @Test
    void verticle_throwsUncaught_isReplaced() {
        Supervisor supervisor = supervisor(FAST);
        supervisor.supervise(api.named("api")).await();
        FakeVerticles.Instance first = api.next();

        first.throwUncaught(new IllegalStateException("boom"));
        FakeVerticles.Instance second = api.next();

        assertThat(second).isNotSameAs(first);
        assertThat(api.history()).containsExactly("start 1", "stop 1", "start 2");
        assertThat(restarts("api")).isEqualTo(1);
        supervisor.stop().await();
    }

    @Test
    void worker_reportsFailure_isReplaced() {
        Supervisor supervisor = supervisor(FAST);
        DeploymentOptions worker = new DeploymentOptions().setThreadingModel(ThreadingModel.WORKER);
        supervisor.supervise(api.named("api").withOptions(worker)).await();

        api.next().failureReporter().reportFailure(new IllegalStateException("disk gone"));

        assertThat(api.next().number()).isEqualTo(2);
    }

    @Test
    void verticle_killed_isReplaced() {
        Supervisor supervisor = supervisor(FAST);
        supervisor.supervise(api.named("api")).await();
        api.next();

        supervisor.kill("api", "chaos").await();

        assertThat(api.next().number()).isEqualTo(2);
    }

    @Test
    void kill_unknownName_listsTheVerticles() {
        Supervisor supervisor = supervisor(FAST);
        supervisor.supervise(api.named("api")).await();

        assertThatThrownBy(() -> supervisor.kill("apu", "chaos").await())
                .hasMessageContaining("expected one of api")
                .hasMessageContaining("apu");
    }

    @Test
    void verticle_replacementCannotStart_isRetried() {
        Supervisor supervisor = supervisor(FAST);
        supervisor.supervise(api.named("api")).await();
        api.failStartsOf(2, 3, 4);

        api.next().throwUncaught(new IllegalStateException("boom"));

        assertThat(api.next().number()).isEqualTo(5);
        assertThat(restarts("api")).isEqualTo(4);
        supervisor.stop().await();
    }

    @Test
    void requiredVerticle_firstStartFails_isNotRetried() {
        Supervisor supervisor = supervisor(FAST);
        api.failStartsOf(1);

        assertThatThrownBy(() -> supervisor.supervise(api.named("api")).await()).hasMessage("cannot start 1");

        supervisor.stop().await();
        assertThat(api.created()).isEqualTo(1);
    }

    @Test
    void requiredVerticle_factoryThrows_fails() {
        Supervisor supervisor = supervisor(FAST);
        ChildSpec broken = ChildSpec.required("broken", supervision -> {
            throw new IllegalStateException("no such class");
        });

        assertThatThrownBy(() -> supervisor.supervise(broken).await()).hasMessage("no such class");
    }

    @Test
    void retriedVerticle_firstStartFails_isRetried() {
        Supervisor supervisor = supervisor(FAST);
        api.failStartsOf(1, 2);

        supervisor.supervise(api.named("api").retried()).await();

        assertThat(api.next().number()).isEqualTo(3);
    }

    @Test
    void supervise_nameInUse_isRejected() {
        Supervisor supervisor = supervisor(FAST);
        supervisor.supervise(api.named("api")).await();

        assertThatThrownBy(() -> supervisor.supervise(api.named("api")).await())
                .hasMessageContaining("already supervised");
    }

    @Test
    void verticle_failureReportedTwice_countsOnce() {
        Supervisor supervisor = supervisor(FAST);
        supervisor.supervise(api.named("api")).await();
        FakeVerticles.Instance first = api.next();

        first.failureReporter().reportFailure(new IllegalStateException("one"));
        first.failureReporter().reportFailure(new IllegalStateException("two"));
        first.throwUncaught(new IllegalStateException("three"));
        api.next();

        supervisor.stop().await();
        assertThat(api.created()).isEqualTo(2);
        assertThat(restarts("api")).isEqualTo(1);
    }

    @Test
    void verticle_lateFailureOfReplacedInstance_isIgnored() {
        Supervisor supervisor = supervisor(FAST);
        supervisor.supervise(api.named("api")).await();
        FakeVerticles.Instance first = api.next();
        first.failureReporter().reportFailure(new IllegalStateException("one"));
        api.next();
        awaitHealthy(supervisor, "api");

        first.failureReporter().reportFailure(new IllegalStateException("late"));
        barrier(supervisor);

        assertThat(problem("api")).isEqualTo("ok");
        supervisor.stop().await();
        assertThat(api.created()).isEqualTo(2);
    }

    @Test
    void verticle_failsWhileStarting_isStoppedBeforeReplacement() {
        Supervisor supervisor = supervisor(FAST);
        Promise<Void> slow = api.holdStartOf(1);
        Future<Void> up = supervisor.supervise(api.named("api").retried());
        FakeVerticles.Instance first = api.next();

        first.failureReporter().reportFailure(new IllegalStateException("while starting"));
        barrier(supervisor);
        assertThat(api.created()).isEqualTo(1);
        slow.complete();

        assertThat(api.next().number()).isEqualTo(2);
        up.await();
        assertThat(api.history()).containsExactly("start 1", "stop 1", "start 2");
    }

    @Test
    void verticle_stopHangs_isReplacedAfterTheTimeout() {
        Supervisor supervisor = supervisor(SHORT_TIMEOUT);
        api.holdStopOf(1);
        supervisor.supervise(api.named("api")).await();

        api.next().throwUncaught(new IllegalStateException("boom"));

        assertThat(api.next().number()).isEqualTo(2);
    }

    @Test
    void verticle_startsAfterBeingAbandoned_isUndeployed() throws Exception {
        Supervisor supervisor = supervisor(SHORT_TIMEOUT);
        Promise<Void> slow = api.holdStartOf(1);
        supervisor.supervise(api.named("api").retried());
        api.next().failureReporter().reportFailure(new IllegalStateException("hangs"));
        api.next();

        slow.complete();

        assertThat(api.stopOf(1).get(60, TimeUnit.SECONDS)).isNull();
    }

    @Test
    void verticle_down_reportsCauseAndNextTry() {
        Supervisor supervisor = supervisor(HOURLY);
        supervisor.supervise(api.named("api")).await();
        awaitHealthy(supervisor, "api");
        assertThat(up("api")).isEqualTo(1);

        api.next().failureReporter().reportFailure(new IllegalStateException("disk gone"));
        api.awaitStopOf(1);
        while (!problem("api").contains("next try at")) {
            barrier(supervisor);
        }

        // HOURLY waits at most an hour: jitter makes the delay shorter, the limit caps it.
        assertThat(problem("api")).startsWith("disk gone; next try at 2031-05-06T0");
        assertThat(up("api")).isZero();
    }

    @Test
    void kill_duringBackOff_doesNotStartEarlier() {
        Supervisor supervisor = supervisor(HOURLY);
        supervisor.supervise(api.named("api")).await();
        api.next().failureReporter().reportFailure(new IllegalStateException("boom"));
        api.awaitStopOf(1);

        supervisor.kill("api", "again").await();
        supervisor.stop().await();

        assertThat(api.created()).isEqualTo(1);
        assertThat(api.history()).containsExactly("start 1", "stop 1");
    }

    @Test
    void stop_stopsInReverseOrderAndStartsNothingAfterwards() {
        Supervisor supervisor = supervisor(FAST);
        supervisor.supervise(api.named("one")).await();
        supervisor.supervise(api.named("two")).await();
        supervisor.supervise(api.named("three")).await();
        FakeVerticles.Instance first = api.next();

        supervisor.stop().await();
        first.failureReporter().reportFailure(new IllegalStateException("too late"));

        assertThat(api.history()).containsExactly("start 1", "start 2", "start 3", "stop 3", "stop 2", "stop 1");
        assertThatThrownBy(() -> supervisor.supervise(api.named("four")).await())
                .hasMessageContaining("stopped");
        assertThat(api.created()).isEqualTo(3);
        supervisor.stop().await();
    }

    @Test
    void stop_oneVerticleHangs_stopsTheOthers() {
        Supervisor supervisor = supervisor(SUFFICIENT_TIMEOUT);
        supervisor.supervise(api.named("one")).await();
        supervisor.supervise(api.named("two")).await();
        api.holdStopOf(2);

        supervisor.stop().await();

        assertThat(api.history()).containsExactly("start 1", "start 2", "stop 2", "stop 1");
    }

    @Test
    void stop_verticleStarting_stopsItAfterItsStart() {
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
    void verticle_diesRepeatedly_doesNotAffectOthers() {
        Supervisor supervisor = supervisor(FAST);
        FakeVerticles calm = new FakeVerticles();
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
    void backOff_healthyPeriod_startsOver() {
        // Doubling from 1 ms, 18 deaths in a row would mean a wait of two minutes.
        Supervisor supervisor = supervisor(
                new Supervisor.BackoffPolicy(Duration.ofMillis(1), HOUR, Duration.ofMillis(5), Duration.ofSeconds(20)));
        supervisor.supervise(api.named("api")).await();

        for (int i = 0; i < 18; i++) {
            FakeVerticles.Instance current = api.next();
            vertx.timer(25).await();
            current.failureReporter().reportFailure(new IllegalStateException("now and then"));
        }

        assertThat(api.next().number()).isEqualTo(19);
    }

    @Test
    void backOff_doublesUpToItsLimitWithJitter() {
        Random random = new Random(42);
        for (int deaths : List.of(1, 2, 3, 8, 9, 10, 31, 1_000_000)) {
            long expected = deaths >= 10 ? 30_000 : Math.min(30_000, 100L << (deaths - 1));
            for (int i = 0; i < 100; i++) {
                assertThat(Supervisor.BackoffPolicy.DEFAULT
                                .delay(deaths, random)
                                .toMillis())
                        .isBetween(Math.round(expected * 0.8), Math.min(30_000, Math.round(expected * 1.2)));
            }
        }
    }

    private Supervisor supervisor(Supervisor.BackoffPolicy policy) {
        Clock clock = Clock.fixed(Instant.parse("2031-05-06T07:08:09Z"), ZoneOffset.UTC);
        return new Supervisor(vertx, new Supervisor.SupervisorContext(policy, meters, clock, new Random(1)), health);
    }

    /** Waits until the supervisor has processed everything reported to it before. */
    private static void barrier(Supervisor supervisor) {
        assertThatThrownBy(() -> supervisor.kill("unknown", "barrier").await()).isNotNull();
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
