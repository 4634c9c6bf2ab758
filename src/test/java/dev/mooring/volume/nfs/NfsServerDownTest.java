package dev.mooring.volume.nfs;

import static dev.mooring.volume.nfs.NfsBench.T;
import static dev.mooring.volume.nfs.NfsBench.TARGET;
import static dev.mooring.volume.nfs.NfsBench.volume;
import static dev.mooring.volume.nfs.NfsBench.wanted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.volume.Access;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.mount.UnmountLimits;
import dev.mooring.volume.nfs.ServerHealth.State;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Servers that do not answer, and volumes that disappear. */
class NfsServerDownTest {
    private NfsBench bench;

    @BeforeEach
    void node() throws IOException {
        bench = new NfsBench();
    }

    @AfterEach
    void end() throws IOException {
        bench.close();
    }

    private void hangs(int times) {
        for (int i = 0; i < times; i++) {
            bench.mounter.hangNextMount(TARGET);
            assertThat(bench.failedSetUp().reason()).isEqualTo("TooSlow");
        }
    }

    @Test
    void afterThreeFailuresTheServerIsLeftInPeace() {
        hangs(3);
        bench.mounter.forgetCalls();
        bench.clock.pass(Duration.ofSeconds(4));

        VolumeException e = bench.failedSetUp();

        assertThat(e.reason()).isEqualTo("ServerUnreachable");
        assertThat(e.left()).isEqualTo(Left.NOTHING);
        assertThat(e)
                .hasMessageStartingWith("server nas has not answered since 2026-11-16T10:00:00Z (the last time: "
                        + "server nas took connections but did not answer in time")
                .hasMessageEndingWith("; it is asked again now and then, and this is tried as soon as it answers");
        assertThat(bench.mounter.calls()).isEmpty();
        assertThat(bench.commands).isEmpty();
        assertThat(bench.servers.health("nas").failures()).isEqualTo(3);
    }

    @Test
    void otherServersGoOn() throws Exception {
        hangs(3);

        bench.setUp(wanted(volume("other", "/x"), Access.READ_WRITE));

        assertThat(bench.mounter.mounted()).hasSize(1);
    }

    @Test
    void whatIsMountedCountsAsSomethingLeftWhileTheServerIsNotAsked() {
        hangs(3);
        bench.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/data", "rw");

        assertThat(bench.failedSetUp().left()).isEqualTo(Left.PERHAPS_SOMETHING);
        assertThat(bench.commands).isEmpty();
    }

    @Test
    void recoversByItselfWhenTheServerReturns() throws Exception {
        hangs(3);
        bench.clock.pass(Duration.ofSeconds(5));
        hangs(1);
        bench.clock.pass(Duration.ofSeconds(9));
        assertThat(bench.failedSetUp().reason()).isEqualTo("ServerUnreachable");
        bench.clock.pass(Duration.ofSeconds(1));

        bench.setUp();

        assertThat(bench.heard)
                .extracting(ServerHealth::state)
                .containsExactly(State.OPEN, State.HALF_OPEN, State.OPEN, State.HALF_OPEN, State.CLOSED);
        assertThat(bench.mounter.mounted()).hasSize(1);
    }

    @Test
    void anUnfriendlyAnswerIsAnAnswer() {
        hangs(3);
        bench.clock.pass(Duration.ofSeconds(5));
        bench.mounter.failNextMount(
                TARGET, new VolumeException(Left.NOTHING, "MountFailed", "", "mount.nfs: access denied by server"));

        assertThat(bench.failedSetUp().reason()).isEqualTo("AccessDenied");
        assertThat(bench.servers.health("nas").state()).isEqualTo(State.CLOSED);
    }

    @Test
    void aProbeThatFailsForReasonsOfThisNodeProvesNothing() {
        hangs(3);
        bench.clock.pass(Duration.ofSeconds(5));
        bench.mounter.failNextMount(
                TARGET, new VolumeException(Left.NOTHING, "MountFailed", "", "mount.nfs: No such device"));

        assertThat(bench.failedSetUp().reason()).isEqualTo("NoNfsInKernel");
        assertThat(bench.servers.health("nas").state()).isEqualTo(State.OPEN);
        bench.mounter.hangNextMount(TARGET);
        assertThat(bench.failedSetUp().reason()).isEqualTo("TooSlow");
    }

