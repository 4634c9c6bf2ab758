package dev.mooring.node.pods;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.WorldFixture;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import java.util.List;
import org.junit.jupiter.api.Test;

class ContainerPhaseTest {
    private static JsonNode status(String yaml) {
        return WorldFixture.objects("{kind: Pod, metadata: {name: p, namespace: ns}, status: " + yaml + "}")
                .get(0)
                .path("status");
    }

    private static ContainerPhase of(String status, ContainerFacts... facts) {
        return ContainerPhase.of(List.of(facts), status(status));
    }

    @Test
    void phase_isThatOfTheContainerInTheEngine() {
        assertThat(of("{}")).isInstanceOf(ContainerPhase.Missing.class);
        assertThat(of("{}", ContainerFactsFixture.container("c", 0, State.CREATED, ContainerFactsFixture.START)))
                .isInstanceOf(ContainerPhase.Created.class);
        assertThat(of("{}", ContainerFactsFixture.container("c", 0, State.RUNNING, ContainerFactsFixture.START)))
                .isInstanceOf(ContainerPhase.Running.class);
        assertThat(of("{}", ContainerFactsFixture.container("c", 0, State.PAUSED, ContainerFactsFixture.START)))
                .isInstanceOf(ContainerPhase.Running.class);
        assertThat(((ContainerPhase.Terminated)
                        of("{}", ContainerFactsFixture.ended("c", 2, 3, ContainerFactsFixture.START))))
                .satisfies(ended -> {
                    assertThat(ended.exitCode()).isEqualTo(3);
                    assertThat(ended.backoffCount()).isEqualTo(2);
                    assertThat(ended.spec()).isEqualTo("hash");
                });
    }

    @Test
    void phase_startFailed_isTerminatedWith128() {
        ContainerPhase.Terminated ended = (ContainerPhase.Terminated)
                of("{}", ContainerFactsFixture.unstartable("c", 0, ContainerFactsFixture.START));

        assertThat(ended.exitCode()).isEqualTo(128);
        assertThat(ended.finished()).contains(ContainerFactsFixture.START);
    }

    @Test
    void phase_containerMissing_isTerminatedAsInPodStatus() {
        ContainerPhase.Terminated ran = (ContainerPhase.Terminated)
                of("{restartCount: 0, state: {running: {startedAt: '2026-01-01T00:00:00Z'}}}");
        assertThat(ran.exitCode()).isEqualTo(137);
        assertThat(ran.finished()).isEmpty();

        ContainerPhase.Terminated ended = (ContainerPhase.Terminated)
                of("{restartCount: 3, state: {terminated: {exitCode: 0, finishedAt: '2026-01-01T00:00:00Z'}}}");
        assertThat(ended.isSuccess()).isTrue();
        assertThat(ended.finished()).contains(ContainerFactsFixture.START);
        assertThat(ended.backoffCount()).isEqualTo(1);

        ContainerPhase.Terminated waiting = (ContainerPhase.Terminated)
                of("{restartCount: 3, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated:"
                        + " {exitCode: 7}}}");
        assertThat(waiting.exitCode()).isEqualTo(7);
    }

    @Test
    void phase_onlyOlderAttemptExists_isThatOfPodStatus() {
        assertThat(of(
                        "{restartCount: 1, state: {terminated: {exitCode: 0}}}",
                        ContainerFactsFixture.ended("c", 0, 1, ContainerFactsFixture.START)))
                .matches(each -> each instanceof ContainerPhase.Terminated ended && ended.isSuccess());
    }

    @Test
    void phase_runningContainer_isRunningDespitePodStatus() {
        assertThat(of(
                        "{restartCount: 5}",
                        ContainerFactsFixture.container("c", 0, State.RUNNING, ContainerFactsFixture.START)))
                .isInstanceOf(ContainerPhase.Running.class);
    }
}
