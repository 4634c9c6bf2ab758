package dev.mooring.node.pod;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.Worlds;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.runtime.ContainerFacts.State;
import java.util.List;
import org.junit.jupiter.api.Test;

class StandingTest {
    private static JsonNode status(String yaml) {
        return Worlds.objects("{kind: Pod, metadata: {name: p, namespace: ns}, status: " + yaml + "}")
                .get(0)
                .path("status");
    }

    private static Standing of(String status, ContainerFacts... facts) {
        return Standing.of(List.of(facts), status(status));
    }

    @Test
    void whatTheEngineHasDecides() {
        assertThat(of("{}")).isInstanceOf(Standing.Missing.class);
        assertThat(of("{}", Facts.container("c", 0, State.CREATED, Facts.START)))
                .isInstanceOf(Standing.Made.class);
        assertThat(of("{}", Facts.container("c", 0, State.RUNNING, Facts.START)))
                .isInstanceOf(Standing.Live.class);
        assertThat(of("{}", Facts.container("c", 0, State.PAUSED, Facts.START))).isInstanceOf(Standing.Live.class);
        assertThat(((Standing.Ended) of("{}", Facts.ended("c", 2, 3, Facts.START))))
                .satisfies(ended -> {
                    assertThat(ended.exitCode()).isEqualTo(3);
                    assertThat(ended.setbacks()).isEqualTo(2);
                    assertThat(ended.spec()).isEqualTo("hash");
                });
    }

    @Test
    void whatCouldNotBeStartedHasEndedWithTheKubeletsCode() {
        Standing.Ended ended = (Standing.Ended) of("{}", Facts.unstartable("c", 0, Facts.START));

        assertThat(ended.exitCode()).isEqualTo(128);
        assertThat(ended.finished()).contains(Facts.START);
    }

    @Test
    void whatWasTakenAwayIsRemembered() {
        Standing.Ended ran =
                (Standing.Ended) of("{restartCount: 0, state: {running: {startedAt: '2026-01-01T00:00:00Z'}}}");
        assertThat(ran.exitCode()).isEqualTo(137);
        assertThat(ran.finished()).isEmpty();

        Standing.Ended ended = (Standing.Ended)
                of("{restartCount: 3, state: {terminated: {exitCode: 0, finishedAt: '2026-01-01T00:00:00Z'}}}");
        assertThat(ended.isSuccess()).isTrue();
        assertThat(ended.finished()).contains(Facts.START);
        assertThat(ended.setbacks()).isEqualTo(1);

        Standing.Ended waits = (Standing.Ended)
                of("{restartCount: 3, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated:"
                        + " {exitCode: 7}}}");
        assertThat(waits.exitCode()).isEqualTo(7);
    }

    @Test
    void anOlderAttemptIsNotTakenForTheOneThatWasTakenAway() {
        assertThat(of("{restartCount: 1, state: {terminated: {exitCode: 0}}}", Facts.ended("c", 0, 1, Facts.START)))
                .matches(each -> each instanceof Standing.Ended ended && ended.isSuccess());
    }

    @Test
    void whatRunsRunsWhateverTheStatusSays() {
        assertThat(of("{restartCount: 5}", Facts.container("c", 0, State.RUNNING, Facts.START)))
                .isInstanceOf(Standing.Live.class);
    }
}
