package dev.mooring.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.chaos.ChaosApi.ChaosReply;
import dev.mooring.server.Server;
import dev.mooring.server.ServerFixture;
import dev.mooring.testing.ConditionPoller;
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

/** Kills verticles through the API while clients write and watch: nothing is lost, and the API responds. */
@Timeout(900)
@Tag("chaos")
class KilledVerticlesTest {
    private static final int MONKEY_SECONDS = Integer.getInteger("mooring.chaos.seconds", 5);

    @TempDir
    private Path data;

    private Server server;
    private ChaosApi api;

    @BeforeEach
    void start() throws Exception {
        server = ServerFixture.start(data, Map.of("chaos.enabled", "true"));
        api = ChaosApi.of(server, data);
    }

    @AfterEach
    void stop() {
        assertThat(server.close()).isTrue();
    }

    @Test
    void everyVerticle_killedUnderLoad_isRestartedWithoutLoss() throws Exception {
        List<String> verticles = new ArrayList<>();
        for (JsonNode each : api.get(ChaosApi.CHAOS).body().path("verticles")) {
            verticles.add(each.path("name").asText());
        }
        assertThat(verticles).contains("ledger", "api", "binder", "reconciler", "pods", "snapshots");
        try (ChaosLoad load = ChaosLoad.begin(api)) {
            for (String verticle : verticles) {
                int before = load.acknowledged();
                ChaosReply killed = api.chaos("kill", "{'verticle':'" + verticle + "'}");
                assertThat(killed.code()).as(verticle + ": " + killed.text()).isEqualTo(200);
                awaitRestart(verticle);
                ConditionPoller.until(() -> load.acknowledged() > before);
            }
            load.finishAndVerify("after every verticle was killed");
        }
        assertThat(api.until("/healthz", reply -> reply.code() == 200).text()).isEqualTo("ok");
    }

    /** Waits until the verticle is up again. Meanwhile the API must respond, unless it was killed itself. */
    private void awaitRestart(String verticle) throws IOException {
        boolean up = false;
        while (!up) {
            try {
                JsonNode now = api.verticle(verticle);
                up = now.path("state").asText().equals("up")
                        && now.path("restarts").asLong() == 1;
                ChaosReply ready = api.get("/readyz?verbose");
                if (!verticle.equals("ledger") && !verticle.equals("api")) {
                    assertThat(ready.code()).as(verticle + ": " + ready.text()).isEqualTo(200);
                }
                assertThat(api.get("/livez").code()).isEqualTo(200);
            } catch (IOException e) {
                if (!verticle.equals("api")) {
                    throw e;
                }
            }
        }
    }

    @Test
    void monkey_underLoad_losesNothing() throws Exception {
        long seed = Long.getLong("mooring.seed", System.nanoTime());
        String description = "seed " + seed + " (run again with -Dmooring.seed=" + seed + ")";
        try (ChaosLoad load = ChaosLoad.begin(api)) {
            int seconds = Math.min(MONKEY_SECONDS, 120);
            ChaosReply started =
                    api.chaos("monkey", "{'everySeconds':0.1,'forSeconds':" + seconds + ",'seed':" + seed + "}");
            assertThat(started.code()).as(started.text()).isEqualTo(200);
            assertThat(started.body().path("message").asText()).contains("seed " + seed);
            ChaosReply last = api.until(
                    ChaosApi.CHAOS,
                    reply -> reply.code() == 200 && reply.body().path("faults").isEmpty());
            long restarts = 0;
            for (JsonNode each : last.body().path("verticles")) {
                restarts += each.path("restarts").asLong();
            }
            assertThat(restarts).as(description).isPositive();
            api.until("/healthz", reply -> reply.code() == 200);
            load.finishAndVerify(description);
        }
    }
}
