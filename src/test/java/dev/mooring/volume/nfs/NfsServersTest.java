package dev.mooring.volume.nfs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.volume.nfs.NfsServers.Answer;
import dev.mooring.volume.nfs.NfsServers.Permit;
import dev.mooring.volume.nfs.NfsServers.Refused;
import dev.mooring.volume.nfs.ServerHealth.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NfsServersTest {
    private final SettableClock clock = new SettableClock();
    private final List<String> heard = new ArrayList<>();
    private final NfsServers servers = new NfsServers(clock, now -> heard.add(now.server() + " " + now.state()));

    private Permit enter(String server) {
        Answer answer = servers.enter(server);
        assertThat(answer).isInstanceOf(Permit.class);
        return (Permit) answer;
    }

    private ServerHealth refused(String server) {
        Answer answer = servers.enter(server);
        assertThat(answer).isInstanceOf(Refused.class);
        return ((Refused) answer).health();
    }

    private void fail(String server, int times) {
        for (int i = 0; i < times; i++) {
            try (Permit permit = enter(server)) {
                permit.notAnswered("silence");
            }
        }
    }

    private void pass(long seconds) {
        clock.pass(Duration.ofSeconds(seconds));
    }

    @Test
    void opensWithTheThirdFailureInARowAndNoSooner() {
        fail("nas", 2);
        assertThat(servers.health("nas").state()).isEqualTo(State.CLOSED);

        fail("nas", 1);

        ServerHealth health = refused("nas");
        assertThat(health.state()).isEqualTo(State.OPEN);
        assertThat(health.failures()).isEqualTo(3);
        assertThat(health.since()).contains(SettableClock.START);
        assertThat(health.nextProbe()).contains(SettableClock.START.plusSeconds(5));
        assertThat(health.lastError()).isEqualTo("silence");
        assertThat(heard).containsExactly("nas OPEN");
    }

    @Test
    void anAnswerInBetweenStartsTheCountAnew() {
        fail("nas", 2);
        try (Permit permit = enter("nas")) {
            permit.answered();
        }
        fail("nas", 2);

        assertThat(servers.health("nas").state()).isEqualTo(State.CLOSED);
        assertThat(heard).isEmpty();
    }

    @Test
    void whatTeachesNothingCountsNeitherWay() {
        fail("nas", 2);
        enter("nas").close();
        fail("nas", 1);

        assertThat(servers.health("nas").state()).isEqualTo(State.OPEN);
    }

    @Test
    void otherServersAreNotConcerned() {
        fail("nas", 3);

        enter("other").close();
        assertThat(servers.servers())
                .extracting(each -> each.server() + " " + each.state())
                .containsExactly("nas OPEN", "other CLOSED");
    }

    @Test
    void oneServerIsOneHoweverItIsWritten() {
        fail("[FD00::1]", 1);
        fail("fd00::1", 2);

        assertThat(refused("FD00::1").state()).isEqualTo(State.OPEN);
    }

    @Test
    void letsOneThroughAfterThePauseAndClosesWhenThatOneIsAnswered() {
        fail("nas", 3);
        pass(4);
        refused("nas");
        pass(1);

        try (Permit probe = enter("nas")) {
            assertThat(refused("nas").state()).isEqualTo(State.HALF_OPEN);
            probe.answered();
        }

        enter("nas").close();
        assertThat(servers.health("nas")).isEqualTo(ServerHealth.fresh("nas"));
        assertThat(heard).containsExactly("nas OPEN", "nas HALF_OPEN", "nas CLOSED");
    }

    @Test
    void doublesThePauseWithEachFailedProbeUpToAMinute() {
        fail("nas", 3);
        List<Long> pauses = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Duration pause =
                    Duration.between(clock.instant(), refused("nas").nextProbe().orElseThrow());
            pauses.add(pause.toSeconds());
            clock.pass(pause);
            fail("nas", 1);
        }

        assertThat(pauses).containsExactly(5L, 10L, 20L, 40L, 60L, 60L);
        assertThat(servers.health("nas").since()).contains(SettableClock.START);
        assertThat(servers.health("nas").failures()).isEqualTo(9);
    }

    @Test
    void startsWithTheShortPauseAgainAfterAnAnswer() {
        fail("nas", 3);
        pass(5);
        fail("nas", 1);
        pass(10);
        try (Permit probe = enter("nas")) {
            probe.answered();
        }
        fail("nas", 3);

        assertThat(refused("nas").nextProbe()).contains(clock.instant().plusSeconds(5));
    }

    @Test
    void aProbeThatLearnsNothingMakesWayForTheNext() {
        fail("nas", 3);
        pass(5);
        enter("nas").close();

        enter("nas").close();
        assertThat(servers.health("nas").state()).isEqualTo(State.OPEN);
    }

    @Test
    void lateFailuresOfOthersNeitherCountAsProbesNorPostponeThem() {
        Permit early = enter("nas");
        fail("nas", 3);
        pass(5);
        Permit probe = enter("nas");
        early.notAnswered("late");
        early.close();

        assertThat(servers.health("nas").state()).isEqualTo(State.HALF_OPEN);
        probe.answered();
        probe.close();
        assertThat(servers.health("nas").state()).isEqualTo(State.CLOSED);
    }

    @Test
    void learnsFromMountedVolumesToo() {
        Health silent = new Health(Health.State.UNREACHABLE, "no answer", "");
        servers.observed("nas", silent);
        servers.observed("nas", silent);
        servers.observed("nas", new Health(Health.State.FAILED, "?", ""));
        servers.observed("nas", silent);
        assertThat(refused("nas").lastError()).isEqualTo("no answer");

        servers.observed("nas", new Health(Health.State.STALE, "stale", ""));
        assertThat(servers.health("nas").state()).isEqualTo(State.CLOSED);
    }

    @Test
    void forgetsWellServersRatherThanGrowWithoutEnd() {
        fail("dead", 3);
        for (int i = 0; i < 3 * NfsServers.MOST_REMEMBERED; i++) {
            enter("nas" + i).close();
        }

        assertThat(servers.servers()).hasSizeLessThanOrEqualTo(NfsServers.MOST_REMEMBERED);
        assertThat(servers.health("dead").state()).isEqualTo(State.OPEN);
    }
}
