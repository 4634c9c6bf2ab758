package dev.mooring.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.api.HealthCheck;
import dev.mooring.api.HealthChecks;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of paused verticles and of the supervisor's reports about verticles that died. */
@Timeout(180)
class SupervisorReportsTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Supervisor.BackoffPolicy FAST =
            new Supervisor.BackoffPolicy(Duration.ofMillis(1), Duration.ofMillis(5), HOUR, Duration.ofSeconds(20));
    private static final Supervisor.BackoffPolicy HOURLY =
            new Supervisor.BackoffPolicy(HOUR, HOUR, HOUR, Duration.ofSeconds(20));

    /** The stop timeout is long enough for a verticle to begin its stop on a busy machine. */
    private static final Supervisor.BackoffPolicy SUFFICIENT_TIMEOUT =
            new Supervisor.BackoffPolicy(Duration.ofMillis(1), Duration.ofMillis(5), HOUR, Duration.ofSeconds(2));

    /** Longer than a busy machine needs from one call to the next. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Vertx vertx = Vertx.vertx();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final HealthChecks health = new HealthChecks();
    private final FakeVerticles api = new FakeVerticles();

    @AfterEach
    void close() {
        vertx.close().await();
    }

    @Test
    void pausedVerticle_pauseElapsed_isStarted() {
        Supervisor supervisor = supervisor(HOURLY);
        supervisor.supervise(api.named("api")).await();
        api.next();

        supervisor.pause("api", Duration.ofMillis(50), "to see").await();

        assertThat(api.next().number()).isEqualTo(2);
        awaitHealthy(supervisor, "api");
        assertThat(api.history()).containsExactly("start 1", "stop 1", "start 2");
        assertThat(restarts("api")).isZero();
        assertThat(report(supervisor, "api").deathsInARow()).isZero();
    }

    @Test
    void pausedVerticle_stopHangs_isStartedAfterTheStopTimeout() {
        Supervisor supervisor = supervisor(SUFFICIENT_TIMEOUT);
        api.holdStopOf(1);
        supervisor.supervise(api.named("api")).await();
        api.next();

        supervisor.pause("api", Duration.ofMillis(1), "to see").await();

        // The stop hangs, so the supervisor abandons the instance first.
        assertThat(api.next().number()).isEqualTo(2);
        assertThat(api.history()).containsExactly("start 1", "stop 1", "start 2");
    }

    @Test
    void resumeAll_pausedVerticle_isStarted() {
        Supervisor supervisor = supervisor(HOURLY);
        supervisor.supervise(api.named("api")).await();
        api.next().failureReporter().reportFailure(new IllegalStateException("boom"));
        api.awaitStopOf(1);
        supervisor.pause("api", HOUR, "to see").await();
        assertThat(problem("api")).isEqualTo("paused until 2031-05-06T08:08:09Z: to see");
        assertThat(report(supervisor, "api").phase()).isEqualTo(Supervisor.ChildReport.VerticlePhase.PAUSED);
        assertThat(report(supervisor, "api").until()).contains(Instant.parse("2031-05-06T08:08:09Z"));

        supervisor.resumeAll().await();

        assertThat(api.next().number()).isEqualTo(2);
    }

    @Test
    void stop_verticlePaused_startsNothing() {
        Supervisor supervisor = supervisor(FAST);
        supervisor.supervise(api.named("api")).await();
        api.next();
        supervisor.pause("api", PAUSE, "to see").await();

        supervisor.stop().await();
        supervisor.resumeAll().await();
        vertx.timer(PAUSE.toMillis() + 25).await();

        assertThat(api.created()).isEqualTo(1);
    }

    @Test
    void verticle_diesRepeatedly_reportsCountAndCause() {
        Supervisor supervisor = supervisor(FAST);
        List<String> notifications = new CopyOnWriteArrayList<>();
        supervisor.addListener(new Supervisor.VerticleListener() {
            @Override
            public void died(String verticle, int deathsInARow, String cause, Duration nextTry) {
                throw new IllegalStateException("listener failure in a test");
            }

            @Override
            public void recovered(String verticle, int deathsBefore) {}
        });
        supervisor.addListener(new Supervisor.VerticleListener() {
            @Override
            public void died(String verticle, int deathsInARow, String cause, Duration nextTry) {
                notifications.add(verticle + " died " + deathsInARow + ": " + cause);
            }

            @Override
            public void recovered(String verticle, int deathsBefore) {
                notifications.add(verticle + " recovered from " + deathsBefore);
            }
        });
        supervisor.supervise(api.named("api")).await();
        api.next().throwUncaught(new IllegalStateException("one"));
        api.next().throwUncaught(new IllegalStateException("two"));
        api.next();
        awaitHealthy(supervisor, "api");

        assertThat(notifications).containsExactly("api died 1: one", "api died 2: two");
        assertThat(report(supervisor, "api"))
                .isEqualTo(new Supervisor.ChildReport(
                        "api", Supervisor.ChildReport.VerticlePhase.UP, 2, 2, Optional.of("two"), Optional.empty()));
        assertThat(meters.get("mooring.verticle.deaths.in.a.row").gauge().value())
                .isEqualTo(2);
    }

    @Test
    void verticle_healthyAgain_notifiesRecovered() throws Exception {
        Supervisor supervisor = supervisor(
                new Supervisor.BackoffPolicy(Duration.ofMillis(1), HOUR, Duration.ofMillis(5), Duration.ofSeconds(20)));
        CompletableFuture<Integer> recovered = new CompletableFuture<>();
        supervisor.addListener(new Supervisor.VerticleListener() {
            @Override
            public void died(String verticle, int deathsInARow, String cause, Duration nextTry) {}

            @Override
            public void recovered(String verticle, int deathsBefore) {
                recovered.complete(deathsBefore);
            }
        });
        supervisor.supervise(api.named("api")).await();
        api.next().throwUncaught(new IllegalStateException("once"));

        assertThat(recovered.get(60, TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(report(supervisor, "api").deathsInARow()).isZero();
    }

    @Test
    void verticleWithPartialLoss_down_isDegradedNotFailing() {
        Supervisor supervisor = supervisor(HOURLY);
        FakeVerticles part = new FakeVerticles();
        part.failStartsOf(1);
        supervisor.supervise(api.named("api")).await();
        supervisor.supervise(part.named("part").retried().withPartialLoss());
        api.next().failureReporter().reportFailure(new IllegalStateException("boom"));
        api.awaitStopOf(1);
        while (!problem("part").contains("next try")) {
            barrier(supervisor);
        }

        assertThat(health.stateOf("verticle-part")).contains(HealthCheck.HealthResult.State.DEGRADED);
        assertThat(health.stateOf("verticle-api")).contains(HealthCheck.HealthResult.State.FAILING);
    }

    @Test
    void verticleWithPartialLoss_firstStartPending_isFailing() {
        Supervisor supervisor = supervisor(FAST);
        Promise<Void> slow = api.holdStartOf(1);
        Future<Void> up = supervisor.supervise(api.named("part").retried().withPartialLoss());
        api.next();
        assertThat(health.stateOf("verticle-part")).contains(HealthCheck.HealthResult.State.FAILING);

        slow.complete();
        up.await();

        assertThat(health.stateOf("verticle-part")).contains(HealthCheck.HealthResult.State.OK);
    }

    private Supervisor supervisor(Supervisor.BackoffPolicy policy) {
        Clock clock = Clock.fixed(Instant.parse("2031-05-06T07:08:09Z"), ZoneOffset.UTC);
        return new Supervisor(vertx, new Supervisor.SupervisorContext(policy, meters, clock, new Random(1)), health);
    }

    /** Waits until the supervisor has processed everything reported to it before. */
    private static void barrier(Supervisor supervisor) {
        assertThatThrownBy(() -> supervisor.kill("unknown", "barrier").await()).isNotNull();
    }

    private static Supervisor.ChildReport report(Supervisor supervisor, String name) {
        return supervisor.children().await().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
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
}
