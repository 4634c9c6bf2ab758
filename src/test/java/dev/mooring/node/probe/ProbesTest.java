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

/** When which probe is asked, and what is made of the answers; in virtual time. */
class ProbesTest {
    private static final Verdict READY = new Verdict(true, true, Optional.empty());
    private static final Verdict NOT_READY = new Verdict(true, false, Optional.empty());
    private static final Verdict NOT_STARTED = new Verdict(false, false, Optional.empty());

    @Test
    void aContainerWithoutProbesIsStartedAndReadyAndNeverAsked() {
        ProbeBench bench = new ProbeBench("image: i").runs("a").pass(100);

        assertThat(bench.verdict("a")).isEqualTo(READY);
        assertThat(bench.asked()).isEmpty();
    }

    @Test
    void asksAfterTheDelayAndThenOncePerPeriod() {
        ProbeBench bench = new ProbeBench("readinessProbe: {initialDelaySeconds: 3, periodSeconds: 5}");

        bench.runs("a").pass(14);

        assertThat(bench.asked()).containsExactly("3 readiness a", "8 readiness a", "13 readiness a");
    }

    @Test
    void theDelayCountsFromTheStartOfTheContainerNotFromWhenItWasSeen() {
        ProbeBench bench = new ProbeBench("readinessProbe: {initialDelaySeconds: 30}");
        bench.pass(20);

        bench.runs("a", bench.node.now().minusSeconds(10)).pass(20);

        assertThat(bench.asked()).containsExactly("40 readiness a");
    }

    @Test
    void isNotReadyBeforeTheFirstSuccessAndWakesThePodWhenThatChanges() {
        ProbeBench bench = new ProbeBench("readinessProbe: {periodSeconds: 5, initialDelaySeconds: 1}");

        bench.runs("a");
        assertThat(bench.verdict("a")).isEqualTo(NOT_READY);
        assertThat(bench.woken).isEmpty();

        bench.pass(1);
        assertThat(bench.verdict("a")).isEqualTo(READY);
        assertThat(bench.woken).containsExactly(ProbeBench.KEY);

        bench.pass(100);
        assertThat(bench.woken).describedAs("nothing changed").hasSize(1);
    }

    @Test
    void believesFailuresAndSuccessesOnlyAfterSoManyInARow() {
        ProbeBench bench =
                new ProbeBench("readinessProbe: {periodSeconds: 1, successThreshold: 2, failureThreshold: 3}");
        bench.runs("a");
        assertThat(bench.verdict("a")).isEqualTo(NOT_READY);
        bench.pass(1);
        assertThat(bench.verdict("a")).isEqualTo(READY);

        bench.answer(READINESS, Answer.failure("no")).pass(2);
        assertThat(bench.verdict("a")).isEqualTo(READY);
        bench.answer(READINESS, Answer.success()).pass(1);
        bench.answer(READINESS, Answer.failure("no")).pass(2);
        assertThat(bench.verdict("a")).describedAs("not three in a row").isEqualTo(READY);
        bench.pass(1);
        assertThat(bench.verdict("a")).isEqualTo(NOT_READY);
        assertThat(bench.woken).hasSize(2);
    }

    @Test
    void anythingButTheStartupProbeWaitsForIt() {
        ProbeBench bench = new ProbeBench(
                "startupProbe: {periodSeconds: 2}, livenessProbe: {periodSeconds: 7}, readinessProbe: {periodSeconds:"
                        + " 10}");
        bench.answer(STARTUP, Answer.failure("not yet")).runs("a").pass(3);
        assertThat(bench.asked()).containsExactly("0 startup a", "2 startup a");
        assertThat(bench.verdict("a")).isEqualTo(NOT_STARTED);

        bench.answer(STARTUP, Answer.success()).pass(8);

        assertThat(bench.asked()).containsExactly("4 startup a", "4 liveness a", "4 readiness a", "11 liveness a");
        assertThat(bench.verdict("a")).isEqualTo(READY);
    }

    @Test
    void aStartupProbeAloneMakesTheContainerReady() {
        ProbeBench bench = new ProbeBench("startupProbe: {periodSeconds: 2}");

        bench.answer(STARTUP, Answer.failure("not yet")).runs("a");
        assertThat(bench.verdict("a")).isEqualTo(NOT_STARTED);
        bench.answer(STARTUP, Answer.success()).pass(2);

        assertThat(bench.verdict("a")).isEqualTo(READY);
    }

