package dev.mooring.volume;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.volume.RemoteServers.Permit;
import dev.mooring.volume.RemoteServers.PermitDenied;
import dev.mooring.volume.RemoteServers.PermitResult;
import dev.mooring.volume.ServerHealth.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RemoteServersTest {
    private final SettableClock clock = new SettableClock();
    private final List<String> changes = new ArrayList<>();
    private final RemoteServers servers =
            new RemoteServers(clock, now -> changes.add(now.server() + " " + now.state()));

    private Permit tryAcquire(String server) {
        PermitResult result = servers.tryAcquire(server);
        assertThat(result).isInstanceOf(Permit.class);
        return (Permit) result;
    }

    private ServerHealth denied(String server) {
        PermitResult result = servers.tryAcquire(server);
        assertThat(result).isInstanceOf(PermitDenied.class);
        return ((PermitDenied) result).health();
    }

    private void fail(String server, int times) {
        for (int i = 0; i < times; i++) {
            try (Permit permit = tryAcquire(server)) {
                permit.notAnswered("silence");
            }
        }
    }

    private void pass(long seconds) {
        clock.pass(Duration.ofSeconds(seconds));
    }

    @Test
    void circuit_thirdConsecutiveFailure_opens() {
        fail("nas", 2);
        assertThat(servers.health("nas").state()).isEqualTo(State.CLOSED);

        fail("nas", 1);

        ServerHealth health = denied("nas");
        assertThat(health.state()).isEqualTo(State.OPEN);
        assertThat(health.failures()).isEqualTo(3);
        assertThat(health.since()).contains(SettableClock.START);
        assertThat(health.nextProbe()).contains(SettableClock.START.plusSeconds(5));
        assertThat(health.lastError()).isEqualTo("silence");
        assertThat(changes).containsExactly("nas OPEN");
    }

    @Test
    void circuit_responseBetweenFailures_resetsCount() {
        fail("nas", 2);
        try (Permit permit = tryAcquire("nas")) {
            permit.answered();
        }
        fail("nas", 2);

        assertThat(servers.health("nas").state()).isEqualTo(State.CLOSED);
        assertThat(changes).isEmpty();
    }

    @Test
    void circuit_operationWithoutOutcome_isNotCounted() {
        fail("nas", 2);
        tryAcquire("nas").close();
        fail("nas", 1);

        assertThat(servers.health("nas").state()).isEqualTo(State.OPEN);
    }

    @Test
    void circuit_open_doesNotAffectOtherServers() {
        fail("nas", 3);

        tryAcquire("other").close();
        assertThat(servers.servers())
                .extracting(each -> each.server() + " " + each.state())
                .containsExactly("nas OPEN", "other CLOSED");
    }

    @Test
    void circuit_differentSpellingsOfServer_shareState() {
        fail("[FD00::1]", 1);
        fail("fd00::1", 2);

        assertThat(denied("FD00::1").state()).isEqualTo(State.OPEN);
    }

    @Test
    void circuit_probeSucceedsAfterPause_closes() {
        fail("nas", 3);
        pass(4);
        denied("nas");
        pass(1);

        try (Permit probe = tryAcquire("nas")) {
            assertThat(denied("nas").state()).isEqualTo(State.HALF_OPEN);
            probe.answered();
        }

        tryAcquire("nas").close();
        assertThat(servers.health("nas")).isEqualTo(ServerHealth.fresh("nas"));
        assertThat(changes).containsExactly("nas OPEN", "nas HALF_OPEN", "nas CLOSED");
    }

    @Test
    void circuit_failedProbes_doublePauseUpToOneMinute() {
        fail("nas", 3);
        List<Long> pauses = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Duration pause =
                    Duration.between(clock.instant(), denied("nas").nextProbe().orElseThrow());
            pauses.add(pause.toSeconds());
            clock.pass(pause);
            fail("nas", 1);
        }

        assertThat(pauses).containsExactly(5L, 10L, 20L, 40L, 60L, 60L);
        assertThat(servers.health("nas").since()).contains(SettableClock.START);
        assertThat(servers.health("nas").failures()).isEqualTo(9);
    }

    @Test
    void circuit_afterResponse_resetsPause() {
        fail("nas", 3);
        pass(5);
        fail("nas", 1);
        pass(10);
        try (Permit probe = tryAcquire("nas")) {
            probe.answered();
        }
        fail("nas", 3);

        assertThat(denied("nas").nextProbe()).contains(clock.instant().plusSeconds(5));
    }

    @Test
    void circuit_probeWithoutOutcome_allowsNextProbe() {
        fail("nas", 3);
        pass(5);
        tryAcquire("nas").close();

        tryAcquire("nas").close();
        assertThat(servers.health("nas").state()).isEqualTo(State.OPEN);
    }

    @Test
    void circuit_lateFailureDuringProbe_isIgnored() {
        Permit early = tryAcquire("nas");
        fail("nas", 3);
        pass(5);
        Permit probe = tryAcquire("nas");
        early.notAnswered("late");
        early.close();

        assertThat(servers.health("nas").state()).isEqualTo(State.HALF_OPEN);
        probe.answered();
        probe.close();
        assertThat(servers.health("nas").state()).isEqualTo(State.CLOSED);
    }

    @Test
    void circuit_probesOfMountedVolumes_areCounted() {
        MountHealth silent = new MountHealth(MountHealth.State.UNREACHABLE, "no response", "");
        servers.recordProbe("nas", silent);
        servers.recordProbe("nas", silent);
        servers.recordProbe("nas", new MountHealth(MountHealth.State.FAILED, "?", ""));
        servers.recordProbe("nas", silent);
        assertThat(denied("nas").lastError()).isEqualTo("no response");

        servers.recordProbe("nas", new MountHealth(MountHealth.State.STALE, "stale", ""));
        assertThat(servers.health("nas").state()).isEqualTo(State.CLOSED);
    }

    @Test
    void servers_tooMany_evictsHealthyOnes() {
        fail("dead", 3);
        for (int i = 0; i < 3 * RemoteServers.MAX_SERVERS; i++) {
            tryAcquire("nas" + i).close();
        }

        assertThat(servers.servers()).hasSizeLessThanOrEqualTo(RemoteServers.MAX_SERVERS);
        assertThat(servers.health("dead").state()).isEqualTo(State.OPEN);
    }
}
