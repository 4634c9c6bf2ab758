package dev.mooring.node.probe;

import static dev.mooring.node.probe.ProbeKind.LIVENESS;
import static dev.mooring.node.probe.ProbeKind.READINESS;
import static dev.mooring.node.probe.ProbeKind.STARTUP;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests when probes run and how their results are evaluated, in virtual time. */
class ProbeManagerTest {
    private static final ProbeManager.ProbeStatus READY = new ProbeManager.ProbeStatus(true, true, Optional.empty());
    private static final ProbeManager.ProbeStatus NOT_READY =
            new ProbeManager.ProbeStatus(true, false, Optional.empty());
    private static final ProbeManager.ProbeStatus NOT_STARTED =
            new ProbeManager.ProbeStatus(false, false, Optional.empty());

    @Test
    void containerWithoutProbes_isStartedAndReady() {
        ProbeManagerFixture fixture =
                new ProbeManagerFixture("image: i").observeRunning("a").pass(100);

        assertThat(fixture.status("a")).isEqualTo(READY);
        assertThat(fixture.probed()).isEmpty();
    }

    @Test
    void probe_runsAfterInitialDelayAndThenOncePerPeriod() {
        ProbeManagerFixture fixture =
                new ProbeManagerFixture("readinessProbe: {initialDelaySeconds: 3, periodSeconds: 5}");

        fixture.observeRunning("a").pass(14);

        assertThat(fixture.probed()).containsExactly("3 readiness a", "8 readiness a", "13 readiness a");
    }

    @Test
    void initialDelay_countsFromStartOfContainer() {
        ProbeManagerFixture fixture = new ProbeManagerFixture("readinessProbe: {initialDelaySeconds: 30}");
        fixture.pass(20);

        fixture.observeRunning("a", fixture.node.now().minusSeconds(10)).pass(20);

        assertThat(fixture.probed()).containsExactly("40 readiness a");
    }

    @Test
    void readinessProbe_firstSuccess_requeuesPodOnce() {
        ProbeManagerFixture fixture =
                new ProbeManagerFixture("readinessProbe: {periodSeconds: 5, initialDelaySeconds: 1}");

        fixture.observeRunning("a");
        assertThat(fixture.status("a")).isEqualTo(NOT_READY);
        assertThat(fixture.requeued).isEmpty();

        fixture.pass(1);
        assertThat(fixture.status("a")).isEqualTo(READY);
        assertThat(fixture.requeued).containsExactly(ProbeManagerFixture.KEY);

        fixture.pass(100);
        assertThat(fixture.requeued).describedAs("requeues without change").hasSize(1);
    }

    @Test
    void readiness_changesOnlyAfterThresholdInARow() {
        ProbeManagerFixture fixture =
                new ProbeManagerFixture("readinessProbe: {periodSeconds: 1, successThreshold: 2, failureThreshold: 3}");
        fixture.observeRunning("a");
        assertThat(fixture.status("a")).isEqualTo(NOT_READY);
        fixture.pass(1);
        assertThat(fixture.status("a")).isEqualTo(READY);

        fixture.setResult(READINESS, Prober.ProbeResult.failure("no")).pass(2);
        assertThat(fixture.status("a")).isEqualTo(READY);
        fixture.setResult(READINESS, Prober.ProbeResult.success()).pass(1);
        fixture.setResult(READINESS, Prober.ProbeResult.failure("no")).pass(2);
        assertThat(fixture.status("a")).describedAs("not three in a row").isEqualTo(READY);
        fixture.pass(1);
        assertThat(fixture.status("a")).isEqualTo(NOT_READY);
        assertThat(fixture.requeued).hasSize(2);
    }

    @Test
    void otherProbes_startAfterStartupProbeSucceeds() {
        ProbeManagerFixture fixture = new ProbeManagerFixture(
                "startupProbe: {periodSeconds: 2}, livenessProbe: {periodSeconds: 7}, readinessProbe: {periodSeconds:"
                        + " 10}");
        fixture.setResult(STARTUP, Prober.ProbeResult.failure("not yet"))
                .observeRunning("a")
                .pass(3);
        assertThat(fixture.probed()).containsExactly("0 startup a", "2 startup a");
        assertThat(fixture.status("a")).isEqualTo(NOT_STARTED);

        fixture.setResult(STARTUP, Prober.ProbeResult.success()).pass(8);

        assertThat(fixture.probed()).containsExactly("4 startup a", "4 liveness a", "4 readiness a", "11 liveness a");
        assertThat(fixture.status("a")).isEqualTo(READY);
    }

    @Test
    void startupProbe_succeeds_containerIsReady() {
        ProbeManagerFixture fixture = new ProbeManagerFixture("startupProbe: {periodSeconds: 2}");

        fixture.setResult(STARTUP, Prober.ProbeResult.failure("not yet")).observeRunning("a");
        assertThat(fixture.status("a")).isEqualTo(NOT_STARTED);
        fixture.setResult(STARTUP, Prober.ProbeResult.success()).pass(2);

        assertThat(fixture.status("a")).isEqualTo(READY);
    }