    @Test
    void aThreadThatDiesInTheProbeDoesNotLockTheServerForEver() throws Exception {
        hangs(3);
        bench.clock.pass(Duration.ofSeconds(5));
        bench.mounter.beforeEach(line -> {
            throw new IllegalStateException("killed");
        });
        assertThatThrownBy(() -> bench.setUp()).isInstanceOf(IllegalStateException.class);
        bench.mounter.beforeEach(line -> {});

        bench.setUp();

        assertThat(bench.servers.health("nas").state()).isEqualTo(State.CLOSED);
    }

    @Test
    void tearsDownWithoutTouchingTheMount() throws Exception {
        bench.setUp();
        bench.mounter.forgetCalls();

        bench.tearDown("nas");

        assertThat(bench.mounter.calls()).containsExactly("unmount " + T, "removeDirectory " + T);
        assertThat(bench.mounter.mounted()).isEmpty();
        assertThat(bench.mounter.directories()).doesNotContain(T);
        assertThat(bench.commands).isEmpty();
        assertThat(bench.limits).containsExactly(UnmountLimits.REMOTE);
    }

    @Test
    void whatIsNotThereIsTornDown() throws Exception {
        bench.tearDown("nas");
        bench.tearDown("");

        assertThat(bench.mounter.calls()).containsExactly("removeDirectory " + T, "removeDirectory " + T);
    }

    @Test
    void aFailedUnmountIsNeverFollowedByADeletion() throws Exception {
        bench.setUp();
        bench.mounter.forgetCalls();
        bench.mounter.hangNextUnmount(TARGET);

        assertThatThrownBy(() -> bench.tearDown("nas")).isInstanceOf(VolumeException.class);

        assertThat(bench.mounter.calls()).containsExactly("unmount " + T);
        assertThat(bench.mounter.mounted()).hasSize(1);
    }

    @Test
    void anUnmountThatHappenedAlthoughItWasReportedAsFailedIsFinishedNextTime() throws Exception {
        bench.setUp();
        bench.mounter.halfSucceedNextUnmount(TARGET, VolumeException.uncertain("TooSlow", "umount", ""));
        assertThatThrownBy(() -> bench.tearDown("nas")).isInstanceOf(VolumeException.class);

        bench.tearDown("nas");

        assertThat(bench.mounter.directories()).doesNotContain(T);
    }

    @Test
    void aDeadServerIsNeitherAskedNorWaitedForLongWhenTearingDown() throws Exception {
        hangs(3);
        bench.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/data", "rw");

        bench.tearDown("");

        assertThat(bench.limits).last().isEqualTo(NfsPlugin.IMPATIENT);
        assertThat(bench.mounter.mounted()).isEmpty();
    }

    @Test
    void findsTheServerOfAForgottenIpv6Mount() throws Exception {
        for (int i = 0; i < 3; i++) {
            bench.servers.observed("fd00::1", new Health(Health.State.UNREACHABLE, "silence", ""));
        }
        bench.mounter.alreadyMounted(TARGET, "nfs4", "[fd00::1]:/x", "rw");

        bench.tearDown("");

        assertThat(bench.limits).containsExactly(NfsPlugin.IMPATIENT);
    }

    /** Killed before each step and run again, it always ends with one mount; and with none after tearing down. */
    @Test
    void endsRightWhereverItIsKilled() throws Exception {
        for (int step = 0; step < 12; step++) {
            try (NfsBench victim = new NfsBench()) {
                victim.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/other", "rw");
                int[] left = {step};
                victim.mounter.beforeEach(line -> {
                    if (left[0]-- == 0) {
                        throw new IllegalStateException("killed before " + line);
                    }
                });
                try {
                    victim.setUp();
                    victim.tearDown("nas");
                } catch (IllegalStateException killed) {
                    assertThat(killed).hasMessageStartingWith("killed before");
                }
                victim.mounter.beforeEach(line -> {});

                victim.setUp();
                assertThat(victim.mounter.mounted()).containsExactly(T + " nfs nas:/exports/data retry=0");
                victim.tearDown("nas");
                assertThat(victim.mounter.mounted()).isEmpty();
                assertThat(victim.mounter.directories()).doesNotContain(T);
            }
        }
    }
}