    @Test
    void aStartupProbeThatFailsTooOftenEndsTheContainer() {
        ProbeBench bench = new ProbeBench("startupProbe: {periodSeconds: 1, failureThreshold: 2}, livenessProbe: {}");

        bench.answer(STARTUP, Answer.failure("no")).runs("a").pass(30);

        assertThat(bench.verdict("a")).isEqualTo(new Verdict(false, false, Optional.of("startup")));
        assertThat(bench.asked()).containsExactly("0 startup a", "1 startup a");
        assertThat(bench.woken).hasSize(1);
    }

    @Test
    void livenessThatFailsTooOftenEndsTheContainerOnceWhileReadinessGoesOn() {
        ProbeBench bench = new ProbeBench("livenessProbe: {periodSeconds: 1}, readinessProbe: {periodSeconds: 5}");
        bench.runs("a").answer(LIVENESS, Answer.failure("dead"));
        bench.woken.clear();
        bench.asked();

        bench.pass(2);
        assertThat(bench.verdict("a")).isEqualTo(READY);
        bench.pass(9);

        assertThat(bench.verdict("a")).isEqualTo(new Verdict(true, true, Optional.of("liveness")));
        assertThat(bench.woken).hasSize(1);
        assertThat(bench.asked())
                .containsExactly("1 liveness a", "2 liveness a", "3 liveness a", "5 readiness a", "10 readiness a");
    }

    @Test
    void aContainerThatTookItsPlaceIsAskedFromTheBeginning() {
        ProbeBench bench = new ProbeBench("livenessProbe: {periodSeconds: 1, failureThreshold: 1}, readinessProbe: {}");
        bench.answer(LIVENESS, Answer.failure("dead")).runs("a").pass(1);
        assertThat(bench.verdict("a").failure()).contains("liveness");
        bench.asked();

        bench.ended("a").pass(20);
        assertThat(bench.asked()).isEmpty();
        bench.answer(LIVENESS, Answer.success())
                .answer(READINESS, Answer.failure("no"))
                .runs("b");

        assertThat(bench.verdict("b")).isEqualTo(NOT_READY);
        assertThat(bench.asked()).containsExactly("21 liveness b", "21 readiness b");
        assertThat(bench.pass(1).asked()).containsExactly("22 liveness b");
    }

    @Test
    void ofAPodThatIsBeingDeletedOnlyReadinessIsAsked() {
        ProbeBench bench = new ProbeBench("livenessProbe: {periodSeconds: 5}, readinessProbe: {periodSeconds: 5}");
        bench.runs("a").asked();

        bench.beingDeleted().runs("a").answer(LIVENESS, Answer.failure("dead")).pass(10);

        assertThat(bench.asked()).containsExactly("5 readiness a", "10 readiness a");
        assertThat(bench.verdict("a").failure()).isEmpty();
    }

    @Test
    void anAnswerThatComesAfterTheDeletionCountsNoMore() {
        ProbeBench bench = new ProbeBench("livenessProbe: {failureThreshold: 1}");
        CompletableFuture<Answer> slow = new CompletableFuture<>();
        bench.answers.put(LIVENESS, slow);
        bench.runs("a").beingDeleted().runs("a");

        slow.complete(Answer.failure("dead"));

        assertThat(bench.verdict("a").failure()).isEmpty();
        assertThat(bench.node.told()).isEmpty();
    }

    @Test
    void neverAsksWhileItIsBeingAskedAndThenAtOnce() {
        ProbeBench bench = new ProbeBench("readinessProbe: {periodSeconds: 2}");
        CompletableFuture<Answer> slow = new CompletableFuture<>();
        bench.answers.put(READINESS, slow);
        bench.runs("a").pass(5);
        assertThat(bench.asked()).containsExactly("0 readiness a");

        slow.complete(Answer.success());
        bench.node.settle();

        assertThat(bench.asked()).containsExactly("5 readiness a");
    }

    @Test
    void whatCannotBeAskedCountsNeitherWay() {
        ProbeBench bench = new ProbeBench("livenessProbe: {periodSeconds: 1, failureThreshold: 3}");
        bench.answer(LIVENESS, Answer.failure("no")).runs("a").pass(1);
        bench.answer(LIVENESS, Answer.unknown("no engine")).pass(10);
        assertThat(bench.verdict("a").failure()).isEmpty();

        bench.answer(LIVENESS, Answer.failure("no")).pass(1);

        assertThat(bench.verdict("a").failure()).contains("liveness");
    }