    @Test
    void startupProbe_reachesFailureThreshold_containerFails() {
        ProbeManagerFixture fixture =
                new ProbeManagerFixture("startupProbe: {periodSeconds: 1, failureThreshold: 2}, livenessProbe: {}");

        fixture.setResult(STARTUP, Prober.ProbeResult.failure("no"))
                .observeRunning("a")
                .pass(30);

        assertThat(fixture.status("a")).isEqualTo(new ProbeManager.ProbeStatus(false, false, Optional.of("startup")));
        assertThat(fixture.probed()).containsExactly("0 startup a", "1 startup a");
        assertThat(fixture.requeued).hasSize(1);
    }

    @Test
    void livenessProbe_reachesFailureThreshold_containerFailsOnce() {
        ProbeManagerFixture fixture =
                new ProbeManagerFixture("livenessProbe: {periodSeconds: 1}, readinessProbe: {periodSeconds: 5}");
        fixture.observeRunning("a").setResult(LIVENESS, Prober.ProbeResult.failure("dead"));
        fixture.requeued.clear();
        fixture.probed();

        fixture.pass(2);
        assertThat(fixture.status("a")).isEqualTo(READY);
        fixture.pass(9);

        assertThat(fixture.status("a")).isEqualTo(new ProbeManager.ProbeStatus(true, true, Optional.of("liveness")));
        assertThat(fixture.requeued).hasSize(1);
        assertThat(fixture.probed())
                .containsExactly("1 liveness a", "2 liveness a", "3 liveness a", "5 readiness a", "10 readiness a");
    }

    @Test
    void newContainer_isProbedFromTheBeginning() {
        ProbeManagerFixture fixture =
                new ProbeManagerFixture("livenessProbe: {periodSeconds: 1, failureThreshold: 1}, readinessProbe: {}");
        fixture.setResult(LIVENESS, Prober.ProbeResult.failure("dead"))
                .observeRunning("a")
                .pass(1);
        assertThat(fixture.status("a").failure()).contains("liveness");
        fixture.probed();

        fixture.observeEnded("a").pass(20);
        assertThat(fixture.probed()).isEmpty();
        fixture.setResult(LIVENESS, Prober.ProbeResult.success())
                .setResult(READINESS, Prober.ProbeResult.failure("no"))
                .observeRunning("b");

        assertThat(fixture.status("b")).isEqualTo(NOT_READY);
        assertThat(fixture.probed()).containsExactly("21 liveness b", "21 readiness b");
        assertThat(fixture.pass(1).probed()).containsExactly("22 liveness b");
    }

    @Test
    void deletedPod_onlyReadinessIsProbed() {
        ProbeManagerFixture fixture =
                new ProbeManagerFixture("livenessProbe: {periodSeconds: 5}, readinessProbe: {periodSeconds: 5}");
        fixture.observeRunning("a").probed();

        fixture.deletePod()
                .observeRunning("a")
                .setResult(LIVENESS, Prober.ProbeResult.failure("dead"))
                .pass(10);

        assertThat(fixture.probed()).containsExactly("5 readiness a", "10 readiness a");
        assertThat(fixture.status("a").failure()).isEmpty();
    }

    @Test
    void deletedPod_lateResult_isIgnored() {
        ProbeManagerFixture fixture = new ProbeManagerFixture("livenessProbe: {failureThreshold: 1}");
        CompletableFuture<Prober.ProbeResult> slow = new CompletableFuture<>();
        fixture.results.put(LIVENESS, slow);
        fixture.observeRunning("a").deletePod().observeRunning("a");

        slow.complete(Prober.ProbeResult.failure("dead"));

        assertThat(fixture.status("a").failure()).isEmpty();
        assertThat(fixture.node.recordedEvents()).isEmpty();
    }

    @Test
    void slowProbe_isRepeatedOnlyAfterItsResult() {
        ProbeManagerFixture fixture = new ProbeManagerFixture("readinessProbe: {periodSeconds: 2}");
        CompletableFuture<Prober.ProbeResult> slow = new CompletableFuture<>();
        fixture.results.put(READINESS, slow);
        fixture.observeRunning("a").pass(5);
        assertThat(fixture.probed()).containsExactly("0 readiness a");

        slow.complete(Prober.ProbeResult.success());
        fixture.node.settle();

        assertThat(fixture.probed()).containsExactly("5 readiness a");
    }

