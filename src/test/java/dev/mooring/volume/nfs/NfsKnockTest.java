package dev.mooring.volume.nfs;

import static dev.mooring.volume.nfs.NfsBench.volume;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.volume.nfs.Health.State;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Asking a server that was given up, with no volume that is due. */
class NfsKnockTest {
    private final List<ServerHealth.State> heard = new ArrayList<>();
    private NfsBench bench;

    @BeforeEach
    void aServerThatWasGivenUp() throws IOException {
        bench = new NfsBench();
        bench.servers.listen(now -> heard.add(now.state()));
        for (int i = 0; i < NfsServers.TOLERATED; i++) {
            bench.servers.observed("nas", new Health(State.UNREACHABLE, "silence", ""));
        }
        heard.clear();
    }

    @AfterEach
    void end() throws IOException {
        bench.close();
    }

    @Test
    void findsThatItIsBack() throws InterruptedException {
        bench.clock.pass(Duration.ofSeconds(5));
        bench.plugin.knock(volume("NAS", "/x"));
        assertThat(heard).containsExactly(ServerHealth.State.HALF_OPEN, ServerHealth.State.CLOSED);
    }

    @Test
    void findsThatItIsNot() throws InterruptedException, IOException {
        bench.stopServer();
        bench.clock.pass(Duration.ofSeconds(5));
        bench.plugin.knock(volume("nas", "/x"));
        assertThat(heard).containsExactly(ServerHealth.State.HALF_OPEN, ServerHealth.State.OPEN);
        assertThat(bench.servers.health("nas").nextProbe())
                .contains(bench.clock.instant().plusSeconds(10));
    }

    @Test
    void doesNotAskBeforeItsTimeNorAServerThatAnswers() throws InterruptedException {
        bench.plugin.knock(volume("nas", "/x"));
        bench.plugin.knock(volume("san", "/x"));
        assertThat(heard).isEmpty();
    }
}