    @Test
    void saysWhatItFoundInTheKubeletsWords() {
        ProbeBench bench = new ProbeBench(
                "livenessProbe: {periodSeconds: 1, failureThreshold: 9}, readinessProbe: {periodSeconds: 1}");
        bench.answer(LIVENESS, Answer.failure("HTTP probe failed with statuscode: 500"))
                .answer(READINESS, Answer.warning("elsewhere"))
                .runs("a")
                .pass(1);
        bench.answer(READINESS, Answer.unknown("broken"))
                .answer(LIVENESS, Answer.unknown(""))
                .pass(1);

        assertThat(bench.node.told())
                .containsExactly(
                        "Warning ProbeWarning Pod/p x2: Readiness probe warning: elsewhere",
                        "Warning Unhealthy Pod/p x1: Readiness probe errored and resulted in unknown state: broken",
                        "Warning Unhealthy Pod/p x2: Liveness probe failed: HTTP probe failed with statuscode: 500");
    }

    @Test
    void aProbeThatFailsForHoursIsToldAFewTimesOnly() {
        ProbeBench bench = new ProbeBench("readinessProbe: {periodSeconds: 1}");

        bench.answer(READINESS, Answer.failure("no")).runs("a").pass(3600);

        // 25 at once, and one more every five minutes.
        assertThat(bench.node.told()).containsExactly("Warning Unhealthy Pod/p x37: Readiness probe failed: no");
    }

    @Test
    void lookingAgainWithoutChangeAsksNothing() {
        ProbeBench bench = new ProbeBench("readinessProbe: {periodSeconds: 10}").runs("a");
        bench.asked();

        for (int i = 0; i < 9; i++) {
            bench.pass(1).runs("a", bench.node.now().minusSeconds(i + 1));
        }

        assertThat(bench.asked()).isEmpty();
        assertThat(bench.pass(1).asked()).containsExactly("10 readiness a");
    }

    @Test
    void aForgottenPodIsAskedNoMore() {
        ProbeBench bench = new ProbeBench("readinessProbe: {periodSeconds: 1}").runs("a");
        bench.asked();

        bench.probes().forget("uid-p");

        assertThat(bench.pass(10).asked()).isEmpty();
        assertThat(bench.verdict("a")).isEqualTo(NOT_READY);
    }

    @Test
    void afterARestartOfMooringTheStatusHoldsUntilProbesSayOtherwise() {
        ProbeBench bench = new ProbeBench(
                "startupProbe: {periodSeconds: 10}, readinessProbe: {periodSeconds: 10, failureThreshold: 2}");
        bench.pass(100);
        bench.node.change(
                ProbeBench.KEY,
                pod -> pod.withObject("/status")
                        .withArray("containerStatuses")
                        .addObject()
                        .put("containerID", "docker://a")
                        .put("started", true)
                        .put("ready", true));
        bench.restart();
        bench.answer(READINESS, Answer.failure("no"));

        bench.runs("a", bench.node.now().minus(Duration.ofSeconds(90)));

        assertThat(bench.asked()).describedAs("not all at once").isEmpty();
        assertThat(bench.verdict("a")).isEqualTo(READY);
        bench.pass(10);
        assertThat(bench.asked()).hasSize(1).first().asString().endsWith("readiness a");
        assertThat(bench.verdict("a")).isEqualTo(READY);
        bench.pass(10);
        assertThat(bench.verdict("a")).isEqualTo(NOT_READY);
        assertThat(bench.verdict("another")).isEqualTo(NOT_STARTED);
    }

    @Test
    void aProbeMaySayHowLongTheContainerHasToEnd() {
        ProbeBench bench = new ProbeBench("livenessProbe: {terminationGracePeriodSeconds: 5}, startupProbe: {}");
        ObjectNode spec = (ObjectNode) bench.spec();

        assertThat(Probes.graceSeconds(spec, "liveness")).isEqualTo(OptionalLong.of(5));
        assertThat(Probes.graceSeconds(spec, "startup")).isEqualTo(OptionalLong.empty());
    }
}
