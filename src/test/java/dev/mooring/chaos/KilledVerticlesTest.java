package dev.mooring.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.chaos.ChaosApi.Reply;
import dev.mooring.cli.Server;
import dev.mooring.cli.TestServers;
import dev.mooring.testing.Patience;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Verticles are killed through the API while somebody writes and somebody watches: nothing is lost, and the API answers. */
@Timeout(300)
@Tag("chaos")
class KilledVerticlesTest {
    private static final int MONKEY_SECONDS = Integer.getInteger("mooring.chaos.seconds", 5);

    @TempDir
    private Path data;

    private Server server;
    private ChaosApi api;

    @BeforeEach
    void start() throws Exception {
        server = TestServers.start(data, Map.of("chaos.enabled", "true"));
        api = ChaosApi.of(server, data);
    }

    @AfterEach
    void stop() {
        assertThat(server.close()).isTrue();
    }

    @Test
    void everyVerticleCanBeKilledUnderLoad() throws Exception {
        List<String> victims = new ArrayList<>();
        for (JsonNode each : api.get(ChaosApi.CHAOS).body().path("verticles")) {
            victims.add(each.path("name").asText());
        }
        assertThat(victims).contains("ledger", "api", "binder", "reconciler", "pods", "snapshots");
        try (ChaosLoad load = ChaosLoad.begin(api)) {
            for (String victim : victims) {
                int before = load.acknowledged();
                Reply killed = api.chaos("kill", "{'verticle':'" + victim + "'}");
                assertThat(killed.code()).as(victim + ": " + killed.text()).isEqualTo(200);
                awaitRestart(victim);
                Patience.until(() -> load.acknowledged() > before);
            }
            load.endWell("after every verticle was killed once");
        }
        assertThat(api.until("/healthz", reply -> reply.code() == 200).text()).isEqualTo("ok");
    }

    /** Until it is up again; meanwhile the API answers, unless it is the one. */
    private void awaitRestart(String victim) throws IOException {
        boolean up = false;
        while (!up) {
            try {
                JsonNode now = api.verticle(victim);
                up = now.path("state").asText().equals("up")
                        && now.path("restarts").asLong() == 1;
                Reply ready = api.get("/readyz?verbose");
                if (!victim.equals("ledger") && !victim.equals("api")) {
                    assertThat(ready.code()).as(victim + ": " + ready.text()).isEqualTo(200);
                }
                assertThat(api.get("/livez").code()).isEqualTo(200);
            } catch (IOException e) {
                if (!victim.equals("api")) {
                    throw e;
                }
            }
        }
    }

    @Test
    void aMonkeyLosesNothing() throws Exception {
        long seed = Long.getLong("mooring.seed", System.nanoTime());
        String where = "seed " + seed + " (run again with -Dmooring.seed=" + seed + ")";
        try (ChaosLoad load = ChaosLoad.begin(api)) {
            int seconds = Math.min(MONKEY_SECONDS, 120);
            Reply begun = api.chaos("monkey", "{'everySeconds':0.1,'forSeconds':" + seconds + ",'seed':" + seed + "}");
            assertThat(begun.code()).as(begun.text()).isEqualTo(200);
            assertThat(begun.body().path("message").asText()).contains("seed " + seed);
            Reply last = api.until(
                    ChaosApi.CHAOS,
                    reply -> reply.code() == 200 && reply.body().path("faults").isEmpty());
            long restarts = 0;
            for (JsonNode each : last.body().path("verticles")) {
                restarts += each.path("restarts").asLong();
            }
            assertThat(restarts).as(where).isPositive();
            api.until("/healthz", reply -> reply.code() == 200);
            load.endWell(where);
        }
    }
}