    @Test
    void unknownResult_isNotCounted() {
        ProbeManagerFixture fixture = new ProbeManagerFixture("livenessProbe: {periodSeconds: 1, failureThreshold: 3}");
        fixture.setResult(LIVENESS, Prober.ProbeResult.failure("no"))
                .observeRunning("a")
                .pass(1);
        fixture.setResult(LIVENESS, Prober.ProbeResult.unknown("no engine")).pass(10);
        assertThat(fixture.status("a").failure()).isEmpty();

        fixture.setResult(LIVENESS, Prober.ProbeResult.failure("no")).pass(1);

        assertThat(fixture.status("a").failure()).contains("liveness");
    }

    @Test
    void results_recordEventsOfTheKubelet() {
        ProbeManagerFixture fixture = new ProbeManagerFixture(
                "livenessProbe: {periodSeconds: 1, failureThreshold: 9}, readinessProbe: {periodSeconds: 1}");
        fixture.setResult(LIVENESS, Prober.ProbeResult.failure("HTTP probe failed with statuscode: 500"))
                .setResult(READINESS, Prober.ProbeResult.warning("elsewhere"))
                .observeRunning("a")
                .pass(1);
        fixture.setResult(READINESS, Prober.ProbeResult.unknown("broken"))
                .setResult(LIVENESS, Prober.ProbeResult.unknown(""))
                .pass(1);

        assertThat(fixture.node.recordedEvents())
                .containsExactly(
                        "Warning ProbeWarning Pod/p x2: Readiness probe warning: elsewhere",
                        "Warning Unhealthy Pod/p x1: Readiness probe errored and resulted in unknown state: broken",
                        "Warning Unhealthy Pod/p x2: Liveness probe failed: HTTP probe failed with statuscode: 500");
    }

    @Test
    void failingProbe_eventsAreRateLimited() {
        ProbeManagerFixture fixture = new ProbeManagerFixture("readinessProbe: {periodSeconds: 1}");

        fixture.setResult(READINESS, Prober.ProbeResult.failure("no"))
                .observeRunning("a")
                .pass(3600);

        // 25 Events at once, and one more every five minutes.
        assertThat(fixture.node.recordedEvents())
                .containsExactly("Warning Unhealthy Pod/p x37: Readiness probe failed: no");
    }

    @Test
    void updatePod_unchanged_startsNoProbe() {
        ProbeManagerFixture fixture =
                new ProbeManagerFixture("readinessProbe: {periodSeconds: 10}").observeRunning("a");
        fixture.probed();

        for (int i = 0; i < 9; i++) {
            fixture.pass(1).observeRunning("a", fixture.node.now().minusSeconds(i + 1));
        }

        assertThat(fixture.probed()).isEmpty();
        assertThat(fixture.pass(1).probed()).containsExactly("10 readiness a");
    }

    @Test
    void removedPod_isNotProbed() {
        ProbeManagerFixture fixture = new ProbeManagerFixture("readinessProbe: {periodSeconds: 1}").observeRunning("a");
        fixture.probed();

        fixture.probes().removePod("uid-p");

        assertThat(fixture.pass(10).probed()).isEmpty();
        assertThat(fixture.status("a")).isEqualTo(NOT_READY);
    }

    @Test
    void restart_statusIsKeptUntilProbesFail() {
        ProbeManagerFixture fixture = new ProbeManagerFixture(
                "startupProbe: {periodSeconds: 10}, readinessProbe: {periodSeconds: 10, failureThreshold: 2}");
        fixture.pass(100);
        fixture.node.change(
                ProbeManagerFixture.KEY,
                pod -> pod.withObject("/status")
                        .withArray("containerStatuses")
                        .addObject()
                        .put("containerID", "docker://a")
                        .put("started", true)
                        .put("ready", true));
        fixture.restart();
        fixture.setResult(READINESS, Prober.ProbeResult.failure("no"));

        fixture.observeRunning("a", fixture.node.now().minus(Duration.ofSeconds(90)));

        assertThat(fixture.probed())
                .describedAs("probes right after the restart")
                .isEmpty();
        assertThat(fixture.status("a")).isEqualTo(READY);
        fixture.pass(10);
        assertThat(fixture.probed()).hasSize(1).first().asString().endsWith("readiness a");
        assertThat(fixture.status("a")).isEqualTo(READY);
        fixture.pass(10);
        assertThat(fixture.status("a")).isEqualTo(NOT_READY);
        assertThat(fixture.status("another")).isEqualTo(NOT_STARTED);
    }

    @Test
    void graceSeconds_isThatOfTheProbe() {
        ProbeManagerFixture fixture =
                new ProbeManagerFixture("livenessProbe: {terminationGracePeriodSeconds: 5}, startupProbe: {}");
        ObjectNode spec = (ObjectNode) fixture.spec();

        assertThat(ProbeManager.graceSeconds(spec, "liveness")).isEqualTo(OptionalLong.of(5));
        assertThat(ProbeManager.graceSeconds(spec, "startup")).isEqualTo(OptionalLong.empty());
    }
}
