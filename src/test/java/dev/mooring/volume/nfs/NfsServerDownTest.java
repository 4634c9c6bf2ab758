package dev.mooring.volume.nfs;

import static dev.mooring.volume.nfs.NfsPluginFixture.T;
import static dev.mooring.volume.nfs.NfsPluginFixture.TARGET;
import static dev.mooring.volume.nfs.NfsPluginFixture.setUpRequest;
import static dev.mooring.volume.nfs.NfsPluginFixture.volume;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.volume.Access;
import dev.mooring.volume.MountHealth;
import dev.mooring.volume.ServerHealth;
import dev.mooring.volume.ServerHealth.State;
import dev.mooring.volume.UnmountTimeouts;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of servers that do not respond, and of tearDown. */
class NfsServerDownTest {
    private NfsPluginFixture fixture;

    @BeforeEach
    void node() throws IOException {
        fixture = new NfsPluginFixture();
    }

    @AfterEach
    void close() throws IOException {
        fixture.close();
    }

    private void hangMounts(int times) {
        for (int i = 0; i < times; i++) {
            fixture.mounter.hangNextMount(TARGET);
            assertThat(fixture.failedSetUp().reason()).isEqualTo("TooSlow");
        }
    }

    @Test
    void setUp_threeFailures_failsWithoutContactingServer() {
        hangMounts(3);
        fixture.mounter.forgetCalls();
        fixture.clock.pass(Duration.ofSeconds(4));

        VolumeException e = fixture.failedSetUp();

        assertThat(e.reason()).isEqualTo("ServerUnreachable");
        assertThat(e.failureState()).isEqualTo(FailureState.CLEAN);
        assertThat(e)
                .hasMessageStartingWith("server nas has not responded since 2026-11-16T10:00:00Z (last error: "
                        + "server nas accepted connections but did not respond in time")
                .hasMessageEndingWith("; it is probed periodically, and the mount is retried when it responds");
        assertThat(fixture.mounter.calls()).isEmpty();
        assertThat(fixture.commands).isEmpty();
        assertThat(fixture.servers.health("nas").failures()).isEqualTo(3);
    }

    @Test
    void setUp_otherServerDown_succeeds() throws Exception {
        hangMounts(3);

        fixture.setUp(setUpRequest(volume("other", "/x"), Access.READ_WRITE));

        assertThat(fixture.mounter.mounted()).hasSize(1);
    }

    @Test
    void setUp_serverDownAndMounted_failsAsUncertain() {
        hangMounts(3);
        fixture.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/data", "rw");

        assertThat(fixture.failedSetUp().failureState()).isEqualTo(FailureState.UNCERTAIN);
        assertThat(fixture.commands).isEmpty();
    }

    @Test
    void setUp_serverReturns_succeeds() throws Exception {
        hangMounts(3);
        fixture.clock.pass(Duration.ofSeconds(5));
        hangMounts(1);
        fixture.clock.pass(Duration.ofSeconds(9));
        assertThat(fixture.failedSetUp().reason()).isEqualTo("ServerUnreachable");
        fixture.clock.pass(Duration.ofSeconds(1));

        fixture.setUp();

        assertThat(fixture.healthChanges)
                .extracting(ServerHealth::state)
                .containsExactly(State.OPEN, State.HALF_OPEN, State.OPEN, State.HALF_OPEN, State.CLOSED);
        assertThat(fixture.mounter.mounted()).hasSize(1);
    }

    @Test
    void setUp_serverDeniesAccess_countsAsResponse() {
        hangMounts(3);
        fixture.clock.pass(Duration.ofSeconds(5));
        fixture.mounter.failNextMount(
                TARGET,
                new VolumeException(FailureState.CLEAN, "MountFailed", "", "mount.nfs: access denied by server"));

        assertThat(fixture.failedSetUp().reason()).isEqualTo("AccessDenied");
        assertThat(fixture.servers.health("nas").state()).isEqualTo(State.CLOSED);
    }

    @Test
    void setUp_probeFailsForLocalReason_keepsCircuitOpen() {
        hangMounts(3);
        fixture.clock.pass(Duration.ofSeconds(5));
        fixture.mounter.failNextMount(
                TARGET, new VolumeException(FailureState.CLEAN, "MountFailed", "", "mount.nfs: No such device"));

        assertThat(fixture.failedSetUp().reason()).isEqualTo("NoNfsInKernel");
        assertThat(fixture.servers.health("nas").state()).isEqualTo(State.OPEN);
        fixture.mounter.hangNextMount(TARGET);
        assertThat(fixture.failedSetUp().reason()).isEqualTo("TooSlow");
    }

