package dev.mooring.volume.nfs;

import static dev.mooring.volume.nfs.NfsPluginFixture.volume;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.volume.MountHealth;
import dev.mooring.volume.MountHealth.State;
import dev.mooring.volume.RemoteServers;
import dev.mooring.volume.ServerHealth;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of the retry of an unresponsive server while no volume is due. */
class NfsServerRetryTest {
    private final List<ServerHealth.State> states = new ArrayList<>();
    private NfsPluginFixture fixture;

    @BeforeEach
    void openCircuit() throws IOException {
        fixture = new NfsPluginFixture();
        fixture.servers.addListener(now -> states.add(now.state()));
        for (int i = 0; i < RemoteServers.TOLERATED; i++) {
            fixture.servers.recordProbe("nas", new MountHealth(State.UNREACHABLE, "silence", ""));
        }
        states.clear();
    }

    @AfterEach
    void close() throws IOException {
        fixture.close();
    }

    @Test
    void retryServer_serverResponds_closesCircuit() throws InterruptedException {
        fixture.clock.pass(Duration.ofSeconds(5));
        fixture.plugin.retryServer(volume("NAS", "/x"));
        assertThat(states).containsExactly(ServerHealth.State.HALF_OPEN, ServerHealth.State.CLOSED);
    }

    @Test
    void retryServer_serverDown_keepsCircuitOpen() throws InterruptedException, IOException {
        fixture.stopServer();
        fixture.clock.pass(Duration.ofSeconds(5));
        fixture.plugin.retryServer(volume("nas", "/x"));
        assertThat(states).containsExactly(ServerHealth.State.HALF_OPEN, ServerHealth.State.OPEN);
        assertThat(fixture.servers.health("nas").nextProbe())
                .contains(fixture.clock.instant().plusSeconds(10));
    }

    @Test
    void retryServer_notDueOrHealthy_doesNotProbe() throws InterruptedException {
        fixture.plugin.retryServer(volume("nas", "/x"));
        fixture.plugin.retryServer(volume("san", "/x"));
        assertThat(states).isEmpty();
    }
}
