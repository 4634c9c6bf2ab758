package dev.mooring.cli.supervise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.api.Health;
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

/** Verticles that are stopped for a while, and what others are told of those that die. */
@Timeout(60)
class SupervisorReportsTest {
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
    void shouldStartAPausedVerticleWhenItsTimeHasPassed() {
        Supervisor supervisor = supervisor(NEVER_AGAIN);
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
    void shouldNotStartAPausedVerticleBeforeItHasStopped() {
        Supervisor supervisor = supervisor(IMPATIENT);
        api.holdStopOf(1);
        supervisor.supervise(api.named("api")).await();
        api.next();

        supervisor.pause("api", Duration.ofMillis(1), "to see").await();

        // Its stop hangs, so it is given up on first.
        assertThat(api.next().number()).isEqualTo(2);
        assertThat(api.history()).containsExactly("start 1", "stop 1", "start 2");
    }

    @Test
    void shouldEndPausesWhenAsked() {
        Supervisor supervisor = supervisor(NEVER_AGAIN);
        supervisor.supervise(api.named("api")).await();
        api.next().supervision().died(new IllegalStateException("boom"));
        api.awaitStopOf(1);
        supervisor.pause("api", HOUR, "to see").await();
        assertThat(problem("api")).isEqualTo("paused until 2031-05-06T08:08:09Z: to see");
        assertThat(report(supervisor, "api").phase()).isEqualTo(ChildReport.Phase.PAUSED);
        assertThat(report(supervisor, "api").until()).contains(Instant.parse("2031-05-06T08:08:09Z"));

        supervisor.resumeAll().await();

        assertThat(api.next().number()).isEqualTo(2);
    }

    @Test
    void shouldStopWhileAVerticleIsPaused() {
        Supervisor supervisor = supervisor(FAST);
        supervisor.supervise(api.named("api")).await();
        api.next();
        supervisor.pause("api", Duration.ofMillis(5), "to see").await();

        supervisor.stop().await();
        supervisor.resumeAll().await();
        vertx.timer(25).await();

        assertThat(api.made()).isEqualTo(1);
    }

    @Test
    void shouldReportHowOftenAndWhyAVerticleDied() {
        Supervisor supervisor = supervisor(FAST);
        List<String> news = new CopyOnWriteArrayList<>();
        supervisor.listen(new VerticleListener() {
            @Override
            public void died(String verticle, int deathsInARow, String cause, Duration nextTry) {
                throw new IllegalStateException("a listener that breaks harms nobody");
            }

            @Override
            public void recovered(String verticle, int deathsBefore) {}
        });
        supervisor.listen(new VerticleListener() {
            @Override
            public void died(String verticle, int deathsInARow, String cause, Duration nextTry) {
                news.add(verticle + " died " + deathsInARow + ": " + cause);
            }

            @Override
            public void recovered(String verticle, int deathsBefore) {
                news.add(verticle + " recovered from " + deathsBefore);
            }
        });
        supervisor.supervise(api.named("api")).await();
        api.next().throwUncaught(new IllegalStateException("one"));
        api.next().throwUncaught(new IllegalStateException("two"));
        api.next();
        awaitHealthy(supervisor, "api");

        assertThat(news).containsExactly("api died 1: one", "api died 2: two");
        assertThat(report(supervisor, "api"))
                .isEqualTo(new ChildReport("api", ChildReport.Phase.UP, 2, 2, Optional.of("two"), Optional.empty()));
        assertThat(meters.get("mooring.verticle.deaths.in.a.row").gauge().value())
                .isEqualTo(2);
    }

    @Test
    void shouldTellWhenAVerticleIsWellAgain() throws Exception {
        Supervisor supervisor =
                supervisor(new BackoffPolicy(Duration.ofMillis(1), HOUR, Duration.ofMillis(5), Duration.ofSeconds(20)));
        CompletableFuture<Integer> recovered = new CompletableFuture<>();
        supervisor.listen(new VerticleListener() {
            @Override
            public void died(String verticle, int deathsInARow, String cause, Duration nextTry) {}

            @Override
            public void recovered(String verticle, int deathsBefore) {
                recovered.complete(deathsBefore);
            }
        });
        supervisor.supervise(api.named("api")).await();
        api.next().throwUncaught(new IllegalStateException("once"));

        assertThat(recovered.get(20, TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(report(supervisor, "api").deathsInARow()).isZero();
    }

    @Test
    void shouldOnlyDegradeWhatLosesNothingButItsPart() {
        Supervisor supervisor = supervisor(NEVER_AGAIN);
        RecordedVerticles part = new RecordedVerticles();
        part.failStartsOf(1);
        supervisor.supervise(api.named("api")).await();
        supervisor.supervise(part.named("part").retried().losingItsPart());
        api.next().supervision().died(new IllegalStateException("boom"));
        api.awaitStopOf(1);
        while (!problem("part").contains("next try")) {
            barrier(supervisor);
        }

        assertThat(health.stateOf("verticle-part")).contains(Health.State.DEGRADED);
        assertThat(health.stateOf("verticle-api")).contains(Health.State.FAILING);
    }

    @Test
    void shouldNotBeReadyWhileAPartStartsForTheFirstTime() {
        Supervisor supervisor = supervisor(FAST);
        Promise<Void> slow = api.holdStartOf(1);
        Future<Void> up = supervisor.supervise(api.named("part").retried().losingItsPart());
        api.next();
        assertThat(health.stateOf("verticle-part")).contains(Health.State.FAILING);

        slow.complete();
        up.await();

        assertThat(health.stateOf("verticle-part")).contains(Health.State.OK);
    }

    private Supervisor supervisor(BackoffPolicy policy) {
        Clock clock = Clock.fixed(Instant.parse("2031-05-06T07:08:09Z"), ZoneOffset.UTC);
        return new Supervisor(vertx, new SupervisorParts(policy, meters, clock, new Random(1)), health);
    }

    /** Whatever was reported to the supervisor before has been dealt with afterwards. */
    private static void barrier(Supervisor supervisor) {
        assertThatThrownBy(() -> supervisor.kill("nobody", "barrier").await()).isNotNull();
    }

    private static ChildReport report(Supervisor supervisor, String name) {
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