    @Test
    void setUp_probeThrows_nextAttemptProbesAgain() throws Exception {
        hangMounts(3);
        fixture.clock.pass(Duration.ofSeconds(5));
        fixture.mounter.beforeEach(line -> {
            throw new IllegalStateException("killed");
        });
        assertThatThrownBy(() -> fixture.setUp()).isInstanceOf(IllegalStateException.class);
        fixture.mounter.beforeEach(line -> {});

        fixture.setUp();

        assertThat(fixture.servers.health("nas").state()).isEqualTo(State.CLOSED);
    }

    @Test
    void tearDown_unmountsWithoutAccessingMount() throws Exception {
        fixture.setUp();
        fixture.mounter.forgetCalls();

        fixture.tearDown("nas");

        assertThat(fixture.mounter.calls()).containsExactly("unmount " + T, "removeDirectory " + T);
        assertThat(fixture.mounter.mounted()).isEmpty();
        assertThat(fixture.mounter.directories()).doesNotContain(T);
        assertThat(fixture.commands).isEmpty();
        assertThat(fixture.timeouts).containsExactly(UnmountTimeouts.REMOTE);
    }

    @Test
    void tearDown_notMounted_succeeds() throws Exception {
        fixture.tearDown("nas");
        fixture.tearDown("");

        assertThat(fixture.mounter.calls()).containsExactly("removeDirectory " + T, "removeDirectory " + T);
    }

    @Test
    void tearDown_unmountFails_deletesNothing() throws Exception {
        fixture.setUp();
        fixture.mounter.forgetCalls();
        fixture.mounter.hangNextUnmount(TARGET);

        assertThatThrownBy(() -> fixture.tearDown("nas")).isInstanceOf(VolumeException.class);

        assertThat(fixture.mounter.calls()).containsExactly("unmount " + T);
        assertThat(fixture.mounter.mounted()).hasSize(1);
    }

    @Test
    void tearDown_unmountReportedFailedButDone_nextAttemptFinishes() throws Exception {
        fixture.setUp();
        fixture.mounter.halfSucceedNextUnmount(TARGET, VolumeException.uncertain("TooSlow", "umount", ""));
        assertThatThrownBy(() -> fixture.tearDown("nas")).isInstanceOf(VolumeException.class);

        fixture.tearDown("nas");

        assertThat(fixture.mounter.directories()).doesNotContain(T);
    }

    @Test
    void tearDown_serverDown_usesShortTimeouts() throws Exception {
        hangMounts(3);
        fixture.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/data", "rw");

        fixture.tearDown("");

        assertThat(fixture.timeouts).last().isEqualTo(NfsPlugin.SHORT_TIMEOUTS);
        assertThat(fixture.mounter.mounted()).isEmpty();
    }

    @Test
    void tearDown_serverUnknown_isReadFromIpv6Mount() throws Exception {
        for (int i = 0; i < 3; i++) {
            fixture.servers.recordProbe("fd00::1", new MountHealth(MountHealth.State.UNREACHABLE, "silence", ""));
        }
        fixture.mounter.alreadyMounted(TARGET, "nfs4", "[fd00::1]:/x", "rw");

        fixture.tearDown("");

        assertThat(fixture.timeouts).containsExactly(NfsPlugin.SHORT_TIMEOUTS);
    }

    /** After a crash before any step, setUp ends with one mount and tearDown with none. */
    @Test
    void plugin_crashAtAnyStep_recovers() throws Exception {
        for (int step = 0; step < 12; step++) {
            try (NfsPluginFixture node = new NfsPluginFixture()) {
                node.mounter.alreadyMounted(TARGET, "nfs4", "nas:/exports/other", "rw");
                int[] left = {step};
                node.mounter.beforeEach(line -> {
                    if (left[0]-- == 0) {
                        throw new IllegalStateException("killed before " + line);
                    }
                });
                try {
                    node.setUp();
                    node.tearDown("nas");
                } catch (IllegalStateException killed) {
                    assertThat(killed).hasMessageStartingWith("killed before");
                }
                node.mounter.beforeEach(line -> {});

                node.setUp();
                assertThat(node.mounter.mounted()).containsExactly(T + " nfs nas:/exports/data nosuid,nodev,retry=0");
                node.tearDown("nas");
                assertThat(node.mounter.mounted()).isEmpty();
                assertThat(node.mounter.directories()).doesNotContain(T);
            }
        }
    }
}
